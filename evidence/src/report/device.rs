//! What ran, and what class of evidence that makes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::naming;

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
    /// ("cuda:0" names no device), or that denies or plans one, proves nothing. Apple's chips count as GPUs: torch
    /// calls their graphics part so.
    pub fn evidence_class(&self) -> EvidenceClass {
        let name = naming::folded(&self.name);
        let on_processor = matches!(self.backend, Backend::Cpu | Backend::CudaTestDouble)
            || self.kind == DeviceKind::Cpu
            || naming::is_software(&name);
        if on_processor {
            return EvidenceClass::Cpu;
        }
        match self.backend {
            Backend::Reported => naming::class(&name),
            Backend::Wgpu | Backend::Cuda
                if !naming::is_no_name(&name)
                    && matches!(self.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu)
                    && (self.backend == Backend::Wgpu || self.is_known_to_a_driver()) =>
            {
                EvidenceClass::Gpu
            }
            _ => EvidenceClass::Unproven,
        }
    }

    /// A library in the place of CUDA's can give any name. A device proper has a number of its own, and a driver in the
    /// system's kernel, whose version the runner reads from the kernel and not from the library.
    fn is_known_to_a_driver(&self) -> bool {
        let says =
            |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(|c| matches!(c, '1'..='9')));
        says(&self.uuid) && says(&self.driver)
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
            uuid: Some("GPU-5a1f0000-0000-0000-0000-000000000001".to_owned()),
            driver: Some("NVIDIA 550.54.14".to_owned()),
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

    #[test]
    fn cuda_is_a_gpu_with_a_number_and_a_driver_in_the_kernel() {
        let cuda = |uuid: Option<&str>, driver: Option<&str>| DeviceFacts {
            backend: Backend::Cuda,
            kind: DeviceKind::DiscreteGpu,
            uuid: uuid.map(str::to_owned),
            driver: driver.map(str::to_owned),
            ..DeviceFacts::reported("NVIDIA H100 80GB HBM3")
        };
        let (uuid, driver) = (Some("GPU-5a1f0000-0000-0000-0000-000000000001"), Some("NVIDIA 550.54.14"));
        assert_eq!(cuda(uuid, driver).evidence_class(), EvidenceClass::Gpu);
        let none = Some("GPU-00000000-0000-0000-0000-000000000000");
        for (uuid, driver) in [(None, driver), (none, driver), (uuid, None), (uuid, Some("")), (None, None)] {
            assert_eq!(cuda(uuid, driver).evidence_class(), EvidenceClass::Unproven, "{uuid:?} {driver:?}");
        }
    }

    #[test]
    fn a_reported_name_is_a_gpu_a_processor_or_nothing() {
        let gpus = "L4|T4|P4|P100-PCIE-16GB|V100-SXM2-32GB|A10|A10G|A30|A40|A800-SXM4-80GB|H20|H800|B300|GB200|GH200|\
            RTX 3050|MI250X|MI300X|AMD Instinct MI300X|Ascend 910B|Moore Threads MTT S4000|MetaX C500|Hygon DCU|\
            Intel Data Center GPU Max 1550|Intel(R) Data Center GPU Max 1550|Intel Arc A770|Intel(R) Arc(TM) A770 Graphics|\
            Apple M3 Max|NVIDIA A100-SXM4-80GB (x86_64)|NVIDIA A100 (host AMD EPYC)|AMD EPYC 7763 host + NVIDIA A100|\
            NVIDIA Tesla P100-PCIE-16GB on host node7|NVIDIA GeForce RTX 4090 (Ryzen 9 host)|Tesla T4|Tesla V100-SXM2-16GB|\
            Google Colab T4|NVIDIA GH200 480GB|NVIDIA Grace Hopper|NVIDIA GB10|NVIDIA TITAN RTX|AMD Radeon Graphics|\
            NVIDIA A100-SXM4-80GB MIG 3g.40gb|NVIDIA GeForce RTX 5070 Ti Laptop GPU|Ｎvidia RTX 3090|2x NVIDIA L4";
        let cpus = "cpu|CPU:0|AMD EPYC 7763|Intel(R) Xeon(R) CPU @ 2.20GHz|Intel Core i9|i9-13900K with RTX|RTX CPU|x86_64|\
            aarch64|NVIDIA Grace|NVIDIA Grace CPU Superchip|NVIDIA GeForce RTX 4090, ran on C P U|NVIDIA A100 on host CPU|\
            \u{441}pu NVIDIA|NVIDIA H100 (simulated)|Tesla T4 test double|fake NVIDIA A100|Apple M2 CPU|AWS Graviton3|\
            simulated A100|llvmpipe (LLVM 15)|Intel Pentium P4";
        let nothing = "|--|cuda:0|GPU|NVIDIA-less machine|no-gpu nvidia|RTX-not-present|NVIDIA A100 (planned)|quadro?|\
            estimated for NVIDIA H100|NVIDIA RTX (expected)|RTX 5090 was unavailable|no NVIDIA driver|Tesla Model 3|arc|\
            NVIDIA driver not found|Tesla-like|NVIDI\u{42f} A100|没有 NVIDIA 显卡|计划使用 NVIDIA H100|search|toaster|tpu";
        for (names, class) in
            [(gpus, EvidenceClass::Gpu), (cpus, EvidenceClass::Cpu), (nothing, EvidenceClass::Unproven)]
        {
            for name in names.split('|') {
                assert_eq!(DeviceFacts::reported(name).evidence_class(), class, "{name:?}");
            }
        }
    }
}
