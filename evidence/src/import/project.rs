//! `project-evidence/v1`: the umbrella under which the course's projects file their records.
//!
//! A specification and a manifest describe; only a `run_result` measures.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, config, device, strategies, wrong_type};
use crate::{Budget, Candidate, ReadError, Report, Shape, Workload};

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::ProjectEvidence;
    let mut reader = Reader::new(raw);
    for block in ["/config", "/metrics", "/quality", "/environment", "/experiment"] {
        if let Some(other) = reader.value(block).filter(|value| !value.is_object()) {
            return Err(wrong_type(block, "对象", "an object", other));
        }
    }
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let (mut candidates, mut places) = (Vec::new(), Vec::new());
    if is_run(raw) {
        (candidates, places) = strategies::candidates(&mut reader, Form::Flat, on_cpu)?;
        if candidates.is_empty() && reader.value("/metrics").is_some() {
            // One run: its metrics stand at the top, beside its quality.
            let (candidate, place) = strategies::candidate(&mut reader, "", Form::Normalised, on_cpu)?;
            let name = ["/strategy", "/name", "/role"].iter().find_map(|pointer| reader.value(pointer)?.as_str());
            candidates.push(Candidate { name: super::quotable(name.unwrap_or("run")), ..candidate });
            places.push(place);
        }
    }
    let workload = config::training(&mut reader);
    let level_word = strategies::level_word(&mut reader);
    let made = Made {
        lab: super::project_number(raw),
        workload: Workload::Training(workload),
        level: strategies::level(level_word.as_deref(), device.as_ref()),
        level_word,
        devices,
        device,
        candidates,
        places,
        budget: Budget::default(),
        projected: false,
    };
    Ok(made.report(shape, sha256, reader))
}

/// Whether the record is of a run that took place.
fn is_run(raw: &Value) -> bool {
    let text = |key: &str| raw.get(key).and_then(Value::as_str);
    text("record_type").is_none_or(|kind| kind == "run_result")
        && !matches!(text("status"), Some("blocked" | "skipped"))
}
