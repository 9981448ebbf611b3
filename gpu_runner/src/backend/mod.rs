//! Backends: what implements [`labs::run::Device`]. Opened in the child only.

pub mod cpu;
pub mod cuda;
pub mod wgpu;

use std::ffi::OsString;
use std::time::Duration;

use labs::run::{Device, DeviceError};

/// A backend this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum BackendName {
    /// Plain Rust kernels on the processor's threads. Gives CPU evidence on any machine.
    Cpu,
    /// Any GPU with a Vulkan driver; an adapter that computes on the processor gives CPU evidence.
    Wgpu,
    /// NVIDIA's GPUs. A stand-in for the driver gives CPU evidence.
    Cuda,
}

impl BackendName {
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Wgpu, Self::Cuda];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wgpu => "wgpu",
            Self::Cuda => "cuda",
        }
    }

    /// Whether a report of that device can come from this backend.
    pub const fn makes(self, device: evidence::Backend) -> bool {
        use evidence::Backend as Found;
        match self {
            Self::Cpu => matches!(device, Found::Cpu),
            Self::Wgpu => matches!(device, Found::Wgpu),
            // What stands in the driver's place is told apart, and is no GPU.
            Self::Cuda => matches!(device, Found::Cuda | Found::CudaTestDouble),
        }
    }

    /// What a child keeps of the environment: where the libraries of a GPU lie, as containers say it, and which GPUs it may see.
    pub fn environment(self) -> impl Iterator<Item = (&'static str, OsString)> {
        let names: &[&str] = match self {
            Self::Cpu | Self::Wgpu => &[],
            Self::Cuda => &["LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"],
        };
        names.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)))
    }

    /// # Errors
    /// [`DeviceError::Backend`] when this machine has no such device.
    pub fn open(self) -> Result<Box<dyn Device>, DeviceError> {
        Ok(match self {
            Self::Cpu => Box::new(cpu::Cpu::open()),
            Self::Wgpu => Box::new(wgpu::Wgpu::open()?),
            Self::Cuda => Box::new(cuda::Cuda::open()?),
        })
    }
}

/// Of processor time that a run may take within its time: every thread of the machine may work all the while.
pub fn cpu_seconds(timeout: Duration) -> u64 {
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get().max(2));
    timeout.as_secs().saturating_mul(threads as u64).saturating_add(10)
}

/// The labs this runner can execute: those with a program whose `lab.toml` allows the backend.
pub fn labs_for(backend: BackendName) -> Vec<&'static labs::Lab> {
    let fits = |lab: &&labs::Lab| labs::run::has_program(&lab.id) && lab.backends.iter().any(|id| id == backend.id());
    labs::catalogue().iter().filter(fits).collect()
}
