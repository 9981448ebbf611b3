//! What this runner says about its machine when it registers.

use protocol::RunnerFacts;

use crate::backend::{BackendName, cpu};

pub fn facts(backend: BackendName) -> RunnerFacts {
    RunnerFacts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cpu: cut(&cpu::cpu_name()),
        cpu_threads: std::thread::available_parallelism()
            .map_or(0, |threads| u32::try_from(threads.get()).unwrap_or(u32::MAX)),
        memory_bytes: cpu::memory_bytes(),
        backends: backend.id().parse().into_iter().collect(),
    }
}

/// A name the server accepts: one line, not too long.
pub fn cut(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        if name.len() + c.len_utf8() > protocol::limits::TEXT_BYTES {
            break;
        }
        name.push(c);
    }
    name
}
