//! Lab 73: a baseline and a tuned run.

use super::{MIN_SAVING_BYTES, MIN_STEP_SAVING_MS, baseline_missing, concluded};
use crate::import::mib;
use crate::report::Budget;
use crate::{Decision, Document, Word};

/// The differences of a pair; positive is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// Positions of both in the report's candidates, if both are usable.
    pub(crate) sides: Option<(usize, usize)>,
    pub(crate) time_ms: Option<f64>,
    pub(crate) memory_mib: Option<f64>,
    pub(crate) samples_per_s: Option<f64>,
    pub(crate) min_time_ms: f64,
    pub(crate) min_memory_mib: f64,
}

/// The course rounds its differences to two decimals before it compares them.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl Pair {
    pub(super) fn of(doc: &Document, limits: &Budget) -> Self {
        let candidates = &doc.report.candidates;
        let usable = |index: &usize| candidates[*index].metrics.step_time_ms.is_some();
        let baseline = candidates.iter().position(|c| c.is_baseline()).filter(usable);
        let tuned = candidates.iter().position(|c| !c.is_baseline()).filter(usable);
        let sides = baseline.zip(tuned);
        let of = |read: fn(&crate::Metrics) -> Option<f64>| {
            sides.and_then(|(a, b)| Some((read(&candidates[a].metrics)?, read(&candidates[b].metrics)?)))
        };
        Self {
            sides,
            time_ms: of(|m| m.step_time_ms).map(|(a, b)| a - b),
            memory_mib: of(|m| m.peak_allocated_bytes.map(mib)).map(|(a, b)| a - b),
            samples_per_s: of(|m| m.samples_per_s).map(|(a, b)| b - a),
            min_time_ms: limits.min_step_time_saving_ms.unwrap_or(MIN_STEP_SAVING_MS),
            min_memory_mib: mib(limits.min_memory_saving_bytes.unwrap_or(MIN_SAVING_BYTES)),
        }
    }

    pub(super) fn decide(&self) -> Decision {
        let Some(time) = self.time_ms else { return baseline_missing() };
        let memory = self.memory_mib.unwrap_or(0.0);
        if rounded(time) >= self.min_time_ms && rounded(memory) >= self.min_memory_mib {
            concluded(Word::Accept, "time_and_memory_gain_reach_thresholds", "promote_to_training_run")
        } else if time > 0.0 || memory > 0.0 {
            concluded(Word::Tune, "gain_below_thresholds", "continue_with_76_memory_strategies")
        } else {
            concluded(Word::Reject, "no_gain_in_time_or_memory", "keep_baseline")
        }
    }
}
