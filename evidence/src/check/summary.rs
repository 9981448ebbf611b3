//! `summary`: what a report concludes about its own candidates, computed again.

use std::collections::BTreeSet;

use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::Phrase;
use crate::decide::{Pair, Strategy, Verdict};
use crate::import::{describe, mib};
use crate::read::Locate as _;
use crate::stage::Stage;

/// Two decimals of the course's rounding, on both sides of a difference.
const ROUNDING: f64 = 0.011;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let of_course = matches!(sheet.doc.stage(), Some(Stage::Pair | Stage::Budget | Stage::Strategies));
    if !of_course {
        return;
    }
    if sheet.value("/summary").is_none() {
        let message = Phrase::new(
            "没有 summary：结论从哪些数得出无从查对。",
            "There is no summary: nobody can see from which numbers the decision came.",
        );
        sheet.fail("summary_present", "/summary", "summary", Phrase::new("没有", "none"), message);
        return;
    }
    if !concludes(sheet) {
        let message = Phrase::new(
            "summary 里没有这个实验要给出的字段：结论从哪些数得出无从查对。",
            "The summary has none of the fields that this lab publishes: nobody can see from which numbers the decision came.",
        );
        let found = Phrase::new("没有这些字段", "none of these fields");
        sheet.fail("summary_present", "/summary", published(sheet).join(", "), found, message);
    }
    if let Some(pair) = sheet.pair() {
        deltas(sheet, pair);
    }
    if let Some(strategy) = sheet.strategy() {
        counts(sheet, strategy);
        feasible(sheet, strategy);
        best(sheet, strategy);
        saving(sheet, strategy);
        ratio(sheet, strategy);
        evaluations(sheet, strategy);
        thresholds(sheet);
    }
}

/// What a summary concludes: differences of a pair, the chosen candidate of strategies. Counts alone conclude nothing.
fn published(sheet: &Sheet<'_>) -> &'static [&'static str] {
    if sheet.doc.is_stage(Stage::Pair) {
        &[
            "step_time_delta_ms",
            "peak_mem_delta_mb",
            "throughput_delta",
            "time_improvement_pct",
            "memory_improvement_pct",
        ]
    } else {
        &["best_candidate", "feasible_names", "memory_saving_mb", "throughput_ratio"]
    }
}

fn concludes(sheet: &Sheet<'_>) -> bool {
    published(sheet).iter().any(|key| sheet.raw().locate(&format!("/summary/{key}")).is_some())
}

/// Compares a number of the summary with the recomputed one. A field that is not there is not compared.
fn number(sheet: &mut Sheet<'_>, id: &str, pointer: &str, expected: Option<f64>, tolerance: f64, how: Phrase) {
    let Some(said) = sheet.raw().locate(pointer) else { return };
    let agrees = match (said.as_f64().filter(|_| said.is_number()), expected) {
        (Some(said), Some(expected)) => (said - expected).abs() <= tolerance,
        (None, None) => said.is_null(),
        _ => false,
    };
    if !agrees {
        let expected = expected.map_or_else(|| "null".to_owned(), |value| short(value, 4));
        sheet.fail(id, pointer, expected, describe(said), how);
    }
}

fn deltas(sheet: &mut Sheet<'_>, pair: &Pair) {
    let Some((a, b)) = pair.sides else { return };
    let (Some((baseline, _)), Some((tuned, _))) = (sheet.candidate(a), sheet.candidate(b)) else { return };
    let id = "summary_deltas_agree";
    let difference =
        Phrase::new("差值应由 baseline 与 tuned 得出。", "The difference follows from baseline and tuned.");
    let percent = |delta: Option<f64>, whole: Option<f64>| delta.zip(whole).map(|(delta, whole)| delta / whole * 100.0);
    let rows = [
        ("/summary/step_time_delta_ms", pair.time_ms, ROUNDING),
        ("/summary/peak_mem_delta_mb", pair.memory_mib, ROUNDING),
        ("/summary/throughput_delta", pair.samples_per_s, ROUNDING),
        ("/summary/time_improvement_pct", percent(pair.time_ms, baseline.metrics.step_time_ms), 0.06),
        (
            "/summary/memory_improvement_pct",
            percent(pair.memory_mib, baseline.metrics.peak_allocated_bytes.map(mib)),
            0.06,
        ),
        (
            "/loss_delta_tuned_minus_baseline",
            tuned.quality.loss.zip(baseline.quality.loss).map(|(tuned, baseline)| tuned - baseline),
            0.0011,
        ),
    ];
    let mut compared = 0;
    for (pointer, expected, tolerance) in rows {
        if expected.is_none() {
            continue;
        }
        compared += usize::from(sheet.raw().locate(pointer).is_some());
        number(sheet, id, pointer, expected, tolerance, difference.clone());
    }
    let flags = [
        ("/summary/time_improved", pair.time_ms.map(|delta| delta > 0.0)),
        ("/summary/memory_improved", pair.memory_mib.map(|delta| delta > 0.0)),
        ("/summary/throughput_improved", pair.samples_per_s.map(|delta| delta > 0.0)),
        ("/summary/meaningful_memory_improved", pair.memory_mib.map(|delta| delta >= pair.min_memory_mib - ROUNDING)),
    ];
    for (pointer, expected) in flags {
        let (Some(said), Some(expected)) = (sheet.raw().locate(pointer), expected) else { continue };
        compared += 1;
        if said != &Value::Bool(expected) {
            let how = Phrase::new("标志与差值的符号不符。", "The flag does not fit the difference.");
            sheet.fail(id, pointer, expected.to_string(), describe(said), how);
        }
    }
    if compared > 0 && !sheet.has_failed(id) {
        sheet.pass(
            id,
            "/summary",
            format!("summary 的 {compared} 个差值与标志可由两组测量复现。"),
            format!("{compared} of {compared} deltas and flags of the summary follow from the pair."),
        );
    }
}

fn counts(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let (oom, invalid) = (strategy.count(Verdict::Oom), strategy.count(Verdict::Invalid));
    let total = strategy.rows.len();
    let rows = [
        ("candidate_count", total),
        ("measured_count", total - oom - invalid),
        ("oom_count", oom),
        ("invalid_count", invalid),
        ("feasible_count", strategy.feasible.len()),
        ("quality_failed_count", strategy.quality_failed()),
    ];
    for (key, expected) in rows {
        let how = Phrase::new(
            format!("数出的 {key} 是 {expected}。"),
            format!("Counting the candidates gives {key} = {expected}."),
        );
        number(sheet, "summary_counts_agree", &format!("/summary/{key}"), Some(expected as f64), 0.0, how);
    }
    let available = strategy.baseline.is_some();
    if let Some(said) = sheet.value("/summary/baseline_available").filter(|said| **said != Value::Bool(available)) {
        let how =
            Phrase::new("基线是否可用与候选不符。", "Whether the baseline is available does not fit the candidates.");
        sheet.fail("summary_counts_agree", "/summary/baseline_available", available.to_string(), describe(said), how);
    }
    if !sheet.has_failed("summary_counts_agree") {
        sheet.pass("summary_counts_agree", "/summary", "各项计数正确。", "The counts are right.");
    }
}

fn names(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn feasible(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let Some(said) = sheet.value("/summary/feasible_names") else { return };
    let expected: Vec<&str> = strategy.feasible.iter().map(|index| strategy.rows[*index].name.as_str()).collect();
    let same = names(said).is_some_and(|said| {
        said.len() == expected.len() && said.iter().collect::<BTreeSet<_>>() == expected.iter().collect::<BTreeSet<_>>()
    });
    let list = if expected.is_empty() { "[]".to_owned() } else { expected.join(", ") };
    if same {
        let zh = format!("可行集合可由预算与质量上限复现：{list}。");
        let en = format!("The feasible set follows from budget and ceiling: {list}.");
        sheet.pass("summary_feasible_agrees", "/summary/feasible_names", zh, en);
    } else {
        let found = names(said).map_or_else(|| describe(said), |said| Phrase::plain(said.join(", ")));
        let how = Phrase::new("可行集合与预算、质量上限不符。", "The feasible set does not fit budget and ceiling.");
        sheet.fail("summary_feasible_agrees", "/summary/feasible_names", list, found, how);
    }
}

fn peak_of(sheet: &Sheet<'_>, index: Option<usize>) -> Option<f64> {
    sheet.candidate(index?)?.0.metrics.peak_allocated_bytes.map(mib)
}

fn best(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let id = "summary_best_agrees";
    let expected = strategy.best().map(|index| strategy.rows[index].name.as_str());
    if let Some(said) = sheet.raw().locate("/summary/best_candidate")
        && said.as_str() != expected
    {
        let how = Phrase::new(
            "最佳候选应是可行集合里峰值最低者。",
            "The best candidate is the feasible one with the lowest peak.",
        );
        sheet.fail(id, "/summary/best_candidate", expected.unwrap_or("null"), describe(said), how);
    }
    let (baseline, best) = (peak_of(sheet, strategy.baseline), peak_of(sheet, strategy.best()));
    let how = Phrase::new("与候选记录的峰值不同。", "It differs from the peak of the candidate.");
    number(sheet, id, "/summary/baseline_peak_memory_mb", baseline, ROUNDING, how.clone());
    number(sheet, id, "/summary/best_peak_memory_mb", best, ROUNDING, how);
    if !sheet.has_failed(id) {
        let name = expected.unwrap_or("null");
        sheet.pass(
            id,
            "/summary/best_candidate",
            format!("最佳候选 {name} 可复现。"),
            format!("The best candidate, {name}, is reproduced."),
        );
    }
}

fn saving(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let pointer = "/summary/memory_saving_mb";
    let Some(said) = sheet.raw().locate(pointer) else { return };
    let saving = strategy.saving_bytes.map(|bytes| bytes as f64 / crate::import::MIB);
    let Some(saving) = saving else {
        if said.is_null() {
            let (zh, en) = ("没有可行候选，节省为 null。", "Nothing is feasible and the saving is null.");
            sheet.pass("summary_saving_null", pointer, zh, en);
        } else {
            let how = Phrase::new(
                "没有可比的基线与最佳候选，却写了一个节省值；0.0 会被读成“省了 0”。",
                "There is no pair of baseline and best candidate, yet a saving is given; 0.0 reads as \"saved nothing\".",
            );
            sheet.fail("summary_saving_null", pointer, "null", describe(said), how);
        }
        return;
    };
    let how = Phrase::new(
        format!("baseline 峰值减最佳候选峰值是 {} MiB。", short(saving, 2)),
        format!("Peak of the baseline minus peak of the best candidate is {} MiB.", short(saving, 2)),
    );
    number(sheet, "summary_saving_agrees", pointer, Some(saving), ROUNDING, how);
    if !sheet.has_failed("summary_saving_agrees") {
        let text = short(saving, 2);
        sheet.pass(
            "summary_saving_agrees",
            pointer,
            format!("节省 {text} MiB 可复现。"),
            format!("The saving of {text} MiB is reproduced."),
        );
    }
}

fn ratio(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let pointer = "/summary/throughput_ratio";
    if sheet.raw().locate(pointer).is_none() {
        return;
    }
    let how = Phrase::new(
        "应为最佳候选吞吐除以 baseline 吞吐。",
        "It is the throughput of the best candidate over that of the baseline.",
    );
    number(sheet, "summary_ratio_agrees", pointer, strategy.ratio, 0.0011, how);
    if let Some(ratio) = strategy.ratio.filter(|_| !sheet.has_failed("summary_ratio_agrees")) {
        let text = short(ratio, 3);
        sheet.pass(
            "summary_ratio_agrees",
            pointer,
            format!("吞吐比 {text} 可复现。"),
            format!("The throughput ratio {text} is reproduced."),
        );
    }
}

fn evaluations(sheet: &mut Sheet<'_>, strategy: &Strategy) {
    let Some(Value::Array(said)) = sheet.value("/summary/evaluations") else { return };
    let id = "summary_evaluations_agree";
    if said.len() != strategy.rows.len() {
        let how = Phrase::new("每个候选应有一条评估。", "Every candidate has one evaluation.");
        sheet.fail(id, "/summary/evaluations", strategy.rows.len().to_string(), said.len().to_string(), how);
        return;
    }
    for (index, (said, row)) in said.iter().zip(&strategy.rows).enumerate() {
        let status = said.get("status").and_then(Value::as_str);
        let stated = said.get("reasons");
        let reasons: Option<BTreeSet<&str>> = stated.and_then(names).map(|list| list.into_iter().collect());
        let expected: BTreeSet<&str> = row.reasons.iter().copied().collect();
        if status != Some(row.verdict.id()) {
            let pointer = format!("/summary/evaluations/{index}/status");
            let how = Phrase::new(
                format!("{} 的评估不符。", row.name),
                format!("The evaluation of {} does not follow.", row.name),
            );
            sheet.fail(id, &pointer, row.verdict.id(), status.unwrap_or("null"), how);
        } else if said.get("name").is_some_and(|name| name.as_str() != Some(row.name.as_str())) {
            let pointer = format!("/summary/evaluations/{index}/name");
            let how = Phrase::new(
                "评估的顺序与名称应与候选相同。",
                "The evaluations have the order and the names of the candidates.",
            );
            let found = describe(said.get("name").unwrap_or(&Value::Null));
            sheet.fail(id, &pointer, row.name.as_str(), found, how);
        } else if stated.is_some_and(|stated| !stated.is_null()) && reasons.as_ref() != Some(&expected) {
            let pointer = format!("/summary/evaluations/{index}/reasons");
            let how = Phrase::new(
                format!("{} 的原因码不符。", row.name),
                format!("The reasons for {} do not follow.", row.name),
            );
            let list = |set: &BTreeSet<&str>| set.iter().copied().collect::<Vec<_>>().join(", ");
            let found = match (&reasons, stated) {
                (Some(reasons), _) => Phrase::plain(format!("[{}]", list(reasons))),
                (None, stated) => describe(stated.unwrap_or(&Value::Null)),
            };
            sheet.fail(id, &pointer, format!("[{}]", list(&expected)), found, how);
        }
    }
    if !sheet.has_failed(id) {
        sheet.pass(
            id,
            "/summary/evaluations",
            "逐候选评估可复现。",
            "The evaluation of every candidate is reproduced.",
        );
    }
}

fn thresholds(sheet: &mut Sheet<'_>) {
    for key in ["min_memory_saving_mb", "min_throughput_ratio"] {
        let (in_summary, in_budget) = (format!("/summary/{key}"), format!("/budget/{key}"));
        let read = |pointer: &str| sheet.value(pointer).and_then(Value::as_f64);
        if let Some(other) = sheet.value(&in_summary).filter(|value| !value.is_number()) {
            let how = Phrase::new(format!("{key} 应是数字。"), format!("{key} is a number."));
            let expected = Phrase::new("数字", "a number");
            sheet.fail("summary_thresholds_agree", &in_summary, expected, describe(other), how);
        } else if let (Some(said), Some(budget)) = (read(&in_summary), read(&in_budget))
            && (said - budget).abs() > 1e-6
        {
            let how = Phrase::new(
                format!("summary 与 budget 的 {key} 不同。"),
                format!("{key} differs between summary and budget."),
            );
            sheet.fail("summary_thresholds_agree", &in_summary, budget.to_string(), said.to_string(), how);
        }
    }
}
