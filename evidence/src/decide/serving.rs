//! Labs 66, 68, 69 and 70: one change against a serving baseline, by the course's rules.
//!
//! A number that a rule needs and neither run states decides nothing; one that a gate alone needs keeps the gate shut.

use super::concluded;
use super::sides::Sides;
use crate::report::Budget;
use crate::{Candidate, Decision, PrefixCache, Serving, Speculative, Word};

/// Share of a phase from which a run is bound by it, and of the memory budget from which it is bound by memory.
const HEAVY: f64 = 0.6;
const FULL: f64 = 0.9;

fn serving(run: &Candidate) -> Option<&Serving> {
    run.metrics.serving.as_ref()
}

fn tokens_per_s(run: &Candidate) -> Option<f64> {
    serving(run)?.output_tokens_per_s
}

fn ttft(run: &Candidate) -> Option<f64> {
    serving(run)?.ttft_ms.typical()
}

/// What a run is bound by, where its numbers tell: memory near its budget, else the phase that takes most of the time.
/// Without the shares of a simulator they follow from the first token's time and the whole: prefill is the one,
/// decoding the rest.
pub(crate) fn bottleneck(run: &Candidate, limits: &Budget) -> Option<&'static str> {
    let near = |peak: u64| limits.memory_cap_bytes.is_some_and(|cap| peak as f64 >= FULL * cap as f64);
    if run.metrics.peak_allocated_bytes.is_some_and(near) {
        return Some("memory_bound");
    }
    let serving = serving(run)?;
    let measured = serving.ttft_ms.typical().zip(serving.e2e_ms.typical()).filter(|(_, whole)| *whole > 0.0);
    let prefill = serving.prefill_share.or(measured.map(|(first, whole)| first / whole))?;
    let decode = serving.decode_share.unwrap_or(1.0 - prefill);
    Some(if prefill >= HEAVY {
        "prefill_bound"
    } else if decode >= HEAVY {
        "decode_bound"
    } else {
        "balanced"
    })
}

/// Lab 66: throughput gains enough and the first token does not come much later.
pub(super) fn load(sides: Sides<'_>, limits: &Budget) -> Option<Decision> {
    let (before, after) = tokens_per_s(sides.baseline).zip(tokens_per_s(sides.candidate))?;
    if before <= 0.0 {
        return None;
    }
    let own = limits.serving.clone().unwrap_or_default();
    let gain = (after - before) / before;
    let later = ttft(sides.candidate).zip(ttft(sides.baseline)).map(|(after, before)| after - before);
    let enough = gain >= own.min_throughput_gain_ratio.unwrap_or(0.10);
    let prompt = later.is_some_and(|later| later <= own.max_ttft_regression_ms.unwrap_or(20.0));
    Some(if enough && prompt {
        concluded(Word::Accept, "throughput_gain_within_ttft_budget", "promote_to_repeated_measurement")
    } else if gain > 0.0 && bottleneck(sides.candidate, limits) != Some("balanced") {
        let reason = match (enough, later) {
            (true, None) => "ttft_not_measured",
            (true, Some(_)) => "ttft_regression_exceeds_budget",
            (false, _) => "throughput_gain_below_threshold",
        };
        concluded(Word::Tune, reason, "tune_the_bottleneck_and_measure_again")
    } else {
        concluded(Word::Reject, "no_gain_worth_its_ttft", "keep_baseline")
    })
}

/// Lab 68: quality first, then the gain and what is accepted, then what verifying costs.
pub(super) fn speculative(sides: Sides<'_>, limits: &Budget, quality_failed: bool) -> Option<Decision> {
    if quality_failed {
        return Some(concluded(Word::Reject, "quality_gate_failed", "fallback_to_baseline"));
    }
    let gain = rate(sides.candidate)? - rate(sides.baseline)?;
    let spec = sides.candidate.metrics.speculative.clone().unwrap_or_default();
    let accepted = acceptance(&spec)?;
    let own = limits.serving.clone().unwrap_or_default();
    if gain <= 0.0 || accepted < own.min_acceptance_rate.unwrap_or(0.6) {
        return Some(concluded(Word::Reject, "acceptance_or_throughput_too_low", "fallback_to_baseline"));
    }
    let before = sides.baseline.metrics.speculative.as_ref().and_then(|spec| spec.verify_cost_ms).unwrap_or(0.0);
    let overhead = spec.verify_cost_ms.map(|cost| cost - before);
    Some(match overhead {
        Some(overhead) if overhead <= own.max_verify_cost_ms.unwrap_or(10.0) => {
            concluded(Word::Accept, "gain_acceptance_and_verify_cost_hold", "promote_to_serving_eval")
        }
        Some(_) => concluded(Word::Tune, "verify_cost_too_high", "refine_draft_or_verify"),
        None => concluded(Word::Tune, "verify_cost_not_measured", "refine_draft_or_verify"),
    })
}

/// The rate as stated, else requests a second.
fn rate(run: &Candidate) -> Option<f64> {
    tokens_per_s(run).or_else(|| serving(run)?.requests_per_s)
}

/// Accepted of proposed: as stated, else from the counts.
pub(crate) fn acceptance(spec: &Speculative) -> Option<f64> {
    spec.acceptance_rate.or_else(|| {
        let (accepted, proposed) = spec.accepted_tokens.zip(spec.proposed_tokens)?;
        (proposed > 0).then(|| accepted as f64 / proposed as f64)
    })
}

/// Lab 69: prefixes are found, the first token comes earlier, and keeping them costs little.
pub(super) fn prefix_cache(sides: Sides<'_>, limits: &Budget) -> Option<Decision> {
    let own = limits.serving.clone().unwrap_or_default();
    let (after, before) = ttft(sides.candidate).zip(ttft(sides.baseline))?;
    let empty = PrefixCache::default();
    let cache = sides.candidate.metrics.prefix_cache.as_ref().unwrap_or(&empty);
    let Some(hit) = cache.hit_rate else {
        // A faster first token is no evidence of a hit.
        return Some(concluded(Word::Tune, "hit_rate_not_measured", "refine_chunk_or_eviction_policy"));
    };
    let earlier = sides.baseline.metrics.prefix_cache.as_ref();
    let gain = hit - earlier.and_then(|cache| cache.hit_rate).unwrap_or(0.0);
    if gain < own.min_hit_rate_gain.unwrap_or(0.5) || after >= before {
        return Some(concluded(Word::Reject, "hit_rate_or_ttft_gain_too_small", "fallback_to_no_cache"));
    }
    let before = earlier.and_then(|cache| cache.overhead).unwrap_or(0.0);
    Some(match cache.overhead.map(|cost| cost - before) {
        // Two decimals of the course's own fixture are not exact in binary.
        Some(overhead) if overhead <= own.max_overhead.unwrap_or(0.1) + 1e-9 => {
            concluded(Word::Accept, "hits_ttft_and_overhead_hold", "promote_to_serving_eval")
        }
        Some(_) => concluded(Word::Tune, "overhead_too_high", "refine_chunk_or_eviction_policy"),
        None => concluded(Word::Tune, "overhead_not_measured", "refine_chunk_or_eviction_policy"),
    })
}

/// Lab 70: earlier, no slower by the token, more of them, and fair. A sweep of the load compares no schedulers.
pub(super) fn scheduler(sides: Sides<'_>, limits: &Budget, is_sweep: bool) -> Option<Decision> {
    let own = limits.serving.clone().unwrap_or_default();
    let (before, after) = (serving(sides.baseline)?, serving(sides.candidate)?);
    let gain = after.output_tokens_per_s? - before.output_tokens_per_s?;
    if is_sweep {
        return Some(concluded(
            Word::Tune,
            "load_sensitivity_is_no_scheduler_comparison",
            "refine_queue_rules_or_worker_split",
        ));
    }
    let change =
        |read: fn(&Serving) -> Option<f64>| read(after).zip(read(before)).map(|(after, before)| after - before);
    let earlier = change(|s| s.ttft_ms.typical()).is_some_and(|delta| delta < 0.0);
    let no_slower = change(|s| s.tpot_ms.typical()).is_some_and(|delta| delta <= 0.0);
    let fair = after.fairness.is_some_and(|fairness| fairness >= own.min_fairness.unwrap_or(0.8));
    let busier = change(|s| s.utilization).is_none_or(|delta| delta >= 0.0);
    Some(if earlier && no_slower && fair && gain >= own.min_throughput_gain.unwrap_or(20.0) {
        concluded(Word::Accept, "latency_throughput_and_fairness_hold", "promote_to_serving_rollout")
    } else if gain >= 0.0 && busier {
        let reason = if after.fairness.is_none() { "fairness_not_measured" } else { "fairness_or_latency_unsettled" };
        concluded(Word::Tune, reason, "refine_queue_rules_or_worker_split")
    } else {
        concluded(Word::Reject, "no_scheduling_gain", "fallback_to_scheduler_audit")
    })
}
