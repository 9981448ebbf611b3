//! The device that a file of the course names.

use serde_json::Value;

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
    let machine = ["/environment", "/runtime", "/environment_preflight", "/environment_preflight/runtime"]
        .into_iter()
        .flat_map(|block| NAMES.map(|name| format!("{block}/{name}")))
        .filter(|pointer| !PLACES.contains(&pointer.as_str()));
    let mut places: Vec<(String, String)> = Vec::new();
    for pointer in PLACES.iter().map(|pointer| (*pointer).to_owned()).chain(machine) {
        let Some(value) = raw.pointer(&pointer) else { continue };
        // The block has places of its own for what an object of this name holds.
        let named = if pointer == "/hardware" && value.is_object() { Vec::new() } else { texts(value) };
        let mut seen: Vec<&str> = Vec::new();
        for text in named {
            if !seen.contains(&text) && seen.len() < 16 || is_cpu(text) && !seen.iter().any(|text| is_cpu(text)) {
                seen.push(text);
                places.push((pointer.clone(), super::quotable(text)));
            }
        }
    }
    let signs = processor_signs(raw);
    places.extend(signs.into_iter().map(|pointer| (pointer, "cpu".to_owned())));
    places
}

/// Pointers to what says, without naming a device, that the processor ran.
fn processor_signs(raw: &Value) -> Vec<String> {
    let mut signs = Vec::new();
    let text =
        |pointer: &str| raw.pointer(pointer).and_then(Value::as_str).map(|text| text.trim().to_ascii_lowercase());
    let mut others = BLOCKS
        .iter()
        .flat_map(|block| ["accelerator", "device", "device_type", "backend"].map(move |key| (block, key)));
    let other_api = others.any(|(block, key)| {
        text(&format!("{block}/{key}")).is_some_and(|word| OTHER_APIS.contains(&word.split(':').next().unwrap_or("")))
    });
    for block in BLOCKS {
        for key in ["cuda_available", "use_cuda", "gpu_available", "cuda"] {
            let pointer = format!("{block}/{key}");
            let off = raw.pointer(&pointer) == Some(&Value::Bool(false)) || text(&pointer).as_deref() == Some("false");
            if off && !other_api {
                signs.push(pointer);
            }
        }
        for key in ["accelerator", "device_type"] {
            let pointer = format!("{block}/{key}");
            if raw.pointer(&pointer).is_some_and(|value| texts(value).into_iter().any(is_cpu)) {
                signs.push(pointer);
            }
        }
        for key in ["torch", "torch_version", "pytorch", "pytorch_version"] {
            let pointer = format!("{block}/{key}");
            if text(&pointer).is_some_and(|version| version.contains("+cpu")) {
                signs.push(pointer);
            }
        }
        // Gloo moves what the processor holds; with a GPU named for each rank it may have moved what they computed.
        for key in ["backend", "communication_backend", "dist_backend"] {
            let pointer = format!("{block}/{key}");
            if text(&pointer).as_deref() == Some("gloo") && !gpu_each_rank(raw) {
                signs.push(pointer);
            }
        }
    }
    signs.extend(Some("/framework/torch").filter(|at| text(at).is_some_and(|v| v.contains("+cpu"))).map(str::to_owned));
    // A run may say where it ran itself. One on the processor is enough: the runs are compared with each other.
    let sides = ["/baseline", "/tuned", "/candidate"].map(str::to_owned);
    let listed = raw.get("candidates").and_then(Value::as_array).map_or(0, |list| list.len().min(super::MAX_ENTRIES));
    let homes = sides.into_iter().chain((0..listed).map(|index| format!("/candidates/{index}")));
    let on_cpu = |pointer: &String| raw.pointer(pointer).is_some_and(|value| texts(value).into_iter().any(is_cpu));
    signs.extend(homes.map(|home| format!("{home}/device")).find(on_cpu));
    signs
}

/// Whether a list names a GPU for each of its ranks.
fn gpu_each_rank(raw: &Value) -> bool {
    let is_gpu = |text: &&str| DeviceFacts::reported(text).evidence_class() == EvidenceClass::Gpu;
    let all_gpus = |list: &Vec<Value>| list.len() > 1 && list.iter().all(|item| texts(item).iter().any(is_gpu));
    let listed = RANKS.iter().any(|pointer| raw.pointer(pointer).and_then(Value::as_array).is_some_and(all_gpus));
    let ranks = raw.get("ranks").and_then(Value::as_array);
    let of_rank = |rank: &Value| rank.get("device").is_some_and(|value| texts(value).iter().any(is_gpu));
    listed || ranks.is_some_and(|ranks| ranks.len() > 1 && ranks.iter().all(of_rank))
}

/// Every place of one run that names a device: a file of several runs may have a device for each.
pub(super) fn places_of(raw: &Value, run: &str) -> Vec<(String, String)> {
    let Some(home) = raw.pointer(run) else { return Vec::new() };
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
        pointers.iter().find_map(|pointer| raw.pointer(pointer).and_then(Value::as_str)).map(str::to_owned)
    };
    let torch =
        text(&["/config/torch", "/experiment/torch", "/runtime/torch", "/environment/torch", "/framework/torch"]);
    device.runtime = torch.map(|version| format!("torch {version}"));
    device.compute_capability = match raw.pointer("/config/compute_capability") {
        Some(Value::Array(parts)) => {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            Some(parts.join("."))
        }
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    Some(device)
}
