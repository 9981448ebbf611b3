//! The device that a file of the course names.

use serde_json::Value;

use crate::{DeviceFacts, EvidenceClass};

/// Where a file may name its device. The first is the measurement's own.
const PLACES: [&str; 20] = [
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
    "/hardware/gpu",
    "/hardware/gpu_name",
    "/config/hardware",
    "/config/gpu",
    "/experiment_contract/hardware/device",
    "/baseline_contract/hardware/device",
    "/device",
];

/// Every place that names a device, with its text.
pub(super) fn places(raw: &Value) -> Vec<(String, String)> {
    let mut places: Vec<(String, String)> = PLACES
        .iter()
        .filter_map(|pointer| {
            let text = raw.pointer(pointer)?.as_str()?.trim();
            (!text.is_empty()).then(|| ((*pointer).to_owned(), super::quotable(text)))
        })
        .collect();
    for pointer in
        ["/runtime/cuda_available", "/environment_preflight/runtime/cuda_available", "/hardware/cuda_available"]
    {
        if raw.pointer(pointer) == Some(&Value::Bool(false)) {
            places.push((pointer.to_owned(), "cpu".to_owned()));
        }
    }
    places
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
