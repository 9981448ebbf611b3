//! Lab 74, put together: what 73, 76 and 75 say beside a profile, or one change measured before and after.
//!
//! `profiling-project/v1` repeats the numbers of other reports; what was measured under the profiler, if anything, is
//! its `standard_metrics`. The two `profiling-optimization…/v1` shapes carry a baseline and a tuned run.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, config, device, strategies, wrong_type};
use crate::read::Locate as _;
use crate::{Budget, EvidenceLevel, ReadError, Report, Shape, Workload};

/// Parts that are objects wherever they are there.
const OBJECTS: [&str; 9] = [
    "/upstream",
    "/upstream/73_training_baseline",
    "/upstream/76_strategy_summary",
    "/upstream/75_budget_summary",
    "/profiling",
    "/profile",
    "/thresholds",
    "/config",
    "/experiment",
];

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::Lab74Merge;
    let mut reader = Reader::new(raw);
    for block in OBJECTS {
        if let Some(other) = reader.value(block).filter(|value| !value.is_object()) {
            return Err(wrong_type(block, "对象", "an object", other));
        }
    }
    for block in ["/profiling/expected_strategies", "/profiling/missing_strategies"] {
        if let Some(other) = reader.value(block).filter(|value| !value.is_array()) {
            return Err(wrong_type(block, "列表", "a list", other));
        }
    }
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let (candidates, places) = match reader.value("/candidates") {
        Some(Value::Object(sides)) => {
            strategies::named(&mut reader, "/candidates", sides, form(sides.values()), on_cpu)?
        }
        None => match reader.value("/standard_metrics") {
            // A table of something else than rows of metrics is not taken for one.
            Some(Value::Object(rows)) if rows.values().all(Value::is_object) => {
                strategies::named(&mut reader, "/standard_metrics", rows, Form::Flat, on_cpu)?
            }
            _ => (Vec::new(), Vec::new()),
        },
        Some(other) => {
            let form = form(other.as_array().into_iter().flatten());
            strategies::candidates(&mut reader, form, on_cpu)?
        }
    };
    let workload = config::training(&mut reader);
    reader.text("/profiling/status");
    for pointer in THRESHOLDS {
        reader.not_negative(pointer);
    }
    let level_word = strategies::level_word(&mut reader);
    // Without a candidate of its own the file is as good as the trace it names.
    let own =
        if candidates.is_empty() && !traced(raw) { EvidenceLevel::Preflight } else { EvidenceLevel::ProfilerTrace };
    let made = Made {
        lab: "74".to_owned(),
        workload: Workload::Training(workload),
        level: strategies::level_or(level_word.as_deref(), own, device.as_ref()),
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

/// Metrics stand in a candidate itself, or in a block of their own.
fn form<'a>(mut candidates: impl Iterator<Item = &'a Value>) -> Form {
    let apart = candidates.any(|candidate| candidate.get("metrics").is_some_and(Value::is_object));
    if apart { Form::Normalised } else { Form::Flat }
}

/// Where a file may state the gains it asks for.
const THRESHOLDS: [&str; 4] = [
    "/thresholds/min_time_delta_ms",
    "/thresholds/min_throughput_delta",
    "/validation/min_time_delta_ms",
    "/validation/min_throughput_delta",
];

/// Whether the file says that traces were collected, all of them or some.
pub(crate) fn traced(raw: &Value) -> bool {
    let status = ["/profiling/status", "/profile/status"].iter().find_map(|pointer| raw.locate(pointer)?.as_str());
    status.is_some_and(|status| status == "collected" || status == PARTLY)
}

/// The status of a collection in which some strategy has no trace.
pub(crate) const PARTLY: &str = "incomplete";
