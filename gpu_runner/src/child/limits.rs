//! Limits the child sets on itself before it does anything else.

use rustix::process::{Resource, Rlimit, setrlimit};

use super::spec::Spec;

/// Address space is not limited: GPU drivers reserve far more than they use.
pub fn apply(spec: &Spec) -> Result<(), rustix::io::Errno> {
    let at_most = |resource, value: u64| setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    at_most(Resource::Core, 0)?;
    // The soft limit gives SIGXCPU, which the supervisor can tell from a kill; the hard one ends whoever ignores it.
    let hard = spec.cpu_seconds.saturating_add(5);
    setrlimit(Resource::Cpu, Rlimit { current: Some(spec.cpu_seconds), maximum: Some(hard) })?;
    at_most(Resource::Fsize, protocol::limits::REPORT_BYTES as u64 * 2)?;
    at_most(Resource::Nofile, 256)?;
    if let Some(bytes) = spec.memory_bytes {
        at_most(Resource::Data, bytes)?;
    }
    Ok(())
}
