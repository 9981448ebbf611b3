//! What a CUDA device is, from the driver's library and, beside it, from the driver's own files.
//!
//! A library can be put in the place of libcuda and say anything. What it says counts as a GPU's only where the kernel
//! module of NVIDIA's driver is loaded, and knows the very device by its UUID. Otherwise it is taken for what it most
//! likely is: a stand-in that computes on the processor.

use std::fs;
use std::path::Path;

use evidence::{Backend, DeviceFacts, DeviceKind};

/// Where the kernel module tells of itself.
pub const MODULE: &str = "/proc/driver/nvidia";

/// What the library says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub name: String,
    pub uuid: [u8; 16],
    pub memory_bytes: u64,
    pub capability: (i32, i32),
    pub is_integrated: bool,
    /// `12040` for 12.4
    pub cuda_version: i32,
}

/// `module` is [`MODULE`], or a folder of a test's own.
pub fn facts(said: &Said, module: &Path) -> DeviceFacts {
    let uuid = uuid_text(said.uuid);
    let version = module_version(module);
    let known = gpus(module);
    let is_known = said.uuid != [0; 16] && (known.is_empty() || known.contains(&uuid));
    let is_real = version.is_some() && is_known;
    let cuda = format!("CUDA {}.{}", said.cuda_version / 1000, said.cuda_version % 1000 / 10);
    DeviceFacts {
        backend: if is_real { Backend::Cuda } else { Backend::CudaTestDouble },
        name: said.name.clone(),
        kind: match (is_real, said.is_integrated) {
            (false, _) => DeviceKind::Cpu,
            (true, true) => DeviceKind::IntegratedGpu,
            (true, false) => DeviceKind::DiscreteGpu,
        },
        uuid: Some(uuid),
        driver: version.map(|version| format!("NVIDIA {version}")),
        memory_bytes: Some(said.memory_bytes),
        compute_capability: Some(format!("{}.{}", said.capability.0, said.capability.1)),
        runtime: Some(format!("gpu_runner {} cuda, {cuda}", env!("CARGO_PKG_VERSION"))),
    }
}

/// As nvidia-smi writes it.
fn uuid_text(bytes: [u8; 16]) -> String {
    let mut text = String::from("GPU");
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 …`
fn module_version(module: &Path) -> Option<String> {
    let text = fs::read_to_string(module.join("version")).ok()?;
    let line = text.lines().find(|line| line.starts_with("NVRM version:") && line.contains("NVIDIA"))?;
    let is_version = |word: &&str| {
        word.split('.').count() >= 2 && word.split('.').all(|part| !part.is_empty() && part.parse::<u32>().is_ok())
    };
    line.split_whitespace().find(is_version).map(str::to_owned)
}

/// The UUIDs that the kernel module lists. Containers may hide the list, and a GPU that was never used may hide its own.
fn gpus(module: &Path) -> Vec<String> {
    let Ok(folders) = fs::read_dir(module.join("gpus")) else { return Vec::new() };
    folders
        .flatten()
        .filter_map(|folder| fs::read_to_string(folder.path().join("information")).ok())
        .filter_map(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("GPU UUID:"))?;
            Some(line.trim().to_ascii_lowercase().replacen("gpu", "GPU", 1))
        })
        .filter(|uuid| !uuid.contains('?'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::EvidenceClass;

    const H100: &str = "GPU-01020304-0506-0708-090a-0b0c0d0e0f10";

    fn said() -> Said {
        Said {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            uuid: std::array::from_fn(|index| index as u8 + 1),
            memory_bytes: 80 << 30,
            capability: (9, 0),
            is_integrated: false,
            cuda_version: 12_040,
        }
    }

    /// A folder as the kernel module makes it.
    fn module(version: Option<&str>, uuids: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        if let Some(version) = version {
            fs::write(folder.path().join("version"), format!("{version}\nGCC version:  gcc 12.2.0\n")).unwrap();
        }
        for (index, uuid) in uuids.iter().enumerate() {
            let gpu = folder.path().join(format!("gpus/0000:{index:02}:00.0"));
            fs::create_dir_all(&gpu).unwrap();
            let text = format!("Model: \t\t NVIDIA H100\nIRQ:   \t\t 55\nGPU UUID: \t {uuid}\nVideo BIOS: \t 1\n");
            fs::write(gpu.join("information"), text).unwrap();
        }
        folder
    }

    const CLOSED: &str = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024";
    const OPEN: &str = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build";

    #[test]
    fn a_device_that_the_kernel_module_knows_is_a_gpu() {
        for (version, uuids, driver) in [
            (CLOSED, vec![H100], "NVIDIA 550.54.14"),
            (OPEN, vec!["GPU-00000000-0000-0000-0000-000000000001", H100], "NVIDIA 570.86.15"),
            (CLOSED, vec![], "NVIDIA 550.54.14"),
            (CLOSED, vec!["GPU-????????-????-????-????-????????????"], "NVIDIA 550.54.14"),
        ] {
            let facts = facts(&said(), module(Some(version), &uuids).path());
            assert_eq!(facts.evidence_class(), EvidenceClass::Gpu, "{facts:?}");
            assert_eq!(facts.driver.as_deref(), Some(driver));
            assert_eq!(facts.uuid.as_deref(), Some(H100));
            assert_eq!(facts.compute_capability.as_deref(), Some("9.0"));
        }
    }

    #[test]
    fn a_library_alone_is_a_stand_in_whatever_name_and_uuid_it_gives() {
        let other = "GPU-00000000-0000-0000-0000-000000000001";
        let nameless = Said { uuid: [0; 16], ..said() };
        for (what, said, version, uuids) in [
            ("no kernel module", said(), None, vec![H100]),
            ("a file without a version", said(), Some("NVRM version: NVIDIA"), vec![H100]),
            ("some other text", said(), Some("version 550.54.14"), vec![H100]),
            ("a UUID that the kernel module does not list", said(), Some(CLOSED), vec![other]),
            ("no UUID", nameless, Some(CLOSED), vec![]),
        ] {
            let facts = facts(&said, module(version, &uuids).path());
            assert_eq!(facts.backend, Backend::CudaTestDouble, "{what}");
            assert_eq!(facts.evidence_class(), EvidenceClass::Cpu, "{what}");
        }
    }

    #[test]
    fn an_integrated_gpu_is_told_apart() {
        let jetson = Said { is_integrated: true, name: "Orin".to_owned(), ..said() };
        assert_eq!(facts(&jetson, module(Some(CLOSED), &[H100]).path()).kind, DeviceKind::IntegratedGpu);
    }
}
