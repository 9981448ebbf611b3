//! Labs 76 and 75: strategies against a baseline. The parts that lab 73 shares are here too.

use std::collections::BTreeSet;

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{
    Fault, FaultKind, Form, MAX_ENTRIES, MAX_TEXT, Metric, Paper, Place, Run, at, config, describe, device, wrong_type,
};
use crate::read::Locate as _;
use crate::{
    Candidate, DeviceFacts, EvidenceClass, EvidenceLevel, Metrics, Phrase, Quality, ReadError, Report, Shape, Status,
    Workload,
};

pub(super) fn import(shape: Shape, raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let mut reader = Reader::new(raw);
    blocks(&reader)?;
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let (candidates, places) = candidates(&mut reader, Form::Flat, on_cpu(device.as_ref()))?;
    let workload = config::training(&mut reader);
    let budget = config::budget(&mut reader);
    let level_word = level_word(&mut reader);
    let projected = mode_is_projected(&mut reader);
    let made = Made {
        lab: if shape == Shape::Lab75 { "75" } else { "76" }.to_owned(),
        workload: Workload::Training(workload),
        level: if projected { EvidenceLevel::Theoretical } else { level(level_word.as_deref(), device.as_ref()) },
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

const OBJECTS: [&str; 11] = [
    "/config",
    "/budget",
    "/quality_floor",
    "/summary",
    "/experiment",
    "/standard_metrics",
    "/baseline_validation",
    "/baseline_validation/config",
    "/planning_context",
    "/environment_preflight",
    "/sensitivity_summary",
];

/// The blocks that give a report its structure are objects wherever they are there, and its lists lists.
pub(super) fn blocks(reader: &Reader<'_>) -> Result<(), ReadError> {
    for block in OBJECTS {
        if let Some(other) = reader.value(block).filter(|value| !value.is_object()) {
            return Err(wrong_type(block, "对象", "an object", other));
        }
    }
    for block in ["/sensitivity", "/summary/evaluations", "/summary/feasible_names", "/config/strategies"] {
        if let Some(other) = reader.value(block).filter(|value| !value.is_array()) {
            return Err(wrong_type(block, "列表", "a list", other));
        }
    }
    Ok(())
}

/// Where a file may say how its numbers came about.
const MODES: [&str; 3] = ["/evidence_mode", "/config/evidence_mode", "/planning_context/evidence_mode"];
/// Words for numbers that nobody measured.
const PROJECTED: [&str; 6] = ["projected", "projection", "estimated", "estimate", "theoretical", "extrapolated"];

/// Pointer to the place at which a file calls itself a projection.
pub(crate) fn projected_at(raw: &Value) -> Option<&'static str> {
    let says = |pointer: &&str| {
        let word = raw.locate(pointer).and_then(Value::as_str).unwrap_or_default().trim().to_ascii_lowercase();
        PROJECTED.contains(&word.as_str())
    };
    MODES.into_iter().find(says)
}

/// Whether `evidence_mode` says that nothing was measured. Only a measurement can be graded; an unknown word is a fault.
pub(super) fn mode_is_projected(reader: &mut Reader<'_>) -> bool {
    if projected_at(reader.raw).is_some() {
        return true;
    }
    let pointer = "/evidence_mode";
    if let Some(other) = reader.text(pointer).filter(|word| !word.trim().eq_ignore_ascii_case("measured")) {
        reader.faults.push(Fault {
            kind: FaultKind::Type,
            pointer: pointer.to_owned(),
            expected: Phrase::plain("measured | projected"),
            found: Phrase::plain(format!("{:?}", super::quotable(&other))),
        });
    }
    false
}

/// The candidates of `/candidates`, each with a name of its own.
pub(super) fn candidates(
    reader: &mut Reader<'_>,
    form: Form,
    on_cpu: bool,
) -> Result<(Vec<Candidate>, Vec<Place>), ReadError> {
    let items = match reader.value("/candidates") {
        None => return Ok((Vec::new(), Vec::new())),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(wrong_type("/candidates", "候选的列表", "a list of candidates", other)),
    };
    if items.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer: "/candidates".to_owned(), count: items.len(), limit: MAX_ENTRIES });
    }
    let mut candidates = Vec::with_capacity(items.len());
    let mut places = Vec::with_capacity(items.len());
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let pointer = format!("/candidates/{index}");
        if !item.is_object() {
            return Err(wrong_type(&pointer, "对象", "an object", item));
        }
        let (mut candidate, mut place) = candidate(reader, &pointer, form, on_cpu)?;
        let name = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.is_empty() || name.chars().count() > MAX_TEXT || !seen.insert(name.clone()) {
            place.unnamed = true;
            let found = item.get("name").map_or_else(|| Phrase::new("没有 name", "no name"), describe);
            reader.faults.push(Fault {
                kind: FaultKind::Name,
                pointer: at(&pointer, "name"),
                expected: Phrase::new("不重复的非空名称", "a non-empty name of its own"),
                found,
            });
        }
        candidate.name = name;
        candidates.push(candidate);
        places.push(place);
    }
    Ok((candidates, places))
}

/// Candidates that are keyed by their names: the baseline first, the others in the order of their names.
pub(super) fn named(
    reader: &mut Reader<'_>,
    home: &str,
    sides: &serde_json::Map<String, Value>,
    form: Form,
    on_cpu: bool,
) -> Result<(Vec<Candidate>, Vec<Place>), ReadError> {
    if sides.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer: home.to_owned(), count: sides.len(), limit: MAX_ENTRIES });
    }
    let mut entries: Vec<(&String, &Value)> = sides.iter().collect();
    entries.sort_by_key(|(name, _)| (*name != Candidate::BASELINE, *name));
    let (mut candidates, mut places) = (Vec::new(), Vec::new());
    for (name, side) in entries {
        let pointer = at(home, &name.replace('~', "~0").replace('/', "~1"));
        if !side.is_object() {
            return Err(wrong_type(&pointer, "对象", "an object", side));
        }
        let (candidate, place) = candidate(reader, &pointer, form, on_cpu)?;
        let unnamed = name.is_empty() || name.chars().count() > MAX_TEXT;
        candidates.push(Candidate { name: super::quotable(name), ..candidate });
        places.push(Place { unnamed, ..place });
    }
    Ok((candidates, places))
}

/// One run or candidate at a pointer; its name is the caller's.
pub(super) fn candidate(
    reader: &mut Reader<'_>,
    pointer: &str,
    form: Form,
    on_cpu: bool,
) -> Result<(Candidate, Place), ReadError> {
    let faults_before = reader.faults.len();
    let (metrics, loss, eval_loss) = metrics(reader, pointer, form, on_cpu);
    let renamed = renamed(reader, pointer, form);
    let status_pointer = at(pointer, "status");
    let status = match reader.text(&status_pointer) {
        None => Status::Ok,
        Some(word) => Status::from_id(&word).unwrap_or_else(|| {
            reader.faults.push(Fault {
                kind: FaultKind::Status,
                pointer: status_pointer,
                expected: Phrase::plain("ok | oom | partial_oom | failed"),
                found: Phrase::plain(format!("{word:?}")),
            });
            Status::Failed
        }),
    };
    let faulty = reader.faults.len() > faults_before;
    let runs = runs(reader, pointer, form, on_cpu)?;
    repeats(reader, pointer)?;
    let candidate = Candidate {
        name: String::new(),
        status,
        metrics,
        quality: Quality { loss, eval_loss, ..Quality::default() },
        runs: runs.iter().filter(|run| run.ok).map(|run| run.metrics.clone()).collect(),
        error: reader.text(&at(pointer, "error")),
        timeline: Vec::new(),
    };
    Ok((candidate, Place { pointer: pointer.to_owned(), form, renamed, runs, faulty, unnamed: false }))
}

/// What a candidate says about its repeats; the checks read it again, here only its types are looked at.
fn repeats(reader: &mut Reader<'_>, pointer: &str) -> Result<(), ReadError> {
    let stability = at(pointer, "stability");
    if let Some(other) = reader.value(&stability).filter(|value| !value.is_object()) {
        return Err(wrong_type(&stability, "对象", "an object", other));
    }
    for home in [pointer, &stability] {
        for key in ["successful_runs", "oom_runs"] {
            reader.count(&at(home, key));
        }
    }
    for key in ["step_time_range_ms", "throughput_range_samples_per_s", "peak_memory_range_mb"] {
        reader.not_negative(&at(&stability, key));
    }
    Ok(())
}

/// Pointer to a metric under the first of its names that the file has.
fn metric_at(reader: &Reader<'_>, pointer: &str, form: Form, metric: Metric) -> String {
    let names = form.keys(metric).iter().map(|name| at(pointer, name));
    names.into_iter().find(|place| reader.value(place).is_some()).unwrap_or_else(|| at(pointer, form.key(metric)))
}

/// The metrics that a file calls by another name than its form does.
fn renamed(reader: &Reader<'_>, pointer: &str, form: Form) -> Vec<(Metric, &'static str)> {
    let there = |name: &str| reader.value(&at(pointer, name)).is_some();
    Metric::ALL
        .into_iter()
        .filter(|metric| !there(form.key(*metric)))
        .filter_map(|metric| Some((metric, *form.keys(metric).iter().find(|name| there(name))?)))
        .collect()
}

fn metrics(reader: &mut Reader<'_>, pointer: &str, form: Form, on_cpu: bool) -> (Metrics, Option<f64>, Option<f64>) {
    let place = |reader: &Reader<'_>, metric| metric_at(reader, pointer, form, metric);
    let step = place(reader, Metric::StepTime);
    let rate = place(reader, Metric::SamplesPerS);
    let allocated = place(reader, Metric::Allocated);
    let reserved = place(reader, Metric::Reserved);
    let before = place(reader, Metric::AllocatedBefore);
    let metrics = Metrics {
        step_time_ms: reader.positive(&step),
        samples_per_s: reader.positive(&rate),
        peak_allocated_bytes: reader.mib_field(&allocated, on_cpu),
        peak_reserved_bytes: reader.mib_field(&reserved, on_cpu),
        allocated_before_bytes: reader.mib_or_zero(&before),
        ..Metrics::default()
    };
    let (loss, eval_loss) = (place(reader, Metric::Loss), place(reader, Metric::EvalLoss));
    (metrics, reader.not_negative(&loss), reader.not_negative(&eval_loss))
}

fn runs(reader: &mut Reader<'_>, pointer: &str, form: Form, on_cpu: bool) -> Result<Vec<Run>, ReadError> {
    let home = at(pointer, if form == Form::Normalised { "legacy_fields/runs" } else { "runs" });
    let form = form.of_runs();
    let items = match reader.value(&home) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(wrong_type(&home, "重复的列表", "a list of runs", other)),
    };
    if items.len() > MAX_ENTRIES {
        return Err(ReadError::TooMany { pointer: home, count: items.len(), limit: MAX_ENTRIES });
    }
    let mut runs = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let here = format!("{home}/{index}");
        if !item.is_object() {
            return Err(wrong_type(&here, "对象", "an object", item));
        }
        let ok = reader.text(&at(&here, "status")).is_none_or(|status| status == "ok");
        let (metrics, loss, eval_loss) = metrics(reader, &here, form, on_cpu);
        runs.push(Run { ok, metrics, loss, eval_loss });
    }
    Ok(runs)
}

/// Lab 73 writes 0 for the peaks of a CPU: that is "not measured".
pub(super) fn on_cpu(device: Option<&DeviceFacts>) -> bool {
    device.is_some_and(|device| device.evidence_class() == EvidenceClass::Cpu)
}

pub(super) fn level_word(reader: &mut Reader<'_>) -> Option<String> {
    reader.text("/evidence_level")
}

/// The level a word claims, never above what the device can reach.
pub(super) fn level(word: Option<&str>, device: Option<&DeviceFacts>) -> EvidenceLevel {
    level_or(word, EvidenceLevel::GpuSmoke, device)
}

/// The same with the level of a file that claims none, or none we know.
pub(super) fn level_or(word: Option<&str>, own: EvidenceLevel, device: Option<&DeviceFacts>) -> EvidenceLevel {
    let class = device.map_or(EvidenceClass::Unproven, DeviceFacts::evidence_class);
    word.and_then(EvidenceLevel::from_word).unwrap_or(own).capped(class)
}
