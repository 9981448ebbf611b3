//! Lab 74, a profiler run: candidates as in 76, timed under a profiler.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, config, device, strategies, wrong_type};
use crate::{Budget, EvidenceLevel, ReadError, Report, Shape, Workload};

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::Lab74Profile;
    let mut reader = Reader::new(raw);
    strategies::blocks(&reader)?;
    if let Some(other) = reader.value("/profile").filter(|value| !value.is_object()) {
        return Err(wrong_type("/profile", "对象", "an object", other));
    }
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let (candidates, places) = strategies::candidates(&mut reader, Form::Flat, strategies::on_cpu(device.as_ref()))?;
    for place in &places {
        reader.text(&super::at(&place.pointer, "trace_dir"));
        // A table as text, or its rows.
        let operators = super::at(&place.pointer, "top_operators");
        if reader.value(&operators).is_some_and(|table| !table.is_array()) {
            reader.text(&operators);
        }
    }
    let workload = config::training(&mut reader);
    let level_word = strategies::level_word(&mut reader);
    let made = Made {
        lab: "74".to_owned(),
        workload: Workload::Training(workload),
        level: strategies::level_or(level_word.as_deref(), EvidenceLevel::ProfilerTrace, device.as_ref()),
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
