//! Lab 74: what a profile shows, and what it must not be put beside.

use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::import::{Metric, describe};
use crate::stage::Stage;
use crate::trace::read_table;
use crate::{Document, Phrase, Status};

/// A profiled step may be this much longer than the profiler's own average before something else is timed.
const EXPORT: f64 = 1.15;
/// Rounding of step times, milliseconds.
const ROUNDING_MS: f64 = 0.0011;
/// The share of the baseline above which an absolute gain cannot be asked for.
const REACH: f64 = 0.25;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    match sheet.doc.stage() {
        Some(Stage::Profile) => {
            profile_only(sheet);
            traced(sheet);
            export(sheet);
            overhead(sheet);
        }
        Some(Stage::Merge) => merged_traces(sheet),
        Some(Stage::Change) | None => gain_in_reach(sheet),
        _ => {}
    }
    copied_from_profile(sheet);
}

fn is_flagged(sheet: &Sheet<'_>) -> bool {
    ["/profiled", "/config/profiled", "/profile/profiled"].iter().any(|p| sheet.value(p) == Some(&Value::Bool(true)))
}

fn profile_only(sheet: &mut Sheet<'_>) {
    if is_flagged(sheet) {
        let pointer = ["/profiled", "/config/profiled", "/profile/profiled"]
            .into_iter()
            .find(|p| sheet.value(p).is_some())
            .unwrap_or_default();
        sheet.pass(
            "profile_only",
            pointer,
            "已标明时间是在 profiler 下测的。",
            "The times are marked as taken under a profiler.",
        );
        return;
    }
    let message = Phrase::new(
        "这些时间是在 profiler 下测的，文件没有标明：只能彼此相对地看，不能与 73、76 的时间放在一起。",
        "These times were taken under a profiler and are not marked: they are to be read against each other only, never beside those of 73 or 76.",
    );
    sheet.fail("profile_only", "/profiled", "true", Phrase::new("没有", "none"), message);
}

/// Every candidate that finished has its trace and its table.
fn traced(sheet: &mut Sheet<'_>) {
    let id = "trace_collected";
    let status = sheet.text("/profile/status");
    if status != Some("collected") {
        let message = Phrase::new("profile 没有收集到 trace。", "The profile collected no trace.");
        sheet.fail(id, "/profile/status", "collected", status.unwrap_or("null"), message);
    }
    for (candidate, place) in sheet.candidates().filter(|(candidate, _)| candidate.status == Status::Ok) {
        let there = |key: &str| match sheet.value(&format!("{}/{key}", place.pointer)) {
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(Value::Array(rows)) => !rows.is_empty(),
            _ => false,
        };
        let files = sheet.value("/profile/trace_files_by_strategy").and_then(|map| map.get(&candidate.name));
        let has_trace = there("trace_dir") || files.is_some_and(|files| !files.is_null());
        let missing = if !has_trace {
            "trace_dir"
        } else if !there("top_operators") {
            "top_operators"
        } else {
            continue;
        };
        let message = Phrase::new(
            format!("{} 没有 {missing}：声明了 profile，却没有可读的证据。", candidate.name),
            format!("{} has no {missing}: a profile is declared, and there is nothing to read.", candidate.name),
        );
        sheet.fail(id, &format!("{}/{missing}", place.pointer), missing, Phrase::new("没有", "none"), message);
    }
    if !sheet.has_failed(id) {
        let total = sheet.doc.report.candidates.len();
        sheet.pass(
            id,
            "/profile",
            format!("{total} 个候选都有 trace 与算子表。"),
            format!("{total} of {total} candidates have a trace and a table of operators."),
        );
    }
}

fn export(sheet: &mut Sheet<'_>) {
    for (candidate, place) in sheet.candidates() {
        let Some(step) = candidate.metrics.step_time_ms else { continue };
        let table = sheet.text(&format!("{}/top_operators", place.pointer));
        let own = table.and_then(|text| read_table(text).ok()).and_then(|table| table.step_ns());
        let Some(profiled) = own.map(|ns| ns as f64 / 1e6).filter(|own| step > own * EXPORT) else { continue };
        let message = Phrase::new(
            format!(
                "{} 的步时是 {} ms，而 profiler 自己记录的每步只有 {} ms：其余是导出 trace 的时间，落在了计时区间里。",
                candidate.name,
                short(step, 1),
                short(profiled, 1)
            ),
            format!(
                "{} takes {} ms a step, while the profiler's own steps take {} ms: the rest is the export of the trace, inside the timed region.",
                candidate.name,
                short(step, 1),
                short(profiled, 1)
            ),
        );
        let pointer = place.metric(Metric::StepTime);
        sheet.fail("export_in_timed_region", &pointer, format!("≈ {} ms", short(profiled, 1)), short(step, 3), message);
    }
}

/// What the profiler cost, where the unprofiled 76 lies beside it.
fn overhead(sheet: &mut Sheet<'_>) {
    let Some(linked) = super::linked_profile::profiled_source(sheet) else { return };
    for (candidate, place) in sheet.candidates() {
        let other = linked.report.candidate(&candidate.name).and_then(|other| other.metrics.step_time_ms);
        let Some((step, plain)) = candidate.metrics.step_time_ms.zip(other) else { continue };
        let cost = (step / plain - 1.0) * 100.0;
        if cost < 10.0 {
            continue;
        }
        let message = Phrase::new(
            format!(
                "{} 在 profiler 下 {} ms，所附的 76 是 {} ms：多出的 {}% 是 profiler 的开销，不是变慢。",
                candidate.name,
                short(step, 1),
                short(plain, 1),
                short(cost, 1)
            ),
            format!(
                "{} takes {} ms under the profiler and {} ms in the linked 76: the extra {}% are the profiler's cost, not a slowdown.",
                candidate.name,
                short(step, 1),
                short(plain, 1),
                short(cost, 1)
            ),
        );
        let pointer = place.metric(Metric::StepTime);
        sheet.fail("profiler_overhead", &pointer, short(plain, 3), short(step, 3), message);
    }
}

/// The traces that a merge names.
fn merged_traces(sheet: &mut Sheet<'_>) {
    let Some(traces) = sheet.traces() else { return };
    let id = "trace_collected";
    if !traces.collected {
        let found = sheet.value("/profiling/status").map_or_else(|| Phrase::plain("null"), describe);
        let message = Phrase::new(
            "上游报告合并了，但没有 profiler 证据：结论只能是 tune。",
            "The other reports are merged, but there is no evidence of a profiler: the conclusion can only be tune.",
        );
        sheet.fail(
            id,
            "/profiling/status",
            Phrase::new("collected 与 trace", "collected, and a trace"),
            found,
            message,
        );
    } else if traces.partly || !traces.missing.is_empty() {
        let list = if traces.missing.is_empty() { "?".to_owned() } else { traces.missing.join(", ") };
        let message = Phrase::new(
            format!("声明的策略没有全部收集到 trace（缺 {list}）。"),
            format!("Not every declared strategy has its trace (missing: {list})."),
        );
        let pointer = ["/profiling/missing_strategies", "/profiling/trace_files_by_strategy"]
            .into_iter()
            .find(|p| sheet.value(p).is_some())
            .unwrap_or("/profiling");
        sheet.fail(id, pointer, Phrase::new("每个策略一个 trace", "a trace of every strategy"), list, message);
    } else {
        sheet.pass(id, "/profiling", "声明的策略都有 trace。", "Every declared strategy has its trace.");
    }
}

/// An absolute gain in samples per second that the workload cannot bring.
fn gain_in_reach(sheet: &mut Sheet<'_>) {
    let Some(change) = sheet.change() else { return };
    let Some((baseline, place)) = change.sides.and_then(|(baseline, _)| sheet.candidate(baseline)) else { return };
    let Some(rate) = baseline.metrics.samples_per_s else { return };
    // Where the gain was made, it was in reach.
    if sheet.recomputed.decision.as_ref().is_some_and(|decision| decision.decision == crate::Word::Accept) {
        return;
    }
    let share = change.min_samples_per_s / rate;
    let pointer = ["/thresholds/min_throughput_delta", "/validation/min_throughput_delta"]
        .into_iter()
        .find(|p| sheet.value(p).is_some())
        .map_or_else(|| place.metric(Metric::SamplesPerS), str::to_owned);
    if share <= REACH {
        let text = short(share * 100.0, 1);
        sheet.pass(
            "gain_in_reach",
            &pointer,
            format!("要求的增益是基线吞吐的 {text}%。"),
            format!("The gain that is asked for is {text}% of the baseline's rate."),
        );
        return;
    }
    let least = short(change.min_samples_per_s, 2);
    let message = Phrase::new(
        format!(
            "要求每秒多 {least} 个样本，而基线只有 {}：需要快 {} 倍，accept 达不到。",
            short(rate, 3),
            short(1.0 + share, 1)
        ),
        format!(
            "A gain of {least} samples/s is asked for at a baseline of {}: it would have to be {} times as fast, so an accept is out of reach.",
            short(rate, 3),
            short(1.0 + share, 1)
        ),
    );
    let expected = Phrase::new("≤ 基线的 25%", "≤ 25% of the baseline");
    sheet.fail("gain_in_reach", &pointer, expected, format!("{}%", short(share * 100.0, 0)), message);
}

fn same_time(profile: &Document, name: &str, step: f64) -> bool {
    let other = profile.report.candidate(name).and_then(|other| other.metrics.step_time_ms);
    other.is_some_and(|other| (other - step).abs() <= ROUNDING_MS)
}

/// Times of a linked profile that stand in a report of unprofiled ones.
fn copied_from_profile(sheet: &mut Sheet<'_>) {
    let stage = sheet.doc.stage();
    let unprofiled =
        matches!(stage, Some(Stage::Pair | Stage::Probe | Stage::Strategies | Stage::Budget | Stage::Merge));
    if !unprofiled {
        return;
    }
    let profiles: Vec<&Document> = sheet.linked.iter().copied().filter(|doc| doc.is_stage(Stage::Profile)).collect();
    if profiles.is_empty() {
        return;
    }
    // The metrics of a merge stand beside the unprofiled baseline of 73.
    if stage == Some(Stage::Merge) && sheet.value("/upstream/73_training_baseline/step_time_ms").is_none() {
        return;
    }
    let found: Vec<(String, String, f64)> = sheet
        .candidates()
        .filter_map(|(candidate, place)| {
            Some((candidate.name.clone(), place.metric(Metric::StepTime), candidate.metrics.step_time_ms?))
        })
        .collect();
    for (name, pointer, step) in found {
        if !profiles.iter().any(|profile| same_time(profile, &name, step)) {
            continue;
        }
        let message = Phrase::new(
            format!("{name} 的时间就是所附 profile 里的时间：profiler 下的时间不能放在普通计时旁边。"),
            format!(
                "The time of {name} is that of the linked profile: a profiled time must not stand beside ordinary ones."
            ),
        );
        let expected = Phrase::new("不带 profiler 的时间", "a time without a profiler");
        sheet.fail("profiled_beside_unprofiled", &pointer, expected, short(step, 3), message);
    }
}
