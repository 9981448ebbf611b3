//! Lab 67, and the mechanism pages 25, 40 and 41: fewer bits against the floating-point baseline.

use super::concluded;
use super::sides::Sides;
use crate::read::Locate as _;
use crate::report::Budget;
use crate::{Candidate, Decision, Document, Quantised, Word};

/// 256 MiB: what counts as a saving here when a report states nothing else.
const MIN_SAVING_BYTES: u64 = 256 * 1024 * 1024;

fn numbers(run: &Candidate) -> Quantised {
    run.metrics.quantised.clone().unwrap_or_default()
}

/// One answer's time: as measured in one pass, else end to end.
fn latency(run: &Candidate) -> Option<f64> {
    numbers(run).latency_ms.or_else(|| run.metrics.serving.as_ref()?.e2e_ms.typical())
}

fn throughput(run: &Candidate) -> Option<f64> {
    numbers(run).throughput.or_else(|| run.metrics.serving.as_ref()?.output_tokens_per_s)
}

/// Lab 67: the error first; then latency or throughput, and memory. An error that was not measured leaves it open.
pub(super) fn deployment(sides: Sides<'_>, limits: &Budget) -> Option<Decision> {
    let own = limits.serving.clone().unwrap_or_default();
    let quantised = numbers(sides.candidate);
    let faster = latency(sides.baseline).zip(latency(sides.candidate)).map(|(before, after)| before - after);
    let more = throughput(sides.candidate).zip(throughput(sides.baseline)).map(|(after, before)| after - before);
    if faster.is_none() && more.is_none() {
        return None;
    }
    let peak = |run: &Candidate| run.metrics.peak_allocated_bytes;
    let smaller = peak(sides.baseline).zip(peak(sides.candidate)).map(|(before, after)| before as f64 - after as f64);
    let budget = quantised.error_budget.or(own.max_error);
    let error = quantised.error.zip(budget).map(|(error, most)| error <= most);
    let any = [faster, more, smaller].into_iter().flatten().any(|gain| gain > 0.0);
    let fast = faster.is_some_and(|gain| gain >= own.min_latency_saving_ms.unwrap_or(5.0))
        || more.is_some_and(|gain| gain >= own.min_throughput_gain.unwrap_or(5.0));
    let least = limits.min_memory_saving_bytes.unwrap_or(MIN_SAVING_BYTES) as f64;
    let small = smaller.is_some_and(|gain| gain >= least);
    Some(match error {
        Some(true) if fast && small => {
            concluded(Word::Accept, "error_speed_and_memory_hold", "promote_to_extended_regression")
        }
        Some(true) if any => concluded(Word::Tune, "gain_below_thresholds", "refine_quant_granularity_or_backend"),
        None if any => {
            concluded(Word::Tune, "quality_not_measured", "verify_kernel_and_task_quality_then_compare_metrics")
        }
        Some(false) => concluded(Word::Reject, "error_over_budget", "fallback_to_baseline_or_rework_quant_scheme"),
        _ => concluded(Word::Reject, "no_gain", "fallback_to_baseline_or_rework_quant_scheme"),
    })
}

/// Pages 25, 40 and 41: smaller with a finite error, or in agreement with the baseline.
pub(super) fn mechanism(doc: &Document, limits: &Budget) -> Option<Decision> {
    let runs = &doc.report.candidates;
    let own = limits.serving.clone().unwrap_or_default();
    let agreements: Vec<f64> =
        runs.iter().filter(|run| !run.is_baseline()).filter_map(|run| numbers(run).greedy_prefix_agreement).collect();
    if !agreements.is_empty() {
        let least = own.min_greedy_agreement.unwrap_or(0.8);
        return Some(if agreements.iter().all(|share| *share >= least) {
            concluded(Word::Accept, "greedy_tokens_agree", "compare_quality_and_deploy")
        } else {
            concluded(Word::Tune, "greedy_tokens_diverge", "refine_calibration_or_group_size")
        });
    }
    let baseline = runs.iter().find(|run| run.is_baseline())?;
    let candidate = runs.iter().find(|run| !run.is_baseline())?;
    let (before, after) = numbers(baseline).state_bytes.zip(numbers(candidate).state_bytes)?;
    // What a report measures once about both runs stands beside them.
    let error = numbers(candidate).output_mse.or_else(|| {
        let pointer = crate::import::names::locate(&doc.raw, "", crate::import::names::MSE)?;
        doc.raw.locate(&pointer)?.as_f64()
    });
    Some(match error {
        Some(error) if error.is_finite() && after < before => {
            concluded(Word::Accept, "smaller_with_finite_error", "measure_task_quality")
        }
        Some(_) => concluded(Word::Tune, "not_smaller", "see_which_layers_are_quantised"),
        None => concluded(Word::Tune, "error_not_measured", "measure_output_error"),
    })
}
