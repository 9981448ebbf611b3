//! Labs 79, 80 and 81: several devices against one, or one way of dividing against another.

use super::concluded;
use super::sides::Sides;
use crate::read::Locate as _;
use crate::report::Budget;
use crate::{Candidate, Decision, Document, Ranks, Status, Word};

fn ranks(run: &Candidate) -> Ranks {
    run.metrics.ranks.clone().unwrap_or_default()
}

/// The slowest rank's step: from the list where there is one.
pub(crate) fn slowest(ranks: &Ranks) -> Option<f64> {
    ranks.step_time_ms.iter().copied().reduce(f64::max).or(ranks.max_step_time_ms)
}

/// The highest peak of any rank.
pub(crate) fn highest(run: &Candidate) -> Option<u64> {
    let ranks = ranks(run);
    let listed = ranks.peak_allocated_bytes.iter().copied().max();
    listed.or(ranks.max_peak_allocated_bytes).or(run.metrics.peak_allocated_bytes)
}

/// Lab 79: a candidate passes when it ran, needs less memory than the baseline, and is not slower by more than the
/// ratio; of those that pass the fastest is taken, then the one that communicates least, then the smallest.
pub(super) fn states(doc: &Document, sides: Sides<'_>, limits: &Budget) -> Option<Decision> {
    let (before, memory) = (slowest(&ranks(sides.baseline))?, highest(sides.baseline)?);
    let least = limits.min_throughput_ratio.unwrap_or(super::MIN_RATIO);
    let others = doc.report.candidates.iter().filter(|run| !run.is_baseline());
    let measured: Vec<(&Candidate, f64, u64)> = others
        .filter(|run| run.status == Status::Ok)
        .filter_map(|run| Some((run, slowest(&ranks(run))?, highest(run)?)))
        .collect();
    if measured.is_empty() {
        return None;
    }
    let smaller = measured.iter().any(|(_, _, peak)| *peak < memory);
    let passes = |(_, step, peak): &&(&Candidate, f64, u64)| *peak < memory && before / *step >= least;
    Some(if measured.iter().any(|run| passes(&run)) {
        concluded(Word::Accept, "state_is_divided_within_throughput", "promote_to_model_scale_run")
    } else if smaller {
        concluded(Word::Tune, "throughput_gate_failed", "refine_stage_or_communication")
    } else {
        concluded(Word::Reject, "memory_gate_failed", "fallback_to_ddp")
    })
}

/// The throughput that experts processed; what a router assigned counts where nothing overflowed.
fn effective(ranks: &Ranks) -> Option<f64> {
    ranks.effective_throughput.or(ranks.throughput).or(ranks.tokens_per_s)
}

/// Lab 80: more tokens really processed, evenly, stably, none dropped, and at a bearable communication.
pub(super) fn experts(sides: Sides<'_>, limits: &Budget) -> Option<Decision> {
    let own = limits.serving.clone().unwrap_or_default();
    let (before, after) = (ranks(sides.baseline), ranks(sides.candidate));
    let Some(gain) = effective(&after).zip(effective(&before)).map(|(after, before)| after - before) else {
        // Steps of the ranks show the mechanism; what was really processed, and how stably, they do not.
        slowest(&after).zip(slowest(&before))?;
        let next = "refine_router_capacity_or_placement";
        return Some(concluded(Word::Tune, "capacity_or_stability_not_measured", next));
    };
    let stable = after.stability.is_some_and(|stability| stability >= own.min_stability.unwrap_or(0.78));
    let even = after.imbalance.is_some_and(|imbalance| imbalance <= own.max_imbalance.unwrap_or(0.15));
    let kept = after.overflow.is_some_and(|overflow| overflow <= own.max_overflow.unwrap_or(0.0));
    let more = after.communication_ms.zip(before.communication_ms).map(|(after, before)| after - before);
    let cheap = more.is_some_and(|more| more <= own.max_communication_ms.unwrap_or(12.0));
    Some(if gain > 0.0 && stable && even && kept && cheap {
        concluded(Word::Accept, "gain_balance_and_stability_hold", "promote_to_cluster_eval")
    } else if gain > 0.0 && (stable || after.stability.is_none()) {
        let reason = if after.stability.is_none() || after.overflow.is_none() {
            "capacity_or_stability_not_measured"
        } else {
            "capacity_load_or_communication_unsettled"
        };
        concluded(Word::Tune, reason, "refine_router_capacity_or_placement")
    } else {
        concluded(Word::Reject, "no_gain_or_unstable", "fallback_to_parallel_baseline")
    })
}

/// Lab 81: done sooner than by a single replica, with even loads and little communication.
pub(super) fn replicas(doc: &Document, sides: Option<Sides<'_>>, limits: &Budget) -> Option<Decision> {
    let own = limits.serving.clone().unwrap_or_default();
    let makespan = |run: &Candidate| run.metrics.serving.as_ref().and_then(|serving| serving.makespan_ms);
    let stated = || {
        let names = &["single_replica_time_ms"];
        let pointer = crate::import::names::locate(&doc.raw, "", names)
            .or_else(|| crate::import::names::locate(&doc.raw, "/baseline", names))
            .or_else(|| crate::import::names::locate(&doc.raw, "/candidate", names))?;
        doc.raw.locate(&pointer)?.as_f64()
    };
    // A simulator writes the single replica's time beside the makespan of several.
    let candidate = sides
        .map(|sides| sides.candidate)
        .or_else(|| doc.report.candidates.iter().find(|run| makespan(run).is_some()))?;
    // A backend gives no makespan of one set: its rate tells whether more replicas did more.
    let rate = |run: &Candidate| run.metrics.serving.as_ref().and_then(|serving| serving.output_tokens_per_s);
    if makespan(candidate).is_none() {
        let (after, before) = rate(candidate).zip(sides.and_then(|sides| rate(sides.baseline)))?;
        return Some(if after > before {
            let reason = "load_or_communication_not_measured";
            concluded(Word::Tune, reason, "refine_routing_or_parallel_degree")
        } else {
            concluded(Word::Reject, "no_gain_over_a_single_replica", "fallback_to_single_replica_audit")
        });
    }
    let single = stated().or_else(|| sides.and_then(|sides| makespan(sides.baseline))).filter(|time| *time > 0.0)?;
    let after = makespan(candidate)?;
    let numbers = ranks(candidate);
    let even = numbers.imbalance.is_some_and(|imbalance| imbalance <= own.max_imbalance.unwrap_or(0.8));
    let share = numbers.communication_ms.map(|ms| ms / single);
    let cheap = share.is_some_and(|share| share <= own.max_communication_ratio.unwrap_or(0.05));
    Some(if after >= single {
        concluded(Word::Reject, "no_gain_over_a_single_replica", "fallback_to_single_replica_audit")
    } else if even && cheap {
        concluded(Word::Accept, "makespan_load_and_communication_hold", "promote_to_real_cluster_check")
    } else {
        let measured = numbers.imbalance.is_some() && share.is_some();
        let reason = if measured { "load_or_communication_too_high" } else { "load_or_communication_not_measured" };
        concluded(Word::Tune, reason, "refine_routing_or_parallel_degree")
    })
}
