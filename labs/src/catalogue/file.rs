//! The format of `lab.toml`. Read by the build script and by the crate.
//!
//! ```toml
//! id = "rmsnorm"                       # the folder's name
//! kind = "program"                     # or "report_only": run elsewhere, handed in as a report
//! task = "task1"                       # a Task of content/course.toml
//! shapes = ["v1"]                      # ids of evidence::Shape
//! backends = ["cpu", "wgpu", "cuda"]   # a program's; left out for report_only
//! timeout_s = 120                      # a program's; left out for report_only
//! title = { zh = "RMSNorm 融合", en = "Fused RMSNorm" }
//! summary = { zh = "…", en = "…" }
//!
//! [[params]]                           # what a run can be given; left out if nothing
//! name = "rows"
//! default = 4096
//! min = 1
//! max = 65536
//!
//! [exercise]                           # a kernel that a learner may write; it starts as `exercise.cu`
//! kernel = "rmsnorm_fused"
//! text = { zh = "…", en = "…" }
//!
//! [presets.smoke]                      # a run of at most 0.3 s, which every program has; other presets as it likes
//! rows = 64
//!
//! [[kernels]]                          # what one launch must move and compute at least
//! name = "rmsnorm_fused"
//! given = []                           # names of its formulas beside the parameters
//! bytes = "4 * (2*rows*hidden + hidden)"
//! flops = "rows * (4*hidden + 3)"
//!
//! [rubric]                             # see evidence::Rubric
//! rule = "kernel_pair"
//! gpu_provenance = ["runner"]
//!
//! [rubric.thresholds]                  # an evidence::Budget
//! min_speedup = 1.10
//!
//! [[rubric.items]]
//! id = "correct"
//! points = 4
//! part = "cpu"
//! title = { zh = "结果正确", en = "The result is right" }
//! checks = ["metric_not_a_number", "kernel_error_within_tolerance", "kernel_bytes_agree", "ledger_reconciles"]
//!
//! [[rubric.items]]
//! id = "decision"
//! points = 2
//! part = "cpu"
//! title = { zh = "结论可由数字复现", en = "The decision follows from the numbers" }
//! checks = ["decision_present", "baseline_usable", "decision_confirmed"]
//!
//! [[rubric.items]]
//! id = "measured"
//! points = 4
//! part = "gpu"
//! title = { zh = "GPU 实测", en = "Measured on a GPU" }
//! checks = ["kernel_timed", "runs_recorded"]
//! ```

use std::collections::BTreeMap;

use evidence::{Phrase, Rubric, Shape};
use serde::{Deserialize, Serialize};

use super::formula::Formula;

/// Whether a lab brings its own program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabKind {
    /// The runner executes it.
    Program,
    /// It is run elsewhere; its report is handed in.
    ReportOnly,
}

/// An integer that a program can be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    pub name: String,
    pub default: u64,
    pub min: u64,
    pub max: u64,
}

/// A kernel that a learner may write in the place of the lab's own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExerciseTable {
    pub kernel: String,
    pub text: Phrase,
}

/// What a launch of a kernel costs by its formulas: each thing read or written once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCost {
    pub name: String,
    #[serde(default)]
    pub given: Vec<String>,
    pub bytes: String,
    pub flops: String,
}

/// Values of parameters under a name.
pub type Presets = BTreeMap<String, BTreeMap<String, u64>>;

/// A `lab.toml` as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabFile {
    pub id: String,
    pub kind: LabKind,
    pub task: String,
    pub shapes: Vec<String>,
    #[serde(default)]
    pub backends: Vec<String>,
    #[serde(default)]
    pub timeout_s: u64,
    pub title: Phrase,
    pub summary: Phrase,
    #[serde(default)]
    pub params: Vec<Param>,
    pub exercise: Option<ExerciseTable>,
    #[serde(default)]
    pub presets: Presets,
    #[serde(default)]
    pub kernels: Vec<KernelCost>,
    pub rubric: Rubric,
}

const BACKENDS: [&str; 3] = ["cpu", "wgpu", "cuda"];

impl LabFile {
    /// What is wrong with it, one sentence each. Only the build script asks.
    #[allow(dead_code)]
    pub fn problems(&self, folder: &str) -> Vec<String> {
        let mut problems = self.rubric.problems();
        let mut wrong = |problem: String| problems.push(problem);
        if self.id != folder {
            wrong(format!("id is `{}`, but the folder is `{folder}`", self.id));
        }
        // `task6a` and `task6b` are the two halves of the last Task.
        let task = self.task.strip_prefix("task").map(|n| n.trim_end_matches(['a', 'b']));
        if task.and_then(|n| n.parse::<u8>().ok()).is_none_or(|n| n > 6) {
            wrong(format!("task is `{}`; it is one of task0 … task6b", self.task));
        }
        for (name, text) in [("title", &self.title), ("summary", &self.summary)] {
            if text.zh.trim().is_empty() || text.en.trim().is_empty() {
                wrong(format!("{name} needs zh and en"));
            }
        }
        if self.shapes.is_empty() {
            wrong("shapes is empty: no report could be handed in".to_owned());
        }
        for shape in self.shapes.iter().filter(|id| Shape::from_id(id).is_none()) {
            let known: Vec<&str> = Shape::GRADED.iter().map(|shape| shape.id()).collect();
            wrong(format!("shapes names `{shape}`; it knows {}", known.join(", ")));
        }
        match self.kind {
            LabKind::Program if self.backends.is_empty() || self.timeout_s == 0 => {
                wrong("a program needs backends and a timeout_s above 0".to_owned());
            }
            LabKind::ReportOnly if !self.backends.is_empty() || self.timeout_s != 0 || !self.params.is_empty() => {
                wrong("a report_only lab has no backends, no timeout_s and no params".to_owned());
            }
            _ => {}
        }
        for backend in self.backends.iter().filter(|id| !BACKENDS.contains(&id.as_str())) {
            wrong(format!("backends names `{backend}`; it knows {}", BACKENDS.join(", ")));
        }
        if let Some(exercise) = &self.exercise {
            if self.kind != LabKind::Program || exercise.kernel.trim().is_empty() {
                wrong("an exercise names a kernel of a program".to_owned());
            }
            if exercise.text.zh.trim().is_empty() || exercise.text.en.trim().is_empty() {
                wrong("the exercise's text needs zh and en".to_owned());
            }
        }
        if (self.kind == LabKind::Program) != self.presets.contains_key("smoke") {
            wrong("a program, and no other lab, has [presets.smoke]: a run of at most 0.3 s".to_owned());
        }
        for (preset, values) in &self.presets {
            for (name, value) in values {
                match self.params.iter().find(|param| param.name == *name) {
                    Some(param) if (param.min..=param.max).contains(value) => {}
                    Some(param) => {
                        wrong(format!("preset `{preset}`: {name} = {value} is outside {}..={}", param.min, param.max));
                    }
                    None => wrong(format!("preset `{preset}` names `{name}`, which is no parameter")),
                }
            }
        }
        for kernel in &self.kernels {
            let known = |name: &str| {
                let known = kernel.given.iter().chain(self.params.iter().map(|param| &param.name)).any(|it| it == name);
                known.then_some(1)
            };
            for (field, text) in [("bytes", &kernel.bytes), ("flops", &kernel.flops)] {
                if let Err(error) = Formula::parse(text).and_then(|formula| formula.value(&known)) {
                    wrong(format!("kernel `{}`: {field} `{text}`: {error}", kernel.name));
                }
            }
        }
        for param in &self.params {
            if !(param.min..=param.max).contains(&param.default) {
                wrong(format!(
                    "param `{}`: default {} is outside {}..={}",
                    param.name, param.default, param.min, param.max
                ));
            }
        }
        problems
    }
}
