//! Project 60: LoRA against full fine-tuning.
//!
//! The course publishes no table for it, so the rule is the smallest that its own pages ask for: one run of each side
//! shows a direction, and an adoption waits for repeats and a task metric.

use super::{baseline_missing, concluded};
use crate::{Decision, Document, Metrics, Status, Word};

pub(super) fn decide(doc: &Document) -> Decision {
    let candidates = &doc.report.candidates;
    let finished = |candidate: &&crate::Candidate| candidate.status == Status::Ok && !candidate.metrics.is_empty();
    let Some(baseline) = candidates.iter().find(|c| c.is_baseline()).filter(finished) else {
        return baseline_missing();
    };
    let Some(candidate) = candidates.iter().filter(|c| !c.is_baseline()).find(finished) else {
        return concluded(Word::Reject, "no_candidate_finished", "choose_a_smaller_adapter_or_batch");
    };
    let less = |read: fn(&Metrics) -> Option<f64>| {
        read(&candidate.metrics).zip(read(&baseline.metrics)).is_some_and(|(own, before)| own < before)
    };
    let saves = less(|m| m.peak_allocated_bytes.map(|bytes| bytes as f64)) || less(|m| m.step_time_ms);
    let better = candidate.quality.eval_loss.zip(baseline.quality.eval_loss).is_some_and(|(own, before)| own < before);
    if saves || better {
        concluded(
            Word::Tune,
            "single_run_without_repeats_and_task_metric",
            "repeat_with_fixed_validation_and_task_metric",
        )
    } else {
        concluded(Word::Reject, "no_gain_in_memory_time_or_loss", "keep_baseline")
    }
}
