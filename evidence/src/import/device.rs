//! The device that a file of the course names.

use serde_json::Value;

use crate::read::Locate as _;
use crate::{DeviceFacts, EvidenceClass};

/// Where a file may name its device. The first is the measurement's own.
const PLACES: [&str; 21] = [
    "/config/device",
    "/experiment/device",
    "/planning_context/measured_hardware",
    "/environment/device",
    "/environment/gpu",
    "/environment/gpu_name",
    "/environment/device_name",
    "/runtime/device",
    "/environment_preflight/runtime/device",
    "/environment_preflight/runtime/gpu_name",
    "/hardware",
    "/hardware/device",
    "/hardware/name",
    "/hardware/type",
    "/hardware/gpu",
    "/hardware/gpu_name",
    "/config/hardware",
    "/config/gpu",
    "/experiment_contract/hardware/device",
    "/baseline_contract/hardware/device",
    "/device",
];

/// Blocks that describe the machine or the run.
const BLOCKS: [&str; 9] = [
    "",
    "/config",
    "/experiment",
    "/environment",
    "/runtime",
    "/environment_preflight",
    "/environment_preflight/runtime",
    "/hardware",
    "/workload",
];
/// Names under which a block of the machine gives its card.
const NAMES: [&str; 5] = ["device_name", "cuda_device_name", "gpu", "gpu_name", "name"];
/// Names of an object that describes a device.
const PARTS: [&str; 6] = ["name", "device_name", "gpu_name", "model", "type", "device_type"];
/// Accelerators on which CUDA is rightly missing.
const OTHER_APIS: [&str; 9] = ["mps", "metal", "xpu", "npu", "musa", "maca", "wgpu", "vulkan", "sycl"];
/// Where a file may list one device for each rank.
const RANKS: [&str; 6] =
    ["/hardware", "/hardware/device", "/hardware/devices", "/hardware/gpus", "/devices", "/metrics/rank_devices"];

/// The texts by which a value names a device: itself, those of an object that describes one, those of a list.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).into_iter().collect(),
        Value::Object(map) => {
            let parts = PARTS.iter().filter_map(|key| map.get(*key)?.as_str()).map(str::trim);
            parts.filter(|text| !text.is_empty()).collect()
        }
        Value::Array(items) => {
            let lists = items.iter().take(super::MAX_ENTRIES).filter(|item| !item.is_array());
            lists.flat_map(texts).collect()
        }
        _ => Vec::new(),
    }
}

fn is_cpu(text: &str) -> bool {
    DeviceFacts::reported(text).evidence_class() == EvidenceClass::Cpu
}

/// Every place that names a device, with its text.
pub(super) fn places(raw: &Value) -> Vec<(String, String)> {
    let mut places: Vec<(String, String)> = Vec::new();
    for pointer in PLACES {
        // The block has places of its own for what an object of this name holds.
        if let Some(value) = raw.locate(pointer).filter(|value| pointer != "/hardware" || !value.is_object()) {
            name(&mut places, pointer, value);
        }
    }
    for home in ["/environment", "/runtime", "/environment_preflight", "/environment_preflight/runtime"] {
        let Some(block) = raw.locate(home) else { continue };
        for key in NAMES {
            let pointer = format!("{home}/{key}");
            if let Some(value) = block.get(key).filter(|_| !PLACES.contains(&pointer.as_str())) {
                name(&mut places, &pointer, value);
            }
        }
    }
    let signs = processor_signs(raw);
    places.extend(signs.into_iter().map(|pointer| (pointer, "cpu".to_owned())));
    places
}

/// Adds the texts by which a value names a device: each once, a few of them, and the first processor whatever stands before it.
fn name(places: &mut Vec<(String, String)>, pointer: &str, value: &Value) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts(value) {
        if !seen.contains(&text) && seen.len() < 16 || is_cpu(text) && !seen.iter().any(|text| is_cpu(text)) {
            seen.push(text);
            places.push((pointer.to_owned(), super::quotable(text)));
        }
    }
}

fn lower(value: &Value) -> Option<String> {
    value.as_str().map(|text| text.trim().to_ascii_lowercase())
}

/// Whether a word names an accelerator on which CUDA is rightly missing.
fn is_other_api(value: &Value) -> bool {
    lower(value).is_some_and(|word| OTHER_APIS.contains(&word.split(':').next().unwrap_or_default()))
}

/// Pointers to what says, without naming a device, that the processor ran.
fn processor_signs(raw: &Value) -> Vec<String> {
    let blocks = || BLOCKS.iter().filter_map(|home| Some((*home, raw.locate(home)?)));
    let other_api = blocks().any(|(_, block)| {
        ["accelerator", "device", "device_type", "backend"].iter().filter_map(|key| block.get(key)).any(is_other_api)
    });
    let mut signs = Vec::new();
    for (home, block) in blocks() {
        let mut look = |keys: &[&str], is_sign: &dyn Fn(&Value) -> bool| {
            let found = keys.iter().filter(|key| block.get(**key).is_some_and(is_sign));
            signs.extend(found.map(|key| format!("{home}/{key}")));
        };
        if !other_api {
            let off = |value: &Value| *value == Value::Bool(false) || lower(value).as_deref() == Some("false");
            look(&["cuda_available", "use_cuda", "gpu_available", "cuda"], &off);
        }
        look(&["accelerator", "device_type"], &|value| texts(value).into_iter().any(is_cpu));
        look(&["torch", "torch_version", "pytorch", "pytorch_version"], &built_for_cpu);
        // Gloo moves what the processor holds; with a GPU named for each rank it may have moved what they computed.
        let gloo = |value: &Value| lower(value).as_deref() == Some("gloo") && !gpu_each_rank(raw);
        look(&["backend", "communication_backend", "dist_backend"], &gloo);
    }
    let wheel = "/framework/torch";
    signs.extend(raw.locate(wheel).filter(|value| built_for_cpu(value)).map(|_| wheel.to_owned()));
    // A run may say where it ran itself. One on the processor is enough: the runs are compared with each other.
    let on_cpu = |run: &Value| run.get("device").is_some_and(|value| texts(value).into_iter().any(is_cpu));
    let side = ["/baseline", "/tuned", "/candidate"].into_iter().find(|home| raw.locate(home).is_some_and(on_cpu));
    let listed = raw.get("candidates").and_then(Value::as_array);
    let listed =
        || listed?.iter().take(super::MAX_ENTRIES).position(on_cpu).map(|at| format!("/candidates/{at}/device"));
    signs.extend(side.map(|home| format!("{home}/device")).or_else(listed));
    signs
}

/// A wheel of PyTorch without CUDA says so in its version.
fn built_for_cpu(version: &Value) -> bool {
    lower(version).is_some_and(|version| version.contains("+cpu"))
}

/// Whether a list names a GPU for each of its ranks.
fn gpu_each_rank(raw: &Value) -> bool {
    let is_gpu = |text: &&str| DeviceFacts::reported(text).evidence_class() == EvidenceClass::Gpu;
    let all_gpus = |list: &Vec<Value>| list.len() > 1 && list.iter().all(|item| texts(item).iter().any(is_gpu));
    let listed = RANKS.iter().any(|pointer| raw.locate(pointer).and_then(Value::as_array).is_some_and(all_gpus));
    let ranks = raw.get("ranks").and_then(Value::as_array);
    let of_rank = |rank: &Value| rank.get("device").is_some_and(|value| texts(value).iter().any(is_gpu));
    listed || ranks.is_some_and(|ranks| ranks.len() > 1 && ranks.iter().all(of_rank))
}

/// Every place of one run that names a device: a file of several runs may have a device for each.
pub(super) fn places_of(raw: &Value, run: &str) -> Vec<(String, String)> {
    let Some(home) = raw.locate(run) else { return Vec::new() };
    places(home).into_iter().map(|(pointer, name)| (format!("{run}{pointer}"), name)).collect()
}

/// The device of the measurement. When the places disagree, the one that proves least counts: a run with device `cpu`
/// on a machine that owns a GPU ran on the CPU.
pub(super) fn facts(places: &[(String, String)], raw: &Value) -> Option<DeviceFacts> {
    let named: Vec<DeviceFacts> = places.iter().map(|(_, name)| DeviceFacts::reported(name)).collect();
    let cpu = named.iter().find(|device| device.evidence_class() == EvidenceClass::Cpu);
    // A word that names no device, as `cuda:0`, does not hide the place that does.
    let gpu = named.iter().find(|device| device.evidence_class() == EvidenceClass::Gpu);
    let mut device = cpu.or(gpu).or_else(|| named.first())?.clone();
    let text = |pointers: &[&str]| {
        pointers.iter().find_map(|pointer| raw.locate(pointer).and_then(Value::as_str)).map(str::to_owned)
    };
    let torch =
        text(&["/config/torch", "/experiment/torch", "/runtime/torch", "/environment/torch", "/framework/torch"]);
    device.runtime = torch.map(|version| format!("torch {version}"));
    device.compute_capability = match raw.locate("/config/compute_capability") {
        Some(Value::Array(parts)) => {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            Some(parts.join("."))
        }
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    Some(device)
}
