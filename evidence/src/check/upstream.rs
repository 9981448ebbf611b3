//! Lab 74, put together: whether the numbers it repeats are of one workload and one run.

use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::import::{describe, mib};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{Document, Phrase};

/// Peaks of one workload in two scripts: 10,024.6 and 10,037.5 MiB were measured, 0.13% apart.
const SAME_PEAK: f64 = 0.005;
/// The course's rounding of peaks and of ratios.
const ROUNDING_MIB: f64 = 0.011;
const ROUNDING_RATIO: f64 = 0.0011;

const PEAK_73: &str = "/upstream/73_training_baseline/peak_mem_mb";
const SUMMARY_76: &str = "/upstream/76_strategy_summary";
const SUMMARY_75: &str = "/upstream/75_budget_summary";

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if !sheet.doc.is_stage(Stage::Merge) {
        return;
    }
    if sheet.value("/upstream").and_then(Value::as_object).is_none_or(|map| map.is_empty()) {
        let message = Phrase::new(
            "没有 upstream：这份合并没有写出所合并的报告，同一口径无从谈起。",
            "There is no upstream: the merge repeats nothing of the reports it merges, so nothing shows one workload.",
        );
        let expected = Phrase::new("73、76、75 的摘要", "the summaries of 73, 76 and 75");
        sheet.fail("upstream_one_workload", "/upstream", expected, Phrase::new("没有", "none"), message);
    }
    one_workload(sheet);
    one_run(sheet);
    decisions(sheet);
    linked(sheet);
}

fn number(raw: &Value, pointer: &str) -> Option<f64> {
    raw.locate(pointer)?.as_f64().filter(|number| number.is_finite())
}

/// Pointer and value of the peak of 73's baseline, under either of its names.
fn peak_73(raw: &Value) -> Option<(&'static str, f64)> {
    [PEAK_73, "/upstream/73_training_baseline/peak_memory_mb"]
        .into_iter()
        .find_map(|pointer| Some((pointer, number(raw, pointer)?)))
}

/// The baseline of 73 and that of 76 are one workload, so their peaks agree.
fn one_workload(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let Some((pointer, own)) = peak_73(raw) else { return };
    let Some(other) = number(raw, &format!("{SUMMARY_76}/baseline_peak_memory_mb")) else { return };
    if (own - other).abs() <= other.abs() * SAME_PEAK {
        sheet.pass(
            "upstream_one_workload",
            pointer,
            "73 与 76 的基线峰值一致，是同一工作负载。",
            "The baselines of 73 and 76 have one peak: they are one workload.",
        );
        return;
    }
    let message = Phrase::new(
        format!(
            "73 的基线峰值是 {} MiB，76 的基线是 {} MiB：两份报告不是同一工作负载，却合并在一起。",
            short(own, 2),
            short(other, 2)
        ),
        format!(
            "The baseline of 73 peaks at {} MiB and that of 76 at {} MiB: the two are not one workload, yet they are merged.",
            short(own, 2),
            short(other, 2)
        ),
    );
    sheet.fail("upstream_one_workload", pointer, format!("≈ {} MiB", short(other, 2)), short(own, 2), message);
}

/// 75 decides on the numbers of 76: what both state is the same, to rounding.
fn one_run(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let id = "upstream_one_run";
    let fields = [
        ("baseline_peak_memory_mb", ROUNDING_MIB),
        ("best_peak_memory_mb", ROUNDING_MIB),
        ("memory_saving_mb", 2.0 * ROUNDING_MIB),
        ("throughput_ratio", ROUNDING_RATIO),
    ];
    // With another best candidate only the baseline is common to both.
    let best = |home: &str| raw.locate(&format!("{home}/best_candidate"));
    let one_best = best(SUMMARY_76) == best(SUMMARY_75);
    let mut compared = 0;
    for (key, tolerance) in fields.into_iter().take(if one_best { 4 } else { 1 }) {
        let pointer = format!("{SUMMARY_75}/{key}");
        let (Some(there), Some(here)) = (number(raw, &format!("{SUMMARY_76}/{key}")), number(raw, &pointer)) else {
            continue;
        };
        compared += 1;
        if (there - here).abs() <= tolerance {
            continue;
        }
        let message = Phrase::new(
            format!("75 写 {key} = {}，76 写 {}：它们来自两次运行。", short(here, 4), short(there, 4)),
            format!("75 has {key} = {}, 76 has {}: they are of two runs.", short(here, 4), short(there, 4)),
        );
        sheet.fail(id, &pointer, short(there, 4), short(here, 4), message);
    }
    if compared > 0 && !sheet.has_failed(id) {
        sheet.pass(
            id,
            SUMMARY_75,
            format!("75 与 76 共有的 {compared} 个数一致。"),
            format!("{compared} of {compared} numbers that 75 and 76 share are equal."),
        );
    }
}

/// A bare string of 75's sensitivity loop travels into the merge.
fn decisions(sheet: &mut Sheet<'_>) {
    for pointer in ["/upstream/76_decision", "/upstream/75_decision"] {
        let Some(said) = sheet.value(pointer) else { continue };
        if said.is_object() {
            continue;
        }
        let message = Phrase::new(
            "合并进来的结论不是对象：原因和下一步已经丢失。",
            "The decision that was merged is no object: its reason and next step are lost.",
        );
        sheet.fail("upstream_decision_is_object", pointer, Phrase::new("对象", "an object"), describe(said), message);
    }
}

/// Peak of the baseline of a linked report, MiB.
fn baseline_peak(doc: &Document) -> Option<f64> {
    doc.report.baseline()?.metrics.peak_allocated_bytes.map(mib)
}

/// The linked report of a stage whose baseline has this peak; several runs of one workload share it.
fn with_peak<'a>(sheet: &Sheet<'a>, stage: Stage, peak: f64) -> Vec<&'a Document> {
    let matches = |doc: &Document| baseline_peak(doc).is_some_and(|own| (own - peak).abs() <= ROUNDING_MIB);
    sheet.linked.iter().copied().filter(|doc| doc.is_stage(stage) && matches(doc)).collect()
}

/// The linked reports that the merge repeats.
fn linked(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let own_73 = peak_73(raw).map(|(_, peak)| with_peak(sheet, Stage::Pair, peak)).unwrap_or_default();
    let mut of_76: Option<&Document> = None;
    for (home, stage) in [(SUMMARY_76, Stage::Strategies), (SUMMARY_75, Stage::Budget)] {
        let Some(peak) = number(raw, &format!("{home}/baseline_peak_memory_mb")) else { continue };
        let candidates = with_peak(sheet, stage, peak);
        let Some(first) = candidates.first() else { continue };
        // Allocated peaks repeat from run to run; throughput does not, and tells the runs apart.
        let pointer = format!("{home}/throughput_ratio");
        let Some(ratio) = number(raw, &pointer) else { continue };
        let best = raw.locate(&format!("{home}/best_candidate")).and_then(Value::as_str).unwrap_or_default();
        let ratio_of = |doc: &Document| {
            let rate = |name: &str| doc.report.candidate(name)?.metrics.samples_per_s;
            Some(rate(best)? / rate("baseline")?)
        };
        let fits = |doc: &&&Document| ratio_of(doc).is_some_and(|own| (own - ratio).abs() <= ROUNDING_RATIO);
        if let Some(found) = candidates.iter().find(fits) {
            if stage == Stage::Strategies {
                of_76 = Some(*found);
            }
            sheet.pass(
                "linked_upstream_matches",
                &pointer,
                format!("与所附的 {} 一致。", stage.lab()),
                format!("It equals the linked {}.", stage.lab()),
            );
        } else if let Some(other) = ratio_of(first) {
            let lab = stage.lab();
            let message = Phrase::new(
                format!("峰值与所附的 {lab} 相同，吞吐比却不同：这是同一工作负载的另一次运行。"),
                format!(
                    "The peaks are those of the linked {lab}, the ratio is not: it is another run of one workload."
                ),
            );
            sheet.fail("linked_upstream_matches", &pointer, short(other, 4), short(ratio, 4), message);
        }
    }
    let (Some(pair), Some(strategies)) = (own_73.first(), of_76) else { return };
    let different = super::linked::workload_mismatches(pair, strategies);
    if let Some(list) = Some(different.join(", ")).filter(|list| !list.is_empty()) {
        let message = Phrase::new(
            format!("所附的 73 与 76 在 {list} 上不同：不能合并。"),
            format!("The linked 73 and 76 differ in {list}: they cannot be merged."),
        );
        let expected = Phrase::new("同一工作负载", "one workload");
        sheet.fail("upstream_one_workload", "/upstream/73_training_baseline", expected, list, message);
    }
}
