//! Kernel labs: one variant against the baseline, or the smallest of several.

use super::{MIN_SPEEDUP, baseline_missing, concluded};
use crate::report::Budget;
use crate::{Candidate, Decision, Status, Word};

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

/// What its fewer bits lose is within the lab's limit. A variant that states no loss loses nothing.
fn keeps_enough(candidate: &Candidate, limits: &Budget) -> bool {
    let most = limits.serving.as_ref().and_then(|limits| limits.max_error);
    let lost = candidate.metrics.quantised.as_ref().and_then(|numbers| numbers.error);
    lost.zip(most).is_none_or(|(lost, most)| lost <= most)
}

pub(super) fn pair(candidates: &[Candidate], limits: &Budget) -> Decision {
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

/// Of the variants that are right and keep enough, the one whose timed phase holds the fewest bytes; of several, the
/// fastest. It is adopted where it is faster as well.
pub(super) fn smallest(candidates: &[Candidate], limits: &Budget) -> Decision {
    let Some(baseline) = candidates.iter().find(|c| c.is_baseline()) else { return baseline_missing() };
    if baseline.status == Status::Oom {
        return concluded(Word::Tune, "baseline_out_of_memory", "compare at a shape that the baseline fits");
    }
    if is_right(baseline, limits) && candidates.iter().all(|candidate| candidate.metrics.time_ms.is_none()) {
        return concluded(Word::Tune, "not_timed", "time the variants");
    }
    let (Some(before), Some(slow)) = (baseline.metrics.peak_allocated_bytes, baseline.metrics.time_ms) else {
        return baseline_missing();
    };
    let usable = |candidate: &&Candidate| !candidate.is_baseline() && is_right(candidate, limits);
    if !candidates.iter().any(|candidate| usable(&candidate)) {
        return concluded(Word::Reject, "no_variant_is_right", "mend the kernels before timing them again");
    }
    let best = candidates
        .iter()
        .filter(|candidate| usable(candidate) && keeps_enough(candidate, limits))
        .filter_map(|candidate| Some((candidate.metrics.peak_allocated_bytes?, candidate.metrics.time_ms?)))
        .min_by(|(few, fast), (more, slower)| few.cmp(more).then(fast.total_cmp(slower)));
    let Some((after, fast)) = best else {
        return concluded(Word::Reject, "none_keeps_enough", "use more bits or finer scales");
    };
    if before.saturating_sub(after) < limits.min_memory_saving_bytes.unwrap_or(1) {
        return concluded(Word::Reject, "no_saving", "keep the baseline's format at this size");
    }
    let least = limits.min_speedup.unwrap_or(MIN_SPEEDUP);
    if slow / fast >= least {
        concluded(Word::Accept, "smaller_and_faster", "adopt the smallest variant that keeps enough")
    } else {
        concluded(Word::Tune, "smaller_not_faster", "weigh the bytes saved against the time, or mend the kernel")
    }
}
