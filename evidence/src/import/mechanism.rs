//! Mechanism pages of the training side (12, 19, 42): one path without the mechanism and one with it.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, config, device, strategies, wrong_type};
use crate::{Budget, Quality, ReadError, Report, Shape, Workload};

/// The pages' own bound on the difference of outputs and gradients in FP16.
const TOLERANCE: f64 = 5e-3;

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::TrainingMechanism;
    let mut reader = Reader::new(raw);
    for block in ["/config", "/correctness"] {
        if let Some(other) = reader.value(block).filter(|value| !value.is_object()) {
            return Err(wrong_type(block, "对象", "an object", other));
        }
    }
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let (mut candidates, places) = match reader.value("/paths") {
        Some(Value::Object(sides)) => strategies::named(&mut reader, "/paths", sides, Form::Path, on_cpu)?,
        None => (Vec::new(), Vec::new()),
        Some(other) => return Err(wrong_type("/paths", "对象", "an object", other)),
    };
    let quality = correctness(&mut reader);
    for candidate in candidates.iter_mut().filter(|candidate| !candidate.is_baseline()) {
        candidate.quality =
            Quality { loss: candidate.quality.loss, eval_loss: candidate.quality.eval_loss, ..quality.clone() };
    }
    let workload = config::training(&mut reader);
    let level_word = strategies::level_word(&mut reader);
    let made = Made {
        lab: lab(raw),
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

/// The larger of the differences that the file states, beside the bound it is held against.
fn correctness(reader: &mut Reader<'_>) -> Quality {
    let differences = ["output_max_abs_diff", "input_grad_max_abs_diff", "grad_max_abs_diff", "max_abs_error"]
        .map(|key| reader.not_negative(&format!("/correctness/{key}")));
    let largest = differences.into_iter().flatten().reduce(f64::max);
    let stated = reader.positive("/correctness/tolerance");
    Quality { max_abs_error: largest, tolerance: largest.and(stated.or(Some(TOLERANCE))), ..Quality::default() }
}

/// The page: its number if the file has one, otherwise what the experiment is called after.
fn lab(raw: &Value) -> String {
    let number = super::project_number(raw);
    if !number.is_empty() {
        return number;
    }
    let name = raw.get("experiment").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
    match digits.as_str() {
        "12" | "19" | "42" => digits,
        _ if name.contains("accumul") => "12".to_owned(),
        _ if name.contains("offload") && !name.contains("checkpoint") => "42".to_owned(),
        _ => "19".to_owned(),
    }
}
