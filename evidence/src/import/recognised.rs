//! Shapes that are known by name and not graded yet, and dry runs of any shape.

use serde_json::Value;

use super::{Paper, Said, device, made, strategies};
use crate::{EvidenceLevel, Report, Shape, Training, Workload};

pub(super) fn import(shape: Shape, raw: &Value, sha256: &str) -> (Report, Paper) {
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let word = raw.get("evidence_level").and_then(Value::as_str).map(str::to_owned);
    let level = match shape {
        Shape::DryRun => EvidenceLevel::Preflight,
        // Whatever it says of itself, nobody knows what its numbers are.
        Shape::Unrecognised => EvidenceLevel::Preflight,
        _ => strategies::level(word.as_deref(), device.as_ref()),
    };
    let report = Report {
        schema: crate::SchemaId::V1,
        lab: lab(shape, raw),
        workload: Workload::Training(Training::default()),
        device,
        level,
        roofline: None,
        ledger: Vec::new(),
        candidates: Vec::new(),
        boundaries: Vec::new(),
        budget: None,
        decision: made::decision(raw),
        source: Some(made::source(shape, sha256)),
        learner_code: None,
        conditions: None,
    };
    (report, Paper { said: Said::read(raw), devices, level_word: word, ..Paper::default() })
}

/// The leading digits of `project` or `chapter`; empty when there are none that could be a lab's.
pub(crate) fn project_number(raw: &Value) -> String {
    let number = match raw.get("project").or_else(|| raw.get("chapter")) {
        Some(Value::String(text)) => text.chars().take_while(char::is_ascii_digit).collect(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    if number.len() <= 4 { number } else { String::new() }
}

/// The lab's number, from the shape or from the leading digits of `project`.
fn lab(shape: Shape, raw: &Value) -> String {
    let number = project_number(raw);
    match shape {
        _ if !number.is_empty() => number,
        Shape::Lab66Raw => "66".to_owned(),
        // A preflight of a course lab names its stage, or the one that would have followed.
        Shape::DryRun => match raw.get("stage").and_then(Value::as_str) {
            Some("measurement_baseline" | "bf16_capacity_probe") => "73".to_owned(),
            Some("activation_checkpoint_offload_benchmark") => "76".to_owned(),
            Some("memory_budget_decision") => "75".to_owned(),
            _ if raw.get("candidates").or_else(|| raw.get("baseline_validation")).is_some() => "76".to_owned(),
            _ if raw.get("next_stage").is_some() => "73".to_owned(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// Blocks that describe the plan or the machine, not a measurement.
const PLANS: [&str; 10] = [
    "config",
    "budget",
    "quality_floor",
    "environment_preflight",
    "environment",
    "runtime",
    "hardware",
    "experiment",
    "planning_context",
    "thresholds",
];
const MEASURES: [&str; 6] = ["_ms", "_mb", "_bytes", "_per_s", "loss", "_tps"];

/// Whether any block that holds results holds a number of a measure.
pub(super) fn has_numbers(raw: &Value) -> bool {
    match raw {
        Value::Object(map) => map.iter().any(|(key, value)| {
            if PLANS.contains(&key.as_str()) {
                return false;
            }
            let measured = value.is_number() && MEASURES.iter().any(|suffix| key.ends_with(suffix));
            measured || has_numbers(value)
        }),
        Value::Array(items) => items.iter().any(has_numbers),
        _ => false,
    }
}
