//! From the runs of a file about inference or several devices to a report: device, level, limits, decision.

use serde_json::Value;

use super::made::Made;
use super::names::{self, described, threshold};
use super::runs::{self, Found};
use super::values::Reader;
use super::{Paper, Place, device, serving, strategies};
use crate::read::Locate as _;
use crate::report::ServingLimits;
use crate::{Budget, Candidate, DeviceFacts, EvidenceClass, EvidenceLevel, ReadError, Report, Shape, Workload};

/// A file whose runs were read.
pub(super) struct Parts<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) places: Vec<Place>,
    devices: Vec<(String, String)>,
    pub(super) device: Option<DeviceFacts>,
}

/// Reads every run of a file.
pub(super) fn parts(raw: &Value) -> Result<Parts<'_>, ReadError> {
    let mut reader = Reader::new(raw);
    let found = runs::of(&mut reader)?;
    read_parts(reader, &found)
}

/// Reads the runs that a caller found.
pub(super) fn parts_of(raw: &Value, found: Vec<Found>) -> Result<Parts<'_>, ReadError> {
    read_parts(Reader::new(raw), &found)
}

fn read_parts<'a>(mut reader: Reader<'a>, found: &[Found]) -> Result<Parts<'a>, ReadError> {
    let raw = reader.raw;
    let mut devices = device::places(raw);
    for run in found.iter().filter(|run| !run.pointer.is_empty()) {
        devices.extend(device::places_of(raw, &run.pointer));
    }
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let (candidates, places) = read_all(&mut reader, found, on_cpu)?;
    Ok(Parts { reader, candidates, places, devices, device })
}

fn read_all(reader: &mut Reader<'_>, found: &[Found], on_cpu: bool) -> Result<(Vec<Candidate>, Vec<Place>), ReadError> {
    let (mut candidates, mut places) = (Vec::with_capacity(found.len()), Vec::with_capacity(found.len()));
    for run in found {
        let (candidate, place) = serving::run(reader, run, on_cpu)?;
        candidates.push(candidate);
        places.push(place);
    }
    Ok((candidates, places))
}

/// Puts the parts together.
pub(super) fn report(
    shape: Shape,
    lab: String,
    workload: Workload,
    sha256: &str,
    mut parts: Parts<'_>,
) -> (Report, Paper) {
    let raw = parts.reader.raw;
    let budget = budget(&mut parts.reader, &lab);
    let level_word = level_word(&mut parts.reader);
    let level = level(raw, level_word.as_deref(), &workload, &parts);
    let made = Made {
        lab,
        workload,
        level,
        level_word,
        devices: parts.devices,
        device: parts.device,
        candidates: parts.candidates,
        places: parts.places,
        budget,
        projected: false,
    };
    made.report(shape, sha256, parts.reader)
}

/// The file's own word for its level. A normalised file that measured nothing of the kind writes `not_recorded`.
fn level_word(reader: &mut Reader<'_>) -> Option<String> {
    let pointer = ["/evidence_level", "/evidence_boundary", "/normalized_result/evidence_level"]
        .into_iter()
        .find(|pointer| reader.value(pointer).is_some())?;
    reader.text(pointer).filter(|word| word != "not_recorded")
}

/// The level that a word claims and the content carries.
fn level(raw: &Value, word: Option<&str>, workload: &Workload, parts: &Parts<'_>) -> EvidenceLevel {
    let claimed = word.and_then(EvidenceLevel::from_word);
    if claimed == Some(EvidenceLevel::Theoretical) {
        return EvidenceLevel::Theoretical;
    }
    if is_simulated(raw) {
        return EvidenceLevel::CpuSimulation;
    }
    let class = parts.device.as_ref().map_or(EvidenceClass::Unproven, DeviceFacts::evidence_class);
    let served = matches!(workload, Workload::Inference(inference) if inference.framework.is_some());
    let several = parts.candidates.iter().any(|run| run.metrics.ranks.as_ref().is_some_and(|ranks| ranks.count() > 1));
    let level = match claimed {
        // A server that is not named and ranks without numbers carry no more than one run on a GPU.
        Some(EvidenceLevel::ServingBackend) if !served => EvidenceLevel::GpuSmoke,
        Some(EvidenceLevel::MultiGpu) if !several => EvidenceLevel::GpuSmoke,
        Some(level) => level,
        None if several => EvidenceLevel::MultiGpu,
        None if served => EvidenceLevel::ServingBackend,
        None => EvidenceLevel::GpuSmoke,
    };
    level.capped(class)
}

/// Keys that only the course's simulators write.
const SIMULATORS: [&str; 12] = [
    "round_trace",
    "prefill_work_reduction",
    "cache_size_blocks",
    "batch_speedup",
    "kv_cache_tokens_peak",
    "prefill_ms_per_token",
    "decode_ms_per_token",
    "single_replica_time_ms",
    "throughput_req_per_ms",
    "draft_tokens",
    "peak_mem_per_request_mb",
    "service_ms",
];
/// What a file may hold before its keys are no longer looked at.
const DEPTH: usize = 8;

/// Whether the numbers come from a simulator on the processor: the file says so, or only a simulator writes such keys.
pub(crate) fn is_simulated(raw: &Value) -> bool {
    let says = |pointer: &str| raw.locate(pointer).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let declared = ["/evidence_level", "/run_mode", "/mode", "/backend", "/config/backend", "/config/mode"]
        .into_iter()
        .filter_map(says)
        .any(|text| text.contains("simulat"));
    declared || raw.get("base_url").is_none() && has_key(raw, &SIMULATORS, DEPTH)
}

fn has_key(value: &Value, keys: &[&str], depth: usize) -> bool {
    match value {
        _ if depth == 0 => false,
        Value::Object(map) => {
            map.iter().any(|(key, value)| keys.contains(&key.as_str()) || has_key(value, keys, depth - 1))
        }
        // Lists hold equal things: the first few tell.
        Value::Array(items) => items.iter().take(4).any(|item| has_key(item, keys, depth - 1)),
        _ => false,
    }
}

/// The thresholds a file states, by their names in the course. Labs 66 and 70 use one name for a share and for a rate.
fn budget(reader: &mut Reader<'_>, lab: &str) -> Budget {
    let gain = limit(reader, &["min_throughput_gain", "min_throughput_gain_tps", "min_throughput_delta"]);
    let as_share = lab == "66";
    let serving = ServingLimits {
        min_throughput_gain_ratio: gain.filter(|_| as_share).or_else(|| limit(reader, &["min_throughput_gain_ratio"])),
        min_throughput_gain: gain.filter(|_| !as_share),
        max_ttft_regression_ms: limit(reader, &["max_ttft_regression_ms"]),
        min_latency_saving_ms: limit(reader, &["min_latency_delta_ms", "min_latency_saving_ms"]),
        max_error: limit(reader, &["error_budget", "max_error"]),
        min_acceptance_rate: limit(reader, &["min_acceptance_rate"]),
        max_verify_cost_ms: limit(reader, &["max_verify_cost_delta", "max_verify_cost_ms"]),
        min_hit_rate_gain: limit(reader, &["min_hit_rate_gain"]),
        max_overhead: limit(reader, &["max_overhead"]),
        min_fairness: limit(reader, &["min_fairness"]),
        max_imbalance: limit(reader, &["max_imbalance", "max_imbalance_ratio"]),
        min_stability: limit(reader, &["min_stability"]),
        max_overflow: limit(reader, &["max_overflow"]),
        max_communication_ms: limit(reader, &["max_comm_increase_ms", "max_communication_ms"]),
        max_communication_ratio: limit(reader, &["max_comm_ratio", "max_communication_ratio"]),
        min_greedy_agreement: limit(reader, &["min_greedy_agreement", "min_greedy_prefix_agreement"]),
    };
    Budget {
        memory_cap_bytes: threshold(reader.raw, &["memory_budget_mb", "memory_cap_mb"])
            .and_then(|pointer| reader.mib_field(&pointer, false)),
        min_memory_saving_bytes: limit(reader, &["min_vram_delta_mb", "min_memory_saving_mb"])
            .map(|mib| (mib * super::MIB).round() as u64),
        serving: (serving != ServingLimits::default()).then_some(serving),
        ..Budget::default()
    }
}

fn limit(reader: &mut Reader<'_>, names: &[&str]) -> Option<f64> {
    let pointer = threshold(reader.raw, names)?;
    reader.not_negative(&pointer)
}

/// Text of a setting, wherever the file keeps it.
pub(super) fn text(reader: &mut Reader<'_>, at: &str, names: &[&str]) -> Option<String> {
    let pointer = described(reader.raw, at, names)?;
    match reader.value(&pointer)? {
        Value::String(text) => Some(super::quotable(text)),
        // A block under the same name describes it; see there.
        Value::Object(_) => None,
        _ => reader.text(&pointer),
    }
}

/// Count of a setting; a mean of counts is rounded.
pub(super) fn count(reader: &mut Reader<'_>, at: &str, names: &[&str]) -> Option<u64> {
    let pointer = described(reader.raw, at, names)?;
    match reader.value(&pointer)? {
        Value::Array(_) | Value::Object(_) => None,
        Value::Number(number) if number.as_u64().is_none() => {
            reader.not_negative(&pointer).map(|number| number.round() as u64)
        }
        _ => reader.count(&pointer),
    }
}

/// Server and version, where the file names them.
pub(super) fn framework(reader: &mut Reader<'_>, at: &str) -> Option<String> {
    let raw = reader.raw;
    let of_block = |key: &str| {
        [format!("{at}/backend/{key}"), format!("/backend/{key}")]
            .into_iter()
            .find_map(|pointer| raw.locate(&pointer)?.as_str())
    };
    let name = of_block("name").map(str::to_owned).or_else(|| text(reader, at, names::BACKEND))?;
    // What `make_result` writes when nobody said.
    if ["local", "unknown", "cpu", "none"].contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let version = of_block("version").map(str::to_owned).or_else(|| {
        let named = format!("{}_version", name.to_ascii_lowercase());
        text(reader, at, &["backend_version", named.as_str(), "server_version"])
    });
    Some(match version {
        Some(version) => format!("{name} {version}"),
        None => name,
    })
}

/// The lab's number: the leading digits of `project` or `chapter`.
pub(super) fn number(raw: &Value) -> Option<String> {
    let project = raw.get("project").or_else(|| raw.get("chapter")).or_else(|| raw.get("lab"))?;
    let digits = match project {
        Value::String(text) => text.chars().take_while(char::is_ascii_digit).collect::<String>(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    (!digits.is_empty() && digits.len() <= 4 && digits.chars().all(|c| c.is_ascii_digit())).then_some(digits)
}
