//! What `torch.cuda.memory_stats()` would say.

use serde::{Deserialize, Serialize};

/// Bytes and counts at this moment, and the peaks so far.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Bytes of allocated blocks, rounding and tails that were not split off included.
    pub allocated: u64,
    /// Bytes of all segments.
    pub reserved: u64,
    /// Bytes that the program asked for.
    pub requested: u64,
    /// Bytes of free blocks in segments that are not wholly free; expandable segments are left out.
    pub inactive_split: u64,
    pub inactive_split_blocks: u64,
    pub segments: u64,
    /// Requests that succeeded or failed only after the cache was flushed.
    pub retries: u64,
    pub ooms: u64,
    pub peak_allocated: u64,
    pub peak_reserved: u64,
    /// Bytes ever asked from the driver, and bytes ever given back.
    pub from_driver: u64,
    pub to_driver: u64,
}

impl Stats {
    /// Share of the reserved bytes that lie free in segments in use and cannot be given back; 0 while nothing is
    /// reserved. Above a fifth is worth acting on.
    pub fn fragmentation(&self) -> f64 {
        if self.reserved == 0 { 0.0 } else { self.inactive_split as f64 / self.reserved as f64 }
    }

    pub(super) fn take_from_driver(&mut self, bytes: u64) {
        self.reserved += bytes;
        self.peak_reserved = self.peak_reserved.max(self.reserved);
        self.from_driver = self.from_driver.saturating_add(bytes);
    }

    pub(super) fn give_back(&mut self, bytes: u64) {
        self.reserved -= bytes;
        self.to_driver = self.to_driver.saturating_add(bytes);
    }
}
