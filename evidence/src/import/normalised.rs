//! `training-memory-benchmark/v1`: 73, 75 or 76 as the course's normaliser rewrites them.
//!
//! Metrics and quality stand apart, memory stays in MiB, and the original candidate is kept in `legacy_fields`.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Fault, FaultKind, Form, Paper, at, config, describe, device, strategies, wrong_type};
use crate::stage::Stage;
use crate::{Phrase, ReadError, Report, Shape, Status, Training, Workload};

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::TrainingMemoryV1;
    let stage = Stage::of(shape, raw);
    let mut reader = Reader::new(raw);
    strategies::blocks(&reader)?;
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let (mut candidates, places) =
        strategies::candidates(&mut reader, Form::Normalised, strategies::on_cpu(device.as_ref()))?;
    for (candidate, place) in candidates.iter_mut().zip(&places) {
        for block in ["metrics", "quality", "legacy_fields"] {
            let pointer = at(&place.pointer, block);
            if let Some(other) = reader.value(&pointer).filter(|value| !value.is_object()) {
                return Err(wrong_type(&pointer, "对象", "an object", other));
            }
        }
        if ran_out(&mut reader, &at(&place.pointer, "metrics/oom")) && candidate.status == Status::Ok {
            candidate.status = Status::Oom;
        }
    }
    let workload = workload(&mut reader, stage);
    let mut budget = config::budget(&mut reader);
    budget.min_step_time_saving_ms = reader.not_negative("/budget/min_time_delta_ms");
    let level_word = strategies::level_word(&mut reader);
    let projected = strategies::mode_is_projected(&mut reader);
    let made = Made {
        lab: stage.map_or_else(|| super::project_number(raw), |stage| stage.lab().to_owned()),
        workload: Workload::Training(workload),
        level: strategies::level(level_word.as_deref(), device.as_ref()),
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

fn ran_out(reader: &mut Reader<'_>, pointer: &str) -> bool {
    match reader.value(pointer) {
        None => false,
        Some(Value::Bool(oom)) => *oom,
        Some(other) => {
            reader.faults.push(Fault {
                kind: FaultKind::Type,
                pointer: pointer.to_owned(),
                expected: Phrase::plain("true | false"),
                found: describe(other),
            });
            false
        }
    }
}

/// The normaliser writes `amp_dtype` as `dtype` where there is one. A label below FP32 therefore says what was computed
/// in, not what the parameters are stored in, and in a pair it says nothing about the baseline.
fn workload(reader: &mut Reader<'_>, stage: Option<Stage>) -> Training {
    let mut workload = config::training(reader);
    let stated = config::setting(reader.raw, &["param_dtype"]).is_some();
    if !stated && workload.param_dtype.as_deref().is_some_and(|dtype| dtype != "fp32") {
        workload.param_dtype = None;
        if stage == Some(Stage::Pair) {
            workload.compute_dtype = None;
        }
    } else if stage == Some(Stage::Pair) {
        // As in 73 itself: the pair's workload is that of its baseline.
        workload.compute_dtype = workload.param_dtype.clone();
    }
    workload
}

/// Whether a normalised file states nothing of its workload and device.
pub(super) fn states_nothing(raw: &Value) -> bool {
    let block = raw.get("config").and_then(Value::as_object);
    block.is_none_or(|block| block.values().all(Value::is_null))
}
