//! From the shapes of the public course to the one schema.
//!
//! A new shape is a new file here. An importer is liberal about which optional fields exist and strict about the types
//! of those it uses: a part that gives the report its structure is a [`ReadError`], a single value becomes a
//! [`Fault`] and later a failed check.

mod config;
mod device;
mod pair;
mod paper;
mod ranges;
mod recognised;
mod strategies;
mod v1;
mod values;

use serde_json::Value;

use crate::{Phrase, ReadError, Report, Shape};

pub(crate) use config::{dtype_id, setting};
pub(crate) use paper::{Fault, FaultKind, Form, Metric, Paper, Place, Run, Said};
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
        other => Ok(recognised::import(other, raw, sha256)),
    }
}

/// Whether a file says of itself that it is a dry run or a preflight.
pub(crate) fn declares_dry_run(raw: &Value) -> bool {
    let says = |pointer: &str, word: &str| raw.pointer(pointer).and_then(Value::as_str) == Some(word);
    let declared = ["/run_mode", "/mode", "/config/run_mode", "/config/mode", "/experiment/run_mode"]
        .iter()
        .any(|pointer| says(pointer, "dry_run") || says(pointer, "dry-run") || says(pointer, "dryrun"));
    let flagged =
        ["/dry_run", "/config/dry_run"].iter().any(|pointer| raw.pointer(pointer) == Some(&Value::Bool(true)));
    let waiting = ["/decision/decision", "/decision"].iter().any(|pointer| says(pointer, "ready_to_measure"));
    declared
        || flagged
        || says("/stage", "environment_preflight")
        || (says("/evidence_level", "environment_preflight") || waiting) && !recognised::has_numbers(raw)
}

/// The error for a value of the wrong type where the report's structure depends on it.
pub(crate) fn wrong_type(pointer: &str, zh: &str, en: &str, found: &Value) -> ReadError {
    ReadError::Field { pointer: pointer.to_owned(), expected: Phrase::new(zh, en), found: describe(found) }
}
