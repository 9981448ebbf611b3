//! How a lab is graded: the table `[rubric]` of its `lab.toml`.
//!
//! ```toml
//! [rubric]
//! rule = "memory_strategy"              # how the decision is recomputed
//! gpu_provenance = ["runner", "upload"] # whose reports may earn the GPU part
//!
//! [rubric.thresholds]                   # defaults where a report states none
//! min_memory_saving_bytes = 536870912
//! min_throughput_ratio = 0.70
//!
//! [[rubric.items]]
//! id = "arithmetic"
//! points = 3
//! part = "cpu"                          # earned by arithmetic and logic, whatever device ran
//! title = { zh = "算术自洽", en = "The arithmetic agrees" }
//! checks = ["samples_per_s_agrees", "summary_saving_agrees"]
//! ```

use serde::{Deserialize, Serialize};

use crate::Phrase;
use crate::report::Budget;

/// Which rule recomputes the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionRule {
    /// Lab 73: a pair, faster by enough milliseconds and smaller by enough bytes.
    TrainingPair,
    /// Labs 76 and 75: the feasible candidate with the lowest peak, if it saves enough and stays fast enough.
    MemoryStrategy,
    /// A kernel lab: right within tolerance, and faster or moving fewer bytes.
    KernelPair,
    /// A kernel lab of several variants: the one of fewest bytes that is right and keeps enough, if it is faster too.
    KernelMemory,
    /// Lab 74: what the traces allow to say, or one change that is faster by enough.
    Profiling,
    /// Project 60: an adapter against full fine-tuning.
    FineTuning,
    /// Lab 66: more throughput without a much later first token.
    ServingLoad,
    /// Lab 67: fewer bits within an error budget.
    Quantised,
    /// Pages 25, 40 and 41: one layer or model in fewer bits.
    QuantisedLayer,
    /// Lab 68: speculative decoding.
    Speculative,
    /// Lab 69: a prefix cache.
    PrefixCache,
    /// Lab 70: a scheduler.
    Scheduler,
    /// Lab 71: bytes of a cache by its representation.
    CacheLedger,
    /// Lab 61: candidates of an architecture, or an audit of cited reports.
    ModelAudit,
    /// Lab 79: training state divided over ranks.
    StateParallel,
    /// Lab 80: experts on several ranks.
    ExpertParallel,
    /// Lab 81: several replicas of a server.
    Replicas,
    /// The lab asks for no decision.
    None,
}

/// Which column of the gradebook an item's points belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Arithmetic, shapes, logic: provable on any device.
    Cpu,
    /// Needs class `gpu` and a provenance that the rubric accepts.
    Gpu,
}

/// One thing that earns points, all or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RubricItem {
    pub id: String,
    pub points: u32,
    pub part: Part,
    pub title: Phrase,
    /// The points are lost when one of these checks fails. A check that does not apply costs nothing.
    pub checks: Vec<String>,
    /// The points are earned only when each of these checks applied and passed.
    #[serde(default)]
    pub needs: Vec<String>,
}

/// A lab's rubric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    pub rule: DecisionRule,
    /// Ids of provenances whose reports may earn the GPU part: `runner`, `upload`, `browser`.
    pub gpu_provenance: Vec<String>,
    /// Limits that stand where a report states none.
    #[serde(default)]
    pub thresholds: Budget,
    pub items: Vec<RubricItem>,
}

impl Rubric {
    /// A rubric without items, for a file that belongs to no lab: it can be examined and earns nothing.
    pub fn empty() -> Self {
        Self { rule: DecisionRule::None, gpu_provenance: Vec::new(), thresholds: Budget::default(), items: Vec::new() }
    }

    /// Points that a report can earn in a part.
    pub fn possible(&self, part: Part) -> u32 {
        self.items.iter().filter(|item| item.part == part).map(|item| item.points).fold(0, u32::saturating_add)
    }

    /// What is wrong with it, in one sentence each; empty for a sound rubric.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for item in &self.items {
            if !seen.insert(item.id.as_str()) {
                problems.push(format!("rubric item `{}` is there twice", item.id));
            }
            if item.points == 0 {
                problems.push(format!("rubric item `{}` is worth 0 points", item.id));
            }
            if item.title.zh.trim().is_empty() || item.title.en.trim().is_empty() {
                problems.push(format!("rubric item `{}` needs a title in zh and en", item.id));
            }
            if item.checks.is_empty() && item.needs.is_empty() {
                problems.push(format!("rubric item `{}` names no check", item.id));
            }
            for id in item.checks.iter().chain(&item.needs) {
                if crate::check::rule(id).is_none() {
                    problems.push(format!("rubric item `{}` names the unknown check `{id}`", item.id));
                }
            }
        }
        if self.items.is_empty() {
            problems.push("the rubric has no items".to_owned());
        }
        for id in &self.gpu_provenance {
            if !crate::Provenance::IDS.contains(&id.as_str()) {
                problems.push(format!("gpu_provenance names `{id}`; it knows {}", crate::Provenance::IDS.join(", ")));
            }
        }
        problems
    }
}
