//! What ran, and what class of evidence that makes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a report's numbers are evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceClass {
    /// No device is named, or nothing was measured on it.
    #[default]
    Unproven,
    /// Calculated.
    Theory,
    Cpu,
    Gpu,
}

impl EvidenceClass {
    pub const ALL: [EvidenceClass; 4] =
        [EvidenceClass::Unproven, EvidenceClass::Theory, EvidenceClass::Cpu, EvidenceClass::Gpu];

    pub const fn id(self) -> &'static str {
        match self {
            EvidenceClass::Unproven => "unproven",
            EvidenceClass::Theory => "theory",
            EvidenceClass::Cpu => "cpu",
            EvidenceClass::Gpu => "gpu",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.id() == id)
    }
}

/// Through what the device was driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Plain code on the processor.
    Cpu,
    Wgpu,
    Cuda,
    /// A stand-in for the CUDA driver: it runs on the processor whatever name it gives.
    CudaTestDouble,
    /// An imported report that only names its device in a string.
    Reported,
}

impl Backend {
    /// The name used in reports and in a lab's list of backends.
    pub const fn id(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Wgpu => "wgpu",
            Backend::Cuda => "cuda",
            Backend::CudaTestDouble => "cuda_test_double",
            Backend::Reported => "reported",
        }
    }
}

/// The kind of the device as its driver reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    Cpu,
    IntegratedGpu,
    DiscreteGpu,
    VirtualGpu,
    #[default]
    Other,
}

/// Facts about the device that ran, as its driver (or the report) gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceFacts {
    pub backend: Backend,
    /// The adapter's or processor's name.
    pub name: String,
    #[serde(default)]
    pub kind: DeviceKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Memory of the device as its driver reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// `8.9`, `12.0`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<String>,
    /// Library and version that ran on it (`torch 2.11.0+cu128`, `wgpu 27`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

/// Adapters that draw with the processor, whatever type they report.
const SOFTWARE: [&str; 8] =
    ["llvmpipe", "lavapipe", "swiftshader", "softpipe", "software", "warp", "basic render", "swrast"];
/// Stand-ins.
const DOUBLES: [&str; 6] = ["test double", "fake", "mock", "simulat", "emulat", "dummy"];
const PROCESSORS: [&str; 10] =
    ["cpu", "ryzen", "epyc", "xeon", "threadripper", "core(tm)", "processor", "host", "aarch64", "x86"];
/// The bare word "GPU" is not among them: like `cuda:0` it names no device, and "no GPU" has it too.
const ADAPTERS: [&str; 14] = [
    "nvidia", "geforce", "rtx", "gtx", "tesla", "quadro", "radeon", "instinct", "a100", "h100", "h200", "b200", "arc",
    "l40",
];
/// Words by which a text says that there is no device.
const DENIALS: [&str; 6] = ["no ", "not ", "none", "without", "unavailable", "missing"];

fn names_any(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        name.match_indices(word).any(|(at, _)| {
            // A word starts where no letter precedes it, so that "search" does not name an Arc.
            !name[..at].chars().next_back().is_some_and(char::is_alphanumeric)
        })
    })
}

/// A name without what nobody sees: a letter that is not shown must neither make a name nor break one.
fn visible(name: &str) -> String {
    let unseen = |c: &char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
    };
    name.chars().filter(|c| !unseen(c)).collect()
}

impl DeviceFacts {
    /// A device of which a report gives only the name.
    pub fn reported(name: &str) -> Self {
        Self {
            backend: Backend::Reported,
            name: name.to_owned(),
            kind: DeviceKind::Other,
            uuid: None,
            driver: None,
            memory_bytes: None,
            compute_capability: None,
            runtime: None,
        }
    }

    /// The class of evidence that a measurement on this device is. Nothing else decides it.
    ///
    /// The processor is CPU evidence on any machine; so is an adapter that draws with the processor (llvmpipe,
    /// lavapipe, SwiftShader) and a stand-in for the CUDA driver. A name that is neither a GPU nor a processor
    /// ("cuda:0" names no device) proves nothing.
    pub fn evidence_class(&self) -> EvidenceClass {
        let name = visible(&self.name).to_ascii_lowercase();
        let on_processor = matches!(self.backend, Backend::Cpu | Backend::CudaTestDouble)
            || self.kind == DeviceKind::Cpu
            || names_any(&name, &SOFTWARE)
            || names_any(&name, &DOUBLES);
        if on_processor {
            return EvidenceClass::Cpu;
        }
        match self.backend {
            Backend::Reported if names_any(&name, &PROCESSORS) => EvidenceClass::Cpu,
            Backend::Reported if names_any(&name, &DENIALS) => EvidenceClass::Unproven,
            Backend::Reported if names_any(&name, &ADAPTERS) => EvidenceClass::Gpu,
            Backend::Reported => EvidenceClass::Unproven,
            Backend::Wgpu | Backend::Cuda
                if name.contains(char::is_alphanumeric)
                    && matches!(self.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu) =>
            {
                EvidenceClass::Gpu
            }
            _ => EvidenceClass::Unproven,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_nobody_sees_make_no_gpu() {
        let device = |name: &str| DeviceFacts {
            backend: Backend::Cuda,
            kind: DeviceKind::DiscreteGpu,
            ..DeviceFacts::reported(name)
        };
        let cases = [
            ("NVIDIA H100 80GB HBM3", EvidenceClass::Gpu),
            ("\u{1}", EvidenceClass::Unproven),
            ("\u{200b}\u{feff}", EvidenceClass::Unproven),
            ("l\u{200b}lvmpipe (LLVM 15.0.6, 256 bits)", EvidenceClass::Cpu),
        ];
        for (name, class) in cases {
            assert_eq!(device(name).evidence_class(), class, "{name:?}");
        }
    }
}
