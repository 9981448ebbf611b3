//! The decision, recomputed from the numbers and the thresholds of a report. What the report says plays no part.

mod architecture;
mod fine_tuning;
mod kernel;
mod pair;
pub(crate) mod parallel;
mod profiling;
pub(crate) mod published;
mod quantised;
pub(crate) mod serving;
pub(crate) mod sides;
mod strategy;

use crate::report::Budget;
use crate::rubric::{DecisionRule, Rubric};
use crate::stage::Stage;
use crate::{Decision, Document, Report, Word};

pub(crate) use pair::Pair;
pub(crate) use profiling::{Change, Traces};
pub(crate) use strategy::{Limits, Strategy, Verdict, fast_enough, fits, good_enough};

/// 512 MiB: what counts as a saving when a report states nothing else.
pub(crate) const MIN_SAVING_BYTES: u64 = 512 * 1024 * 1024;
/// The throughput that must remain.
pub(crate) const MIN_RATIO: f64 = 0.70;
/// What counts as faster, milliseconds per step.
pub(crate) const MIN_STEP_SAVING_MS: f64 = 10.0;
/// What counts as faster for a kernel.
pub(crate) const MIN_SPEEDUP: f64 = 1.10;

/// How the decision came about; the checks of the summary are held against it.
#[derive(Debug, Clone)]
pub(crate) enum Basis {
    Pair(Pair),
    Strategy(Strategy),
    Kernel,
    Change(Change),
    Traces(Traces),
    FineTuning,
    /// A rule that the course publishes for inference or several devices.
    Published(sides::Compared),
    /// Nothing to decide: a probe, or a lab without a rule.
    Nothing,
}

#[derive(Debug, Clone)]
pub(crate) struct Recomputed {
    pub(crate) basis: Basis,
    pub(crate) decision: Option<Decision>,
}

/// Recomputes the decision of a document under a rubric's rule.
pub(crate) fn recompute(doc: &Document, rubric: &Rubric, linked: &[&Document]) -> Recomputed {
    let limits = merged(doc.report.budget.as_ref(), &rubric.thresholds);
    if let Some(recomputed) = published::recompute(doc, rubric.rule, &limits, linked) {
        return recomputed;
    }
    match rubric.rule {
        _ if doc.is_stage(Stage::Probe) => Recomputed { basis: Basis::Nothing, decision: None },
        DecisionRule::Profiling => match doc.stage() {
            Some(Stage::Merge) => {
                let traces = Traces::of(&doc.raw);
                Recomputed { decision: Some(traces.decide()), basis: Basis::Traces(traces) }
            }
            // A profile alone can only ask for its traces to be read.
            Some(Stage::Profile) => Recomputed { decision: Some(profiling::interpret()), basis: Basis::Nothing },
            // A report in our own schema has a baseline and a candidate as well.
            Some(Stage::Change) | None => {
                let change = Change::of(doc, &limits);
                Recomputed { decision: Some(change.decide()), basis: Basis::Change(change) }
            }
            _ => Recomputed { basis: Basis::Nothing, decision: None },
        },
        DecisionRule::FineTuning => Recomputed { decision: Some(fine_tuning::decide(doc)), basis: Basis::FineTuning },
        DecisionRule::None => Recomputed { basis: Basis::Nothing, decision: None },
        DecisionRule::TrainingPair => {
            let pair = Pair::of(doc, &limits);
            Recomputed { decision: Some(pair.decide()), basis: Basis::Pair(pair) }
        }
        DecisionRule::MemoryStrategy => {
            let limits = Limits::of(&limits, doc);
            let strategy = Strategy::of(doc, &limits);
            let decision = limits.usable().then(|| strategy.decide(&limits, doc.is_stage(Stage::Budget)));
            Recomputed { decision, basis: Basis::Strategy(strategy) }
        }
        DecisionRule::KernelPair | DecisionRule::KernelMemory => {
            Recomputed { decision: conclude(&doc.report, rubric.rule, &rubric.thresholds), basis: Basis::Kernel }
        }
        _ => Recomputed { basis: Basis::Nothing, decision: None },
    }
}

/// What the numbers of a kernel lab's report decide: the rule by which it is also graded. `None` for any other rule.
pub fn conclude(report: &Report, rule: DecisionRule, thresholds: &Budget) -> Option<Decision> {
    let limits = merged(report.budget.as_ref(), thresholds);
    match rule {
        DecisionRule::KernelPair => Some(kernel::pair(&report.candidates, &limits)),
        DecisionRule::KernelMemory => Some(kernel::smallest(&report.candidates, &limits)),
        _ => None,
    }
}

/// The report's own limits, completed by the rubric's. What counts as a gain is the lab's to say: a report may ask for
/// more of itself, never for less. The budget (cap, rate, loss) is the report's own.
pub(crate) fn merged(own: Option<&Budget>, lab: &Budget) -> Budget {
    let own = own.cloned().unwrap_or_default();
    Budget {
        memory_cap_bytes: own.memory_cap_bytes.or(lab.memory_cap_bytes),
        min_samples_per_s: own.min_samples_per_s.or(lab.min_samples_per_s),
        min_memory_saving_bytes: own.min_memory_saving_bytes.max(lab.min_memory_saving_bytes),
        min_throughput_ratio: at_least(own.min_throughput_ratio, lab.min_throughput_ratio),
        max_eval_loss: own.max_eval_loss.or(lab.max_eval_loss),
        min_step_time_saving_ms: at_least(own.min_step_time_saving_ms, lab.min_step_time_saving_ms),
        min_speedup: at_least(own.min_speedup, lab.min_speedup),
        max_abs_error: at_most(own.max_abs_error, lab.max_abs_error),
        serving: match (&own.serving, &lab.serving) {
            (Some(own), Some(lab)) => Some(own.stricter(lab)),
            (own, lab) => own.clone().or_else(|| lab.clone()),
        },
    }
}

/// The larger of two lower limits; the one that is there.
pub(crate) fn at_least(own: Option<f64>, lab: Option<f64>) -> Option<f64> {
    own.zip(lab).map(|(own, lab)| own.max(lab)).or(own).or(lab)
}

/// The smaller of two upper limits; the one that is there.
pub(crate) fn at_most(own: Option<f64>, lab: Option<f64>) -> Option<f64> {
    own.zip(lab).map(|(own, lab)| own.min(lab)).or(own).or(lab)
}

pub(crate) fn concluded(decision: Word, reason: &str, next_action: &str) -> Decision {
    Decision { decision, reason: reason.to_owned(), next_action: Some(next_action.to_owned()) }
}

pub(crate) fn baseline_missing() -> Decision {
    concluded(Word::Reject, "baseline_missing_or_invalid", "rerun_baseline_before_comparing_candidates")
}
