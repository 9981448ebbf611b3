//! Values that a file holds more than once.

use serde_json::Value;

use super::sheet::Sheet;
use crate::import::{Form, Place, at, describe, dtype_id};
use crate::{Candidate, Phrase};

/// A key of `experiment`, and the keys of `config` that it copies.
const EXPERIMENT: [(&str, &[&str]); 13] = [
    ("model", &["model_id", "model"]),
    ("dtype", &["dtype", "amp_dtype"]),
    ("optimizer", &["optimizer"]),
    ("batch_size", &["batch_size"]),
    ("seq_len", &["seq_len"]),
    ("warmup", &["warmup"]),
    ("iters", &["iters"]),
    ("seed", &["seed"]),
    ("device", &["device"]),
    ("torch", &["torch"]),
    ("cuda", &["torch_cuda", "cuda"]),
    ("workload", &["workload"]),
    ("backend", &["backend"]),
];

/// A key of `standard_metrics`, and the keys of a candidate that it copies.
const METRICS: [(&str, &[&str]); 7] = [
    ("step_time_ms", &["step_time_ms"]),
    ("throughput_samples_per_s", &["samples_per_s"]),
    ("peak_memory_mb", &["peak_memory_mb", "peak_mem_mb"]),
    ("peak_reserved_mb", &["peak_reserved_mb"]),
    ("loss", &["loss"]),
    ("eval_loss", &["eval_loss", "val_loss"]),
    ("status", &["status"]),
];

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let mut compared = 0;
    for (key, originals) in EXPERIMENT {
        let copy = format!("/experiment/{key}");
        compared += compare(sheet, &copy, || originals.iter().map(|original| format!("/config/{original}")).collect());
    }
    for (candidate, place) in sheet.candidates() {
        let name = name_of(candidate, place);
        let of = |key: &str| at(&place.pointer, key);
        for (key, originals) in METRICS {
            let homes = || originals.iter().map(|original| of(original)).collect();
            compared += compare(sheet, &format!("/standard_metrics/{name}/{key}"), homes);
        }
        for key in ["status", "successful_runs", "oom_runs"] {
            compared += compare(sheet, &format!("/repeat_summary/{name}/{key}"), || vec![of(key)]);
        }
        if place.form == Form::Normalised {
            for (key, metric) in super::normalised::LEGACY {
                let copy = || vec![format!("{}/legacy_fields/{key}", place.pointer)];
                compared += compare(sheet, &place.metric(metric), copy);
            }
            compared += compare(sheet, &of("quality/val_loss"), || vec![of("quality/eval_loss")]);
        }
        if place.form == Form::Flat {
            compared += compare(sheet, &of("val_loss"), || vec![of("eval_loss")]);
        }
    }
    if compared > 0 && !sheet.has_failed("copies_agree") {
        sheet.pass(
            "copies_agree",
            "",
            format!("{compared} 个重复字段与原值一致。"),
            format!("{compared} of {compared} copied values equal their originals."),
        );
    }
}

/// The key of a candidate in the side blocks, escaped for a pointer.
fn name_of(candidate: &Candidate, place: &Place) -> String {
    let name = match place.form {
        Form::Lab73 => place.pointer.trim_start_matches('/'),
        _ => &candidate.name,
    };
    name.replace('~', "~0").replace('/', "~1")
}

/// Compares a copy with the first original that is there; how many comparisons were made.
fn compare(sheet: &mut Sheet<'_>, copy: &str, originals: impl Fn() -> Vec<String>) -> usize {
    let Some(there) = sheet.value(copy) else { return 0 };
    let found: Vec<(String, &Value)> =
        originals().into_iter().filter_map(|pointer| sheet.value(&pointer).map(|value| (pointer, value))).collect();
    let Some((origin, original)) = found.first() else { return 0 };
    if found.iter().any(|(_, original)| equal(there, original)) {
        return 1;
    }
    let message = Phrase::new(
        format!("与 {origin} 不同，它应是后者的副本。"),
        format!("It differs from {origin}, of which it is a copy."),
    );
    sheet.fail("copies_agree", copy, describe(original), describe(there), message);
    1
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0),
            _ => a == b,
        },
        (Value::String(a), Value::String(b)) => dtype_id(a) == dtype_id(b),
        _ => a == b,
    }
}
