//! What the course's normaliser loses or derives when it rewrites 73, 75 and 76.

use serde_json::Value;

use super::sheet::{Sheet, short};
use crate::import::{Metric, describe, dtype_id, mib, setting};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{Phrase, Shape, Status};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.doc.shape != Shape::TrainingMemoryV1 {
        return;
    }
    labels(sheet);
    derived(sheet);
    oom(sheet);
}

/// One `dtype` for two runs of different dtypes, and a workload without its name.
fn labels(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    if crate::import::states_nothing(sheet.doc.shape, raw) {
        return; // Said once for the whole block.
    }
    let id = "normalised_labels";
    let dtype = setting(raw, &["dtype"]).and_then(|(_, value)| Some(dtype_id(value.as_str()?)));
    let apart = setting(raw, &["param_dtype"]).is_some() && setting(raw, &["compute_dtype", "amp_dtype"]).is_some();
    match dtype {
        Some(dtype) if dtype != "fp32" && !apart => {
            let message = if sheet.doc.is_stage(Stage::Pair) {
                Phrase::new(
                    format!("两行共用一个 dtype {dtype}：基线其实是 FP32，归一化时被 amp_dtype 覆盖了。"),
                    format!(
                        "One dtype, {dtype}, stands over both rows: the baseline of a pair is FP32, and the rewriting put amp_dtype over it."
                    ),
                )
            } else {
                Phrase::new(
                    format!("dtype 写 {dtype}：归一化优先取 amp_dtype，看不出参数是用什么精度存的。"),
                    format!(
                        "dtype is {dtype}: the rewriting prefers amp_dtype, so nobody can see in which dtype the parameters are stored."
                    ),
                )
            };
            sheet.fail(id, "/config/dtype", "param_dtype, compute_dtype", dtype, message);
        }
        _ => {}
    }
    if setting(raw, &["workload"]).is_none() {
        let found = raw.locate("/config/workload").map_or_else(|| Phrase::new("没有", "none"), describe);
        let message = Phrase::new(
            "没有 workload 名称：归一化后看不出它是 smoke 还是 pressure。",
            "The workload has no name: after the rewriting nobody can tell smoke from pressure.",
        );
        sheet.fail(id, "/config/workload", Phrase::new("工作负载的名称", "the workload's name"), found, message);
    }
    if !sheet.has_failed(id) {
        sheet.pass(id, "/config", "归一化后标签仍然清楚。", "The labels survived the rewriting.");
    }
}

/// `memory_saving_mb` and `throughput_ratio` of each candidate, against the baseline.
fn derived(sheet: &mut Sheet<'_>) {
    let Some((baseline, _)) = sheet.baseline() else { return };
    let (before, slow) = (baseline.metrics.peak_allocated_bytes, baseline.metrics.samples_per_s);
    let id = "derived_metrics_agree";
    let mut compared = 0;
    for (candidate, place) in sheet.candidates() {
        let own = &candidate.metrics;
        let saving = before.zip(own.peak_allocated_bytes).map(|(before, own)| mib(before) - mib(own));
        let ratio = slow.zip(own.samples_per_s).map(|(slow, own)| own / slow);
        for (key, expected, tolerance) in [("memory_saving_mb", saving, 0.011), ("throughput_ratio", ratio, 0.0011)] {
            let pointer = format!("{}/metrics/{key}", place.pointer);
            let (Some(said), Some(expected)) = (sheet.value(&pointer), expected) else { continue };
            compared += 1;
            if said.as_f64().is_some_and(|said| said.is_finite() && (said - expected).abs() <= tolerance) {
                continue;
            }
            let message = Phrase::new(
                format!("由基线与 {} 得出 {key} = {}。", candidate.name, short(expected, 4)),
                format!("Baseline and {} give {key} = {}.", candidate.name, short(expected, 4)),
            );
            sheet.fail(id, &pointer, short(expected, 4), describe(said), message);
        }
    }
    if compared > 0 && !sheet.has_failed(id) {
        sheet.pass(
            id,
            "/candidates",
            format!("{compared} 个派生值可由候选的指标复现。"),
            format!("{compared} of {compared} derived values follow from the metrics."),
        );
    }
}

/// `oom: null` says neither that memory ended nor that it did not.
fn oom(sheet: &mut Sheet<'_>) {
    let silent = sheet.candidates().find_map(|(candidate, place)| {
        let pointer = format!("{}/metrics/oom", place.pointer);
        (candidate.status == Status::Ok && sheet.raw().locate(&pointer) == Some(&Value::Null)).then_some(pointer)
    });
    if let Some(pointer) = silent {
        let message = Phrase::new(
            "oom 写成 null：既没有说 OOM，也没有说没有 OOM。",
            "oom is null: that says neither that the memory ended nor that it did not.",
        );
        sheet.fail("oom_stated", &pointer, "false", "null", message);
    }
    for (candidate, place) in sheet.candidates() {
        let said = sheet.value(&format!("{}/metrics/oom", place.pointer)).and_then(Value::as_bool);
        let ran_out = matches!(candidate.status, Status::Oom | Status::PartialOom);
        if said == Some(false) && ran_out {
            let message = Phrase::new(
                format!("{} 的状态是 {}，oom 却是 false。", candidate.name, candidate.status.id()),
                format!("{} has the status {}, yet oom is false.", candidate.name, candidate.status.id()),
            );
            sheet.fail("oom_stated", &format!("{}/metrics/oom", place.pointer), "true", "false", message);
        }
    }
}

/// Where a normalised candidate keeps the original, and what of it is copied.
pub(super) const LEGACY: [(&str, Metric); 6] = [
    ("step_time_ms", Metric::StepTime),
    ("samples_per_s", Metric::SamplesPerS),
    ("peak_memory_mb", Metric::Allocated),
    ("peak_mem_mb", Metric::Allocated),
    ("peak_reserved_mb", Metric::Reserved),
    ("loss", Metric::Loss),
];
