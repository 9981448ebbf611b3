//! Lab 66 and its kin: the load generator's raw file, `inference-benchmark/v1`, the manifests of labs 69 and 70, and the
//! simulators of labs 66 to 70; also the paged caches of pages 22 and 34.

use serde_json::Value;

use super::names::{self, described};
use super::values::Reader;
use super::{Paper, assemble, content, dtype_id};
use crate::report::Inference;
use crate::{ReadError, Report, Shape, Workload};

pub(super) fn import(shape: Shape, raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let mut parts = assemble::parts(raw)?;
    let lab = assemble::number(raw).or_else(|| content::lab(raw).map(str::to_owned)).unwrap_or_else(|| {
        // A raw file of the load generator belongs to the baseline lab.
        if shape == Shape::Lab66Raw { "66".to_owned() } else { String::new() }
    });
    // Every run has its workload; the report's is that of the first.
    let at = parts.places.first().map(|place| place.pointer.clone()).unwrap_or_default();
    let workload = workload(&mut parts.reader, &at);
    Ok(assemble::report(shape, lab, Workload::Inference(workload), sha256, parts))
}

/// What the run at a pointer served.
pub(super) fn workload(reader: &mut Reader<'_>, at: &str) -> Inference {
    let source = match described(reader.raw, at, &["source", "workload_path", "workload_id"]) {
        Some(pointer) if reader.value(&pointer).is_some_and(Value::is_string) => reader.text(&pointer),
        _ => assemble::text(reader, at, &["workload"]),
    };
    Inference {
        model: assemble::text(reader, at, names::MODEL),
        weight_dtype: assemble::text(reader, at, names::DTYPE)
            .map(|dtype| dtype_id(&dtype))
            .filter(|dtype| dtype != "unknown"),
        kv_dtype: assemble::text(reader, at, &["kv_dtype", "kv_cache_dtype"]).map(|dtype| dtype_id(&dtype)),
        batch: assemble::count(reader, at, &["batch", "batch_size"]),
        prompt_tokens: assemble::count(reader, at, &["prompt_tokens", "prompt_len"]),
        generated_tokens: assemble::count(reader, at, names::GENERATED),
        concurrency: assemble::count(reader, at, names::CONCURRENCY),
        requests: assemble::count(reader, at, names::REQUESTS),
        source,
        warmup: assemble::count(reader, at, &["warmup"]),
        repeats: assemble::count(reader, at, &["repeats"]),
        cache_policy: assemble::text(reader, at, &["cache_policy"]),
        framework: assemble::framework(reader, at),
    }
}

/// What the run at a pointer served, its faults apart.
pub(crate) fn workload_at(raw: &Value, at: &str) -> Inference {
    workload(&mut Reader::new(raw), at)
}
