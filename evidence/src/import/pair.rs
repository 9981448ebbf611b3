//! Lab 73: FP32 and AMP as a pair, or one BF16 probe.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, Place, config, device, strategies, wrong_type};
use crate::{Candidate, EvidenceLevel, ReadError, Report, Shape, Status, Workload};

/// Pointer and name of each run of a shape.
fn sides(shape: Shape) -> &'static [(&'static str, &'static str)] {
    match shape {
        Shape::Lab73Probe => &[("/candidate", "bf16_probe")],
        _ => &[("/baseline", Candidate::BASELINE), ("/tuned", "tuned")],
    }
}

pub(super) fn import(shape: Shape, raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let mut reader = Reader::new(raw);
    strategies::blocks(&reader)?;
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let mut candidates = Vec::new();
    let mut places = Vec::new();
    for (pointer, name) in sides(shape) {
        match reader.value(pointer) {
            None => continue,
            Some(Value::Object(_)) => {}
            Some(other) => return Err(wrong_type(pointer, "对象", "an object", other)),
        }
        let (mut candidate, place) = strategies::candidate(&mut reader, pointer, Form::Lab73, on_cpu)?;
        candidate.name = (*name).to_owned();
        if candidate.metrics.is_empty() && candidate.status == Status::Ok && place.runs.is_empty() {
            continue;
        }
        candidates.push(candidate);
        places.push(Place { unnamed: false, ..place });
    }
    let mut workload = config::training(&mut reader);
    if shape == Shape::Lab73Paired {
        // The pair's workload is that of its baseline; what AMP changes belongs to the tuned run.
        workload.compute_dtype = workload.param_dtype.clone();
    }
    let mut budget = config::budget(&mut reader);
    if let Some(ms) = reader.not_negative("/budget/min_time_delta_ms") {
        budget.min_step_time_saving_ms = Some(ms);
    }
    let level_word = strategies::level_word(&mut reader);
    let projected = strategies::mode_is_projected(&mut reader);
    let made = Made {
        lab: "73".to_owned(),
        workload: Workload::Training(workload),
        level: if projected {
            EvidenceLevel::Theoretical
        } else {
            strategies::level(level_word.as_deref(), device.as_ref())
        },
        level_word,
        devices,
        device,
        candidates,
        places,
        budget,
        projected,
    };
    Ok(made.report(shape, sha256, reader))
}
