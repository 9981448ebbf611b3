//! Backends: what implements [`labs::run::Device`]. Opened in the child only.

pub mod cpu;

use labs::run::Device;

/// A backend this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum BackendName {
    /// Plain Rust kernels on one processor thread. Gives CPU evidence on any machine.
    Cpu,
}

impl BackendName {
    pub const ALL: [Self; 1] = [Self::Cpu];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
        }
    }

    pub fn open(self) -> Box<dyn Device> {
        match self {
            Self::Cpu => Box::new(cpu::Cpu::open()),
        }
    }
}

/// The labs this runner can execute: those with a program whose `lab.toml` allows the backend.
pub fn labs_for(backend: BackendName) -> Vec<&'static labs::Lab> {
    let fits = |lab: &&labs::Lab| labs::run::has_program(&lab.id) && lab.backends.iter().any(|id| id == backend.id());
    labs::catalogue().iter().filter(fits).collect()
}
