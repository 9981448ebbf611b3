//! From the shapes of the public course to the one schema.
//!
//! A new shape is a new file here. An importer is liberal about which optional fields exist and strict about the types
//! of those it uses: a part that gives the report its structure is a [`ReadError`], a single value becomes a
//! [`Fault`] and later a failed check.

mod architecture;
mod assemble;
mod config;
mod content;
mod device;
mod distributed;
mod fine_tuning;
mod inference;
mod made;
mod mechanism;
mod merge;
pub(crate) mod names;
mod normalised;
mod pair;
mod paper;
mod profile;
mod project;
mod quantised;
mod ranges;
mod recognised;
mod runs;
mod serving;
mod strategies;
mod v1;
mod values;

use serde_json::Value;

use crate::read::Locate as _;
use crate::{Phrase, ReadError, Report, Shape};

pub(crate) use architecture::{MODULES, cache_rows, citations, counts_at};
pub(crate) use assemble::is_simulated;
pub(crate) use config::{dtype_id, setting};
pub(crate) use content::shape as shape_by_content;
pub(crate) use distributed::workload_at as distributed_at;
pub(crate) use inference::workload_at as inference_at;
pub(crate) use merge::{PARTLY, traced};
pub(crate) use paper::{Fault, FaultKind, Form, Metric, Paper, Place, Run, Said};
pub(crate) use recognised::project_number;
pub(crate) use strategies::projected_at;
pub(crate) use values::{MIB, at, describe, mib};

/// More candidates, runs or scenarios than this are refused.
pub(crate) const MAX_ENTRIES: usize = 500;
/// A longer name is none; longer texts are cut where they are quoted.
pub(crate) const MAX_TEXT: usize = 200;

/// A text, cut to a length that can be quoted.
pub(crate) fn quotable(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(crate) fn import(shape: Shape, raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    match shape {
        Shape::V1 => v1::import(raw),
        Shape::Lab73Paired | Shape::Lab73Probe => pair::import(shape, raw, sha256),
        Shape::Lab76 | Shape::Lab75 => strategies::import(shape, raw, sha256),
        Shape::TrainingMemoryV1 => normalised::import(raw, sha256),
        Shape::Lab74Profile => profile::import(raw, sha256),
        Shape::Lab74Merge => merge::import(raw, sha256),
        Shape::FineTuning => fine_tuning::import(raw, sha256),
        Shape::TrainingMechanism => mechanism::import(raw, sha256),
        Shape::ProjectEvidence => project::import(raw, sha256),
        Shape::Lab66Raw | Shape::InferenceBenchmark => inference::import(shape, raw, sha256),
        Shape::Quantization => quantised::import(raw, sha256),
        Shape::Distributed => distributed::import(raw, sha256),
        Shape::Architecture => architecture::import(raw, sha256),
        other => Ok(recognised::import(other, raw, sha256)),
    }
}

/// Whether a normalised file states nothing of its workload and device: then its numbers belong to nothing.
pub(crate) fn states_nothing(shape: Shape, raw: &Value) -> bool {
    shape == Shape::TrainingMemoryV1 && normalised::states_nothing(raw)
}

/// Whether a file says of itself that it is a dry run or a preflight.
pub(crate) fn declares_dry_run(raw: &Value) -> bool {
    dry_run_at(raw).is_some()
}

/// Words of a decision that wait for a run.
const WAITING: [&str; 5] =
    ["ready_to_measure", "not_started", "blocked", "reject_until_environment_fixed", "stage_unavailable"];

/// Words for a run that measures nothing.
const DRY: [&str; 6] = ["dry_run", "dryrun", "preflight", "environment_preflight", "mock", "mocked"];
/// Words that the simulators of the course use too, whose numbers are evidence of their own kind.
const SIMULATED: [&str; 3] = ["simulated", "simulation", "simulate"];

/// Pointer to the place at which a file says of itself that it is a dry run or a preflight.
pub(crate) fn dry_run_at(raw: &Value) -> Option<&'static str> {
    let says = |pointer: &str, words: &[&str]| {
        let said = raw.locate(pointer).and_then(Value::as_str);
        said.is_some_and(|said| words.contains(&said.trim().to_ascii_lowercase().replace(['-', ' '], "_").as_str()))
    };
    let training = !may_be_simulator(raw);
    let declared =
        ["/run_mode", "/mode", "/config/run_mode", "/config/mode", "/experiment/run_mode", "/status", "/config/status"]
            .into_iter()
            .find(|pointer| says(pointer, &DRY) || training && says(pointer, &SIMULATED));
    let set = |pointer: &str| {
        let value = raw.locate(pointer);
        let on = value.is_some_and(|value| *value == Value::Bool(true) || value.as_f64() == Some(1.0));
        on || says(pointer, &["true", "yes", "1", "on"])
    };
    let flagged = ["/dry_run", "/is_dry_run", "/dryRun", "/config/dry_run", "/config/is_dry_run", "/config/dryRun"]
        .into_iter()
        .chain(["/mock", "/config/mock"])
        .chain(["/simulated", "/config/simulated"].into_iter().filter(|_| training))
        .find(|pointer| set(pointer));
    let staged = Some("/stage").filter(|pointer| says(pointer, &["environment_preflight"]));
    declared.or(flagged).or(staged).or_else(|| waiting_at(raw, says))
}

/// Whether a file is of a lab about inference or several devices, which the course also simulates on a processor.
fn may_be_simulator(raw: &Value) -> bool {
    let family = raw.get("schema_version").and_then(Value::as_str).and_then(|name| name.split('/').next());
    let served = family.is_some_and(|family| {
        ["inference", "quantiz", "distributed", "architecture"].iter().any(|kind| family.starts_with(kind))
    });
    served || raw.get("metrics").is_some() || content::shape(raw).is_some()
}

/// Where a file without a single number of a measurement says that its run is still to come.
fn waiting_at(raw: &Value, says: impl Fn(&str, &[&str]) -> bool) -> Option<&'static str> {
    if recognised::has_numbers(raw) {
        return None;
    }
    let level = Some("/evidence_level").filter(|pointer| says(pointer, &["environment_preflight"]));
    let word = ["/decision/decision", "/decision"].into_iter().find(|pointer| says(pointer, &WAITING));
    let blocked = ["/environment_preflight/status", "/status"].into_iter().find(|pointer| says(pointer, &["blocked"]));
    // A preflight alone, or the block that a preflight writes, standing by itself.
    let has = |key: &str| raw.get(key).is_some();
    let alone = has("environment_preflight") && !["candidates", "candidate", "baseline", "tuned"].into_iter().any(has);
    let bare = has("ready") && has("required_packages_missing");
    level
        .or(word)
        .or(blocked)
        .or_else(|| alone.then_some("/environment_preflight"))
        .or_else(|| bare.then_some("/ready"))
}

/// The error for a value of the wrong type where the report's structure depends on it.
pub(crate) fn wrong_type(pointer: &str, zh: &str, en: &str, found: &Value) -> ReadError {
    ReadError::Field { pointer: pointer.to_owned(), expected: Phrase::new(zh, en), found: describe(found) }
}
