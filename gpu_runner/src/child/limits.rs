//! Limits a child sets on itself before it does anything else.

use rustix::process::{Resource, Rlimit, setrlimit};

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub cpu_seconds: u64,
    /// Memory that is written to.
    pub data_bytes: Option<u64>,
    /// Address space. Not for GPU drivers: they reserve far more than they use.
    pub address_bytes: Option<u64>,
    /// Of each file written.
    pub file_bytes: u64,
    pub files: u64,
}

pub fn apply(limits: &Limits) -> Result<(), rustix::io::Errno> {
    let at_most = |resource, value: u64| setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    at_most(Resource::Core, 0)?;
    // The soft limit gives SIGXCPU, which can be told from a kill; the hard one ends whoever ignores it.
    let hard = limits.cpu_seconds.saturating_add(5);
    setrlimit(Resource::Cpu, Rlimit { current: Some(limits.cpu_seconds), maximum: Some(hard) })?;
    at_most(Resource::Fsize, limits.file_bytes)?;
    at_most(Resource::Nofile, limits.files)?;
    if let Some(bytes) = limits.data_bytes {
        at_most(Resource::Data, bytes)?;
    }
    if let Some(bytes) = limits.address_bytes {
        at_most(Resource::As, bytes)?;
    }
    Ok(())
}
