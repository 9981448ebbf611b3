//! Backends: what implements [`labs::run::Device`]. Opened in the child only.

pub mod cpu;
pub mod wgpu;

use labs::run::{Device, DeviceError};

/// A backend this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum BackendName {
    /// Plain Rust kernels on one processor thread. Gives CPU evidence on any machine.
    Cpu,
    /// Any GPU with a Vulkan driver; an adapter that computes on the processor gives CPU evidence.
    Wgpu,
}

impl BackendName {
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Wgpu];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wgpu => "wgpu",
        }
    }

    /// The word for it in a report.
    pub const fn evidence(self) -> evidence::Backend {
        match self {
            Self::Cpu => evidence::Backend::Cpu,
            Self::Wgpu => evidence::Backend::Wgpu,
        }
    }

    /// # Errors
    /// [`DeviceError::Backend`] when this machine has no such device.
    pub fn open(self) -> Result<Box<dyn Device>, DeviceError> {
        Ok(match self {
            Self::Cpu => Box::new(cpu::Cpu::open()),
            Self::Wgpu => Box::new(wgpu::Wgpu::open()?),
        })
    }
}

/// The labs this runner can execute: those with a program whose `lab.toml` allows the backend.
pub fn labs_for(backend: BackendName) -> Vec<&'static labs::Lab> {
    let fits = |lab: &&labs::Lab| labs::run::has_program(&lab.id) && lab.backends.iter().any(|id| id == backend.id());
    labs::catalogue().iter().filter(fits).collect()
}
