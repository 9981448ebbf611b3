//! What was there to be looked at: a check that found nothing to compare proves nothing.

use super::sheet::Sheet;
use crate::import::Metric;
use crate::stage::Stage;
use crate::{Phrase, Status, Workload};

/// Checks that hold one number of a report against others of it.
const COMPARING: [&str; 26] = [
    "samples_per_s_agrees",
    "runs_mean_agrees",
    "summary_deltas_agree",
    "summary_saving_agrees",
    "summary_ratio_agrees",
    "sensitivity_agrees",
    "copies_agree",
    "derived_metrics_agree",
    "upstream_one_run",
    "upstream_one_workload",
    "throughput_agrees",
    "tpot_agrees",
    "acceptance_agrees",
    "cache_tokens_agree",
    "fairness_agrees",
    "compression_base",
    "layer_ratios_agree",
    "quantised_deltas_agree",
    "rank_maximum_agrees",
    "rank_tokens_agree",
    "load_skew_agrees",
    "overflow_counted",
    "state_division_agrees",
    "kv_constant_agrees",
    "transfer_time_agrees",
    "percentiles_ordered",
];

/// The check that is made only where a rubric asks for it.
pub(crate) const NUMBERS: &str = "numbers_compared";

/// Before the decision is looked at, and after every check of numbers.
pub(super) fn examine(sheet: &mut Sheet<'_>) {
    peaks(sheet);
    candidates(sheet);
    numbers(sheet);
}

/// Every finished run has its peak.
fn peaks(sheet: &mut Sheet<'_>) {
    // Artifacts of 40 are held against the card that loads them.
    let asked = matches!(sheet.doc.report.workload, Workload::Training(_)) || sheet.doc.lab() == "40";
    if !asked || sheet.doc.is_stage(Stage::Merge) {
        return;
    }
    let finished = || sheet.candidates().filter(|(run, _)| matches!(run.status, Status::Ok | Status::PartialOom));
    let bare = finished().find(|(run, _)| run.metrics.peak_allocated_bytes.is_none());
    let total = finished().count();
    let id = "peaks_recorded";
    if let Some((run, place)) = bare {
        let message = Phrase::new(
            format!("{} 没有显存峰值：关于显存什么也看不出来。", run.name),
            format!("{} has no memory peak: nothing can be said about its memory.", run.name),
        );
        let expected = Phrase::new("一个数字", "a number");
        sheet.fail(id, &place.metric(Metric::Allocated), expected, "null", message);
    } else if total > 0 {
        let zh = format!("{total} 次完成的运行都记录了显存峰值。");
        let en = format!("{total} of {total} finished runs record their memory peak.");
        sheet.pass(id, sheet.measured_at(), zh, en);
    }
}

/// A strategy is chosen among several: one that ran, or ran out of memory, beside the baseline.
fn candidates(sheet: &mut Sheet<'_>) {
    if sheet.strategy().is_none() {
        return;
    }
    let tried = sheet
        .candidates()
        .filter(|(run, _)| !run.is_baseline() && (!run.metrics.is_empty() || run.status == Status::Oom))
        .count();
    let id = "candidates_compared";
    if tried > 0 {
        let zh = format!("基线之外比较了 {tried} 个候选。");
        let en = format!("Candidates compared beside the baseline: {tried}.");
        sheet.pass(id, "/candidates", zh, en);
        return;
    }
    let message = Phrase::new(
        "基线之外没有候选：没有策略可以比较，也就没有什么可决定。",
        "There is no candidate beside the baseline: no strategy is compared, so nothing is decided.",
    );
    let expected = Phrase::new("基线与至少一个候选", "the baseline and at least one candidate");
    sheet.fail(id, "/candidates", expected, Phrase::new("没有候选", "no candidate"), message);
}

/// At least one number that follows from others of the file, where the rubric asks: sound reports of some labs hold none.
fn numbers(sheet: &mut Sheet<'_>) {
    if !sheet.asks_for_numbers {
        return;
    }
    let held: Vec<&str> = COMPARING.into_iter().filter(|id| sheet.checks.iter().any(|check| check.id == *id)).collect();
    let id = NUMBERS;
    if !held.is_empty() {
        let count = held.len();
        let zh = format!("{count} 种数字可以由文件里的其他数字核对。");
        let en = format!("Kinds of numbers that others of the file allow to check: {count}.");
        sheet.pass(id, "", zh, en);
        return;
    }
    let message = Phrase::new(
        "没有一个数字能由文件里的其他数字核对：算术无从检查。",
        "No number of the file follows from others of it: there is no arithmetic to check.",
    );
    let expected = Phrase::new("汇总与它的来源", "an aggregate beside what it comes from");
    sheet.fail(id, "", expected, Phrase::new("没有", "none"), message);
}
