//! Which runs a file about inference or several devices holds, and which of them is the reference.

use std::collections::BTreeSet;

use serde_json::Value;

use super::values::Reader;
use super::{Fault, FaultKind, Form, MAX_ENTRIES, MAX_TEXT, Place, describe, wrong_type};
use crate::read::Locate as _;
use crate::{Candidate, Phrase, ReadError};

/// A run of a file: where it stands and what it is called.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) pointer: String,
    pub(super) name: String,
    /// It has no name, or one that came before.
    pub(super) unnamed: bool,
}

/// Objects that hold one run each, and whether it is the reference.
const SINGLE: [(&str, bool); 7] = [
    ("baseline", true),
    ("reference", true),
    ("candidate", false),
    ("quantized", false),
    ("quantised", false),
    ("speculative", false),
    ("tuned", false),
];
/// Lists, or objects by name, that hold runs.
const MANY: [&str; 8] = ["candidates", "groups", "runs", "experiments", "sources", "strategies", "results", "rows"];
/// Keys of a run that name it.
const NAMES: [&str; 6] = ["name", "strategy", "label", "group", "mode", "policy"];

/// The runs of a file; the file itself where it holds none apart.
pub(super) fn of(reader: &mut Reader<'_>) -> Result<Vec<Found>, ReadError> {
    let raw = reader.raw;
    let mut found: Vec<(String, Option<String>, bool)> = Vec::new();
    for (key, reference) in SINGLE {
        match raw.get(key) {
            None | Some(Value::Null | Value::String(_)) => {}
            Some(run @ Value::Object(_)) => {
                let name = if reference { Some(Candidate::BASELINE.to_owned()) } else { named(run) };
                found.push((format!("/{key}"), Some(name.unwrap_or_else(|| key.to_owned())), reference));
            }
            Some(other) => return Err(wrong_type(&format!("/{key}"), "对象", "an object", other)),
        }
    }
    for key in MANY {
        many(raw, key, &mut found)?;
    }
    if found.is_empty() {
        let name = named(raw);
        let reference = is_reference(raw, name.as_deref());
        let name = if reference { Candidate::BASELINE.to_owned() } else { name.unwrap_or_else(|| "run".to_owned()) };
        return Ok(vec![Found { pointer: String::new(), name, unnamed: false }]);
    }
    if found.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer: String::new(), count: found.len(), limit: MAX_ENTRIES });
    }
    Ok(unique(reader, found))
}

/// The runs of one list. An entry that is no object is an error only where entries are runs.
fn many(raw: &Value, key: &str, found: &mut Vec<(String, Option<String>, bool)>) -> Result<(), ReadError> {
    let runs: Vec<(String, &Value, Option<String>)> = match raw.get(key) {
        Some(Value::Array(items)) => {
            items.iter().enumerate().map(|(index, item)| (format!("/{key}/{index}"), item, None)).collect()
        }
        Some(Value::Object(map)) if map.values().all(Value::is_object) => map
            .iter()
            .filter(|(name, _)| !name.contains(['/', '~']))
            .map(|(name, item)| (format!("/{key}/{name}"), item, Some(name.clone())))
            .collect(),
        Some(other) if key == "candidates" && !other.is_null() => {
            return Err(wrong_type("/candidates", "候选的列表", "a list of candidates", other));
        }
        _ => return Ok(()),
    };
    // What the load generator lists are requests, and a ledger's rows are no runs.
    let is_run = |item: &Value| key != "results" && key != "rows" || item.get("metrics").is_some();
    if runs.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer: format!("/{key}"), count: runs.len(), limit: MAX_ENTRIES });
    }
    for (pointer, item, own) in runs {
        if !item.is_object() {
            if key == "candidates" {
                return Err(wrong_type(&pointer, "对象", "an object", item));
            }
            continue;
        }
        if !is_run(item) || key == "candidates" && is_description(item) {
            continue;
        }
        let name = named(item).or(own);
        let reference = is_reference(item, name.as_deref());
        found.push((pointer, name, reference));
    }
    Ok(())
}

/// An architecture's record lists what it compares by name; its numbers stand elsewhere.
fn is_description(item: &Value) -> bool {
    item.as_object().is_some_and(|map| {
        map.contains_key("representation") && map.values().all(|value| value.is_string() || value.is_null())
    })
}

fn named(run: &Value) -> Option<String> {
    let homes = [run, run.get("group").unwrap_or(&Value::Null), run.get("normalized_result").unwrap_or(&Value::Null)];
    homes.iter().find_map(|home| {
        NAMES.iter().find_map(|key| {
            let text = home.get(*key)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        })
    })
}

/// Whether a run says that it is the reference: by its role, its group, or its name.
fn is_reference(run: &Value, name: Option<&str>) -> bool {
    let says = |pointer: &str| run.locate(pointer).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let role = ["/role", "/config/role", "/experiment/role", "/normalized_result/role", "/group/role"]
        .into_iter()
        .find_map(says);
    if let Some(role) = role {
        return role == Candidate::BASELINE;
    }
    let group = ["/group", "/group/name", "/experiment/group", "/experiment/experiment_group", "/experiment_group"]
        .into_iter()
        .find_map(says);
    let by_name = |text: &str| {
        text.contains(Candidate::BASELINE) || text == "g0" || text.starts_with("g0_") || text.starts_with("g0-")
    };
    group.as_deref().is_some_and(by_name)
        || name.map(str::to_ascii_lowercase).is_some_and(|name| {
            by_name(&name) || ["local", "ddp", "single_replica", "ep_balanced_routing"].contains(&name.as_str())
        })
}

/// Names the runs: one reference, and every other name once.
fn unique(reader: &mut Reader<'_>, found: Vec<(String, Option<String>, bool)>) -> Vec<Found> {
    let mut seen = BTreeSet::new();
    let mut has_reference = false;
    let mut runs = Vec::with_capacity(found.len());
    for (pointer, name, reference) in found {
        let first = reference && !has_reference;
        has_reference |= reference;
        let name = if first { Candidate::BASELINE.to_owned() } else { name.unwrap_or_default() };
        let unnamed = name.is_empty() || name.chars().count() > MAX_TEXT || !seen.insert(name.clone());
        if unnamed {
            let here = format!("{pointer}/name");
            let value = reader.raw.locate(&here);
            reader.faults.push(Fault {
                kind: FaultKind::Name,
                pointer: here,
                expected: Phrase::new("不重复的非空名称", "a non-empty name of its own"),
                found: value.map_or_else(|| Phrase::new("没有 name", "no name"), describe),
            });
        }
        runs.push(Found { pointer, name, unnamed });
    }
    runs
}

/// The place of a run.
pub(super) fn place(found: &Found, faulty: bool) -> Place {
    Place {
        pointer: found.pointer.clone(),
        form: Form::Flat,
        renamed: Vec::new(),
        runs: Vec::new(),
        faulty,
        unnamed: found.unnamed,
    }
}
