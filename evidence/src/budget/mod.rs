//! Lab 75 as a tool: the decision of a report under a grid of limits, and which limit flips it.
//!
//! The axes are the memory cap, the floor of the throughput and the ceiling of the held-out loss. What else the rule
//! asks for (the smallest saving, the throughput ratio) stays as the report states it. Every scenario is decided by the
//! published rule that also grades labs 75 and 76, so a scenario equals the grade of a report with those limits.

mod error;
mod flips;
mod level;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::decide::{Limits, Strategy};
use crate::report::Budget;
use crate::stage::Stage;
use crate::{Document, Shape, Word, Workload};

pub use error::BudgetError;
pub use flips::{Amount, Flip, Piece, Sweep};
pub use level::{Axes, Level, MAX_LEVELS};

/// A limit that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Axis {
    /// The highest allowed peak of allocated memory, bytes.
    Memory,
    /// The lowest allowed throughput, samples per second.
    Throughput,
    /// The highest allowed held-out loss, nats.
    Loss,
}

impl Axis {
    pub const ALL: [Axis; 3] = [Axis::Memory, Axis::Throughput, Axis::Loss];

    /// Its name as an input: `caps`, `rates`, `losses`.
    pub const fn input(self) -> &'static str {
        match self {
            Axis::Memory => "caps",
            Axis::Throughput => "rates",
            Axis::Loss => "losses",
        }
    }
}

/// What the rule says under some limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Conclusion {
    /// Names of the feasible candidates, the best first: by peak, then throughput, then loss.
    pub feasible: Vec<String>,
    pub best: Option<String>,
    pub decision: Word,
    /// Reason code of the rule.
    pub reason: String,
    pub next_action: Option<String>,
}

impl Conclusion {
    /// Decides a document under limits.
    pub(crate) fn under(doc: &Document, limits: &Limits) -> Self {
        let strategy = Strategy::of(doc, limits);
        let decision = strategy.decide(limits, doc.is_stage(Stage::Budget));
        let feasible: Vec<String> = strategy.feasible.iter().map(|index| strategy.rows[*index].name.clone()).collect();
        Self {
            best: feasible.first().cloned(),
            feasible,
            decision: decision.decision,
            reason: decision.reason,
            next_action: decision.next_action,
        }
    }
}

/// One cell of the grid. A limit that is absent limits nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Scenario {
    pub memory_cap_bytes: Option<u64>,
    pub min_samples_per_s: Option<f64>,
    pub max_eval_loss: Option<f64>,
    #[serde(flatten)]
    pub conclusion: Conclusion,
}

/// A level of an axis: as it was written, and what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// `9500`, `0.7x`, `+2%`; empty where nothing limits.
    pub level: String,
    pub amount: Option<Amount>,
}

/// The limits that the report itself states, completed by its lab's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OwnLimits {
    pub memory_cap_bytes: Option<u64>,
    pub min_samples_per_s: Option<f64>,
    pub max_eval_loss: Option<f64>,
    pub min_memory_saving_bytes: u64,
    pub min_throughput_ratio: f64,
}

/// The baseline's numbers, to which relative levels refer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Reference {
    pub peak_allocated_bytes: Option<u64>,
    pub samples_per_s: Option<f64>,
    pub eval_loss: Option<f64>,
}

/// What the scenarios have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Summary {
    pub scenario_count: usize,
    pub decision_counts: BTreeMap<String, u64>,
    /// By name; `<none>` where nothing is feasible.
    pub best_candidate_counts: BTreeMap<String, u64>,
    pub feasible_set_counts: BTreeMap<String, u64>,
    pub decision_stable: bool,
    pub best_candidate_stable: bool,
    pub feasible_set_stable: bool,
    /// `stable` when all three are, otherwise `sensitive_to_thresholds`.
    pub interpretation: &'static str,
}

/// The grid of one report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Grid {
    /// SHA-256 of the report's bytes.
    pub sha256: String,
    /// The report's shape: `lab76`, `lab75`, `v1` …
    pub shape: &'static str,
    /// Absent when there is no usable baseline: then the rule rejects whatever the limits are.
    pub baseline: Option<Reference>,
    pub limits: OwnLimits,
    /// The decision under the report's own limits; absent when it limits neither memory nor throughput.
    pub own: Option<Conclusion>,
    pub caps: Vec<Step>,
    pub rates: Vec<Step>,
    pub losses: Vec<Step>,
    /// Axes whose relative levels have nothing to refer to; they limit nothing here.
    pub without_reference: Vec<Axis>,
    /// Every combination: caps outermost, losses innermost.
    pub scenarios: Vec<Scenario>,
    pub summary: Summary,
    /// One axis at a time, the others as the report states them: where the decision changes.
    pub sweeps: Vec<Sweep>,
}

impl Grid {
    /// The scenario of three positions in the axes.
    pub fn at(&self, cap: usize, rate: usize, loss: usize) -> Option<&Scenario> {
        let (rates, losses) = (self.rates.len(), self.losses.len());
        (rate < rates && loss < losses).then(|| self.scenarios.get((cap * rates + rate) * losses + loss)).flatten()
    }

    /// Where the word of the decision changes, over all axes.
    pub fn flips(&self) -> impl Iterator<Item = &Flip> {
        self.sweeps.iter().flat_map(|sweep| &sweep.flips)
    }
}

/// Whether a report compares strategies, so that a grid can be drawn for it.
pub fn applies(doc: &Document) -> bool {
    let strategies = doc.shape == Shape::V1 || doc.is_stage(Stage::Strategies) || doc.is_stage(Stage::Budget);
    strategies && matches!(doc.report.workload, Workload::Training(_)) && !doc.report.candidates.is_empty()
}

/// The grid of a report. `limits` are the report's own, as [`crate::limits`] gives them.
///
/// # Errors
/// [`BudgetError::NotStrategies`] for a report without strategies, [`BudgetError::NothingLimits`] when neither memory
/// nor throughput would be limited.
pub fn grid(doc: &Document, limits: &Budget, axes: &Axes) -> Result<Grid, BudgetError> {
    if !applies(doc) {
        return Err(BudgetError::NotStrategies { shape: doc.shape });
    }
    let own = Limits::of(limits, doc);
    let baseline = Strategy::of(doc, &own).baseline.map(|index| {
        let candidate = &doc.report.candidates[index];
        Reference {
            peak_allocated_bytes: candidate.metrics.peak_allocated_bytes,
            samples_per_s: candidate.metrics.samples_per_s,
            eval_loss: candidate.quality.eval_loss,
        }
    });
    let mut without_reference = Vec::new();
    let [caps, rates, losses] = Axis::ALL.map(|axis| {
        let reference = baseline.and_then(|baseline| baseline.of(axis));
        let steps = steps(axes.of(axis), axis, reference);
        steps.unwrap_or_else(|| {
            without_reference.push(axis);
            vec![Step { level: String::new(), amount: None }]
        })
    });
    let limited = |steps: &[Step]| steps.iter().all(|step| step.amount.is_some());
    if baseline.is_some() && !limited(&caps) && !limited(&rates) {
        return Err(BudgetError::NothingLimits);
    }
    let mut scenarios = Vec::with_capacity(caps.len() * rates.len() * losses.len());
    for cap in &caps {
        for rate in &rates {
            for loss in &losses {
                scenarios.push(scenario(doc, own, [cap.amount, rate.amount, loss.amount]));
            }
        }
    }
    Ok(Grid {
        sha256: doc.sha256.clone(),
        shape: doc.shape.id(),
        baseline,
        limits: OwnLimits {
            memory_cap_bytes: own.cap,
            min_samples_per_s: own.min_samples_per_s,
            max_eval_loss: own.max_eval_loss,
            min_memory_saving_bytes: own.min_saving,
            min_throughput_ratio: own.min_ratio,
        },
        own: own.usable().then(|| Conclusion::under(doc, &own)),
        summary: summary(&scenarios),
        sweeps: Axis::ALL.iter().filter_map(|axis| flips::sweep(doc, own, *axis)).collect(),
        caps,
        rates,
        losses,
        without_reference,
        scenarios,
    })
}

impl Reference {
    /// The number that relative levels of an axis refer to.
    fn of(&self, axis: Axis) -> Option<f64> {
        match axis {
            Axis::Memory => self.peak_allocated_bytes.map(|bytes| bytes as f64),
            Axis::Throughput => self.samples_per_s,
            Axis::Loss => self.eval_loss,
        }
    }
}

/// The levels of an axis as amounts; none when a relative one has nothing to refer to.
fn steps(levels: &[Level], axis: Axis, reference: Option<f64>) -> Option<Vec<Step>> {
    if levels.is_empty() {
        return Some(vec![Step { level: String::new(), amount: None }]);
    }
    let step = |level: &Level| {
        let number = level.resolve(axis, reference)?;
        let amount = match axis {
            // A cast of a float saturates; levels are bounded far below.
            Axis::Memory => Amount::Bytes(number.round() as u64),
            Axis::Throughput | Axis::Loss => Amount::Number(number),
        };
        Some(Step { level: level.to_string(), amount: Some(amount) })
    };
    levels.iter().map(step).collect()
}

fn scenario(doc: &Document, own: Limits, [cap, rate, loss]: [Option<Amount>; 3]) -> Scenario {
    let limits = Limits {
        cap: cap.and_then(Amount::bytes),
        min_samples_per_s: rate.and_then(Amount::number),
        max_eval_loss: loss.and_then(Amount::number),
        ..own
    };
    Scenario {
        memory_cap_bytes: limits.cap,
        min_samples_per_s: limits.min_samples_per_s,
        max_eval_loss: limits.max_eval_loss,
        conclusion: Conclusion::under(doc, &limits),
    }
}

const NONE: &str = "<none>";

fn summary(scenarios: &[Scenario]) -> Summary {
    fn counted<'a>(keys: impl Iterator<Item = &'a str>) -> BTreeMap<String, u64> {
        keys.fold(BTreeMap::new(), |mut counts, key| {
            *counts.entry(key.to_owned()).or_default() += 1;
            counts
        })
    }
    let sets: Vec<String> = scenarios
        .iter()
        .map(|scenario| match scenario.conclusion.feasible.join(",") {
            set if set.is_empty() => NONE.to_owned(),
            set => set,
        })
        .collect();
    let decisions = counted(scenarios.iter().map(|scenario| scenario.conclusion.decision.id()));
    let bests = counted(scenarios.iter().map(|scenario| scenario.conclusion.best.as_deref().unwrap_or(NONE)));
    let sets = counted(sets.iter().map(String::as_str));
    let [decision_stable, best_candidate_stable, feasible_set_stable] =
        [&decisions, &bests, &sets].map(|counts| counts.len() <= 1);
    let stable = decision_stable && best_candidate_stable && feasible_set_stable;
    Summary {
        scenario_count: scenarios.len(),
        decision_counts: decisions,
        best_candidate_counts: bests,
        feasible_set_counts: sets,
        decision_stable,
        best_candidate_stable,
        feasible_set_stable,
        interpretation: if stable { "stable" } else { "sensitive_to_thresholds" },
    }
}
