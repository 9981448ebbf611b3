//! Facts about this machine, from the files Linux keeps. Absent where they cannot be read.

use std::fs;

/// More is not written between two runs, whatever the cache's size says: virtual machines report their host's.
pub const MOST_FLUSH_BYTES: u64 = 64 << 20;

pub fn cpu_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    match named {
        Some((_, name)) if !name.trim().is_empty() => name.trim().to_owned(),
        // ARM kernels name no model.
        _ => format!("{} processor", std::env::consts::ARCH),
    }
}

pub fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    kib(line.trim().strip_suffix("kB")?)
}

/// The largest cache of the first processor, 0 if unknown.
pub fn last_cache_bytes() -> u64 {
    (0..8)
        .filter_map(|index| fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok())
        .filter_map(|text| kib(text.trim().strip_suffix('K')?))
        .max()
        .unwrap_or(0)
}

fn kib(number: &str) -> Option<u64> {
    number.trim().parse::<u64>().ok()?.checked_mul(1024)
}
