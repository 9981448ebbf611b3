//! A kernel lab: one variant against the baseline.

use super::{MIN_SPEEDUP, baseline_missing, concluded};
use crate::report::Budget;
use crate::{Candidate, Decision, Document, Status, Word};

/// Whether a variant's result is right: it finished, and its error is within its tolerance.
pub(crate) fn is_right(candidate: &Candidate, limits: &Budget) -> bool {
    let quality = &candidate.quality;
    let error = quality.max_rel_error.or(quality.max_abs_error);
    let tolerance = quality.tolerance.or(limits.max_abs_error);
    candidate.status == Status::Ok
        && match (error, tolerance) {
            (Some(error), Some(tolerance)) => error <= tolerance,
            _ => false,
        }
}

pub(super) fn decide(doc: &Document, limits: &Budget) -> Decision {
    let candidates = &doc.report.candidates;
    let Some(baseline) = candidates.iter().find(|c| c.is_baseline()) else { return baseline_missing() };
    let Some(candidate) = candidates.iter().find(|c| !c.is_baseline()) else { return baseline_missing() };
    if candidate.status == Status::Oom {
        return concluded(Word::Reject, "candidate_out_of_memory", "choose a smaller shape");
    }
    if baseline.status == Status::Oom {
        return concluded(Word::Tune, "baseline_out_of_memory", "compare at a shape that both variants fit");
    }
    if !is_right(candidate, limits) {
        return concluded(Word::Reject, "wrong_result", "mend the kernel before timing it again");
    }
    if is_right(baseline, limits) && baseline.metrics.time_ms.is_none() && candidate.metrics.time_ms.is_none() {
        return concluded(Word::Tune, "not_timed", "time both on a GPU");
    }
    let (Some(slow), Some(fast)) = (baseline.metrics.time_ms, candidate.metrics.time_ms) else {
        return baseline_missing();
    };
    let least = limits.min_speedup.unwrap_or(MIN_SPEEDUP);
    let speedup = slow / fast;
    if speedup >= least {
        concluded(Word::Accept, "faster", "adopt the fused kernel for this shape")
    } else if speedup * least <= 1.0 {
        concluded(Word::Reject, "slower", "keep the separate passes for this shape")
    } else {
        concluded(Word::Tune, "within_noise", "measure a larger shape or for longer")
    }
}
