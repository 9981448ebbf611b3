//! Limits a child sets on itself before it does anything else.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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
    at_most(Resource::Core, 0, 0)?;
    // The soft limit gives SIGXCPU, which can be told from a kill; the hard one ends whoever ignores it.
    at_most(Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds.saturating_add(5))?;
    at_most(Resource::Fsize, limits.file_bytes, limits.file_bytes)?;
    at_most(Resource::Nofile, limits.files, limits.files)?;
    if let Some(bytes) = limits.data_bytes {
        at_most(Resource::Data, bytes, bytes)?;
    }
    if let Some(bytes) = limits.address_bytes {
        at_most(Resource::As, bytes, bytes)?;
    }
    Ok(())
}

/// Never above what this process was started with: a limit can be lowered by anybody and raised by few.
fn at_most(resource: Resource, soft: u64, hard: u64) -> Result<(), rustix::io::Errno> {
    let most = getrlimit(resource).maximum;
    let within = |value: u64| Some(most.map_or(value, |most| value.min(most)));
    setrlimit(resource, Rlimit { current: within(soft), maximum: within(hard) })
}
