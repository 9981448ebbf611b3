//! What ran, and whether the file agrees with itself about it.

use serde_json::Value;

use super::sheet::Sheet;
use crate::{DeviceFacts, EvidenceClass, Phrase, Shape, Workload};

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    named(sheet);
    agrees(sheet);
    preflight(sheet);
    native_bf16(sheet);
}

fn named(sheet: &mut Sheet<'_>) {
    // What is calculated, or cites what others measured, needs no device of its own.
    if sheet.class == EvidenceClass::Theory || !crate::import::citations(sheet.raw()).is_empty() {
        return;
    }
    let pointer = match sheet.doc.shape {
        Shape::V1 => "/device",
        Shape::Lab75 | Shape::Lab74Merge => "/experiment/device",
        Shape::FineTuning | Shape::TrainingMechanism => "/environment/device",
        _ => "/config/device",
    };
    let pointer = sheet.doc.paper.devices.first().map_or(pointer, |(pointer, _)| pointer.as_str());
    let device = sheet.doc.report.device.as_ref();
    match (device, device.map(DeviceFacts::evidence_class)) {
        (None, _) => {
            let message = Phrase::new(
                "报告没有写明设备：这些数字不能证明任何设备上的事。",
                "The report names no device: its numbers prove nothing about one.",
            );
            sheet.fail(
                "device_named",
                pointer,
                Phrase::new("设备名", "the device's name"),
                Phrase::plain("null"),
                message,
            );
        }
        (Some(device), Some(EvidenceClass::Unproven)) => {
            let message = Phrase::new(
                "这个设备名既不是 GPU 也不是 CPU，无法归类。",
                "This name is neither a GPU's nor a processor's and cannot be placed.",
            );
            sheet.fail(
                "device_named",
                pointer,
                Phrase::new("GPU 的型号", "the model of a GPU"),
                Phrase::plain(device.name.clone()),
                message,
            );
        }
        (Some(device), Some(class)) => {
            sheet.pass(
                "device_named",
                pointer,
                format!("设备：{}（{} 证据）。", device.name, class.id()),
                format!("Device: {} ({} evidence).", device.name, class.id()),
            );
            // A kernel lab is meant to run on any device; a training lab claims something about a GPU.
            if class == EvidenceClass::Cpu && matches!(sheet.doc.report.workload, Workload::Training(_)) {
                let message = Phrase::new(
                    "测量在 CPU 上完成：无论机器上有没有 GPU，都只是 CPU 证据。",
                    "It was measured on a CPU: that is CPU evidence, whether or not the machine has a GPU.",
                );
                sheet.fail("device_is_gpu", pointer, Phrase::plain("GPU"), Phrase::plain(device.name.clone()), message);
            }
        }
        (Some(_), None) => {}
    }
}

fn agrees(sheet: &mut Sheet<'_>) {
    let places = &sheet.doc.paper.devices;
    let Some((first, name)) = places.first() else { return };
    let class = |name: &str| DeviceFacts::reported(name).evidence_class();
    let differs = places.iter().skip(1).find(|(pointer, other)| {
        let vague = class(other) == EvidenceClass::Unproven || class(name) == EvidenceClass::Unproven;
        let both_settings =
            ["/config/device", "/experiment/device", "/planning_context/measured_hardware"].contains(&pointer.as_str());
        !vague && (class(other) != class(name) || both_settings && other != name)
    });
    if let Some((pointer, other)) = differs {
        let message = Phrase::new(
            format!("{first} 写的是 {name}，这里写的是 {other}；按证明力较低的一个归类。"),
            format!("{first} says {name}, this place says {other}; the one that proves less counts."),
        );
        sheet.fail("device_agrees", pointer, Phrase::plain(name.clone()), Phrase::plain(other.clone()), message);
    }
}

fn preflight(sheet: &mut Sheet<'_>) {
    let status = sheet.text("/environment_preflight/status");
    let ready = sheet.value("/environment_preflight/ready");
    if status == Some("blocked") || ready == Some(&Value::Bool(false)) {
        let (pointer, found) = match status {
            Some("blocked") => ("/environment_preflight/status", "blocked"),
            _ => ("/environment_preflight/ready", "false"),
        };
        let message = Phrase::new(
            "预检说环境不可用，报告里却有测量值：两者不是同一次运行。",
            "The preflight says the environment is not usable, yet there are measured numbers: they are not of one run.",
        );
        sheet.fail("preflight_agrees", pointer, Phrase::plain("ok | warning"), Phrase::plain(found), message);
    }
}

fn native_bf16(sheet: &mut Sheet<'_>) {
    let uses_bf16 = crate::import::setting(sheet.raw(), &["compute_dtype", "amp_dtype"])
        .and_then(|(_, value)| value.as_str())
        .is_some_and(|dtype| crate::import::dtype_id(dtype) == "bf16");
    if !uses_bf16 {
        return;
    }
    for pointer in ["/config/native_bf16", "/environment_preflight/native_bf16_supported"] {
        if sheet.value(pointer) == Some(&Value::Bool(false)) {
            let message = Phrase::new(
                "该卡不原生支持 BF16，autocast 用的却是 BF16：测到的是模拟。",
                "The card has no native BF16, yet autocast used BF16: an emulation was measured.",
            );
            sheet.fail("native_bf16", pointer, Phrase::plain("true"), Phrase::plain("false"), message);
            return;
        }
    }
}
