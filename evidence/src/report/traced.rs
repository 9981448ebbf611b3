//! What a device can reach at all, what a run reached of it, and its memory while it ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timer;

/// The two limits of a device, measured on it in the same run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roofline {
    /// Bytes read and written per second by a plain copy.
    pub copy_bytes_per_s: f64,
    /// Bytes that the copy moved; a size within a cache gives the cache's rate.
    pub copy_bytes: u64,
    /// 32-bit multiplications and additions per second of independent chains, two for each fused one.
    pub fma_flops_per_s: f64,
    pub timer: Timer,
}

impl Roofline {
    /// The least time, in milliseconds, in which so many bytes move and so many operations are done at the measured rates.
    pub fn least_ms(&self, bytes: u64, flops: u64) -> Option<f64> {
        let time = |amount: u64, rate: f64| (rate > 0.0).then(|| amount as f64 / rate * 1e3);
        Some(time(bytes, self.copy_bytes_per_s)?.max(time(flops, self.fma_flops_per_s)?))
    }
}

/// What one operation must move and compute by its formulas, and how near its time comes to the measured roofline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    pub bytes: u64,
    pub flops: u64,
    /// The least time by the measured roofline divided by the median time. Not held below 1: above it the operation ran from
    /// a cache, or the roofline was measured too low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
}

/// What happened to an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Allocate,
    Free,
}

/// One step of a run's memory: an object of the ledger comes or goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryStep {
    pub event: Event,
    #[schemars(with = "String")]
    pub phase: ledger::Phase,
    #[schemars(with = "String")]
    pub object: ledger::Object,
    /// Which thing of that kind: the slug of the ledger's line.
    pub part: String,
    /// By how much the device's own count changed.
    pub bytes: u64,
    /// All of this run's allocations after it.
    pub allocated_bytes: u64,
    /// What the allocator held from the driver then, where the backend knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_bytes: Option<u64>,
    /// What the driver said the device had in use then, of whatever process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_used_bytes: Option<u64>,
}
