//! What `PYTORCH_ALLOC_CONF` and the device decide.

use serde::{Deserialize, Serialize};

/// Settings of the allocator; the default is PyTorch's.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Bytes that the driver can give; `None` for a device that never runs full.
    pub capacity: Option<u64>,
    /// `max_split_size_mb` in bytes: larger blocks are never split.
    pub max_split_size: Option<u64>,
    /// `max_non_split_rounding_mb` in bytes: how much larger a block that is never split may be than its request.
    pub max_non_split_rounding: u64,
    /// `large_segment_size_mb` in bytes: segments for requests from 1 MiB to 10 MiB, and pages of the large pool's
    /// expandable segments.
    pub large_segment_size: u64,
    /// `roundup_power2_divisions`: steps between two powers of two, for sizes from 1, 2, 4 … 32,768 MiB on (the first
    /// also for all below, the last for all above); 0 or 1 for none.
    pub power2_divisions: [u64; 16],
    /// `garbage_collection_threshold`: share of the allowed memory above which cached segments are released.
    pub collection_threshold: f64,
    /// `set_per_process_memory_fraction`; the threshold works only where this was called.
    pub memory_fraction: Option<f64>,
    /// Segments are virtual ranges that grow page by page.
    pub expandable_segments: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            capacity: None,
            max_split_size: None,
            max_non_split_rounding: 20 << 20,
            large_segment_size: 20 << 20,
            power2_divisions: [0; 16],
            collection_threshold: 0.0,
            memory_fraction: None,
            expandable_segments: false,
        }
    }
}

impl Settings {
    /// Bytes that may be reserved; `None` for no limit.
    pub(super) fn allowed(&self) -> Option<u64> {
        let capacity = self.capacity?;
        match self.memory_fraction {
            Some(fraction) if (0.0..=1.0).contains(&fraction) => Some((capacity as f64 * fraction) as u64),
            _ => Some(capacity),
        }
    }

    /// The limit above which garbage is collected, where collection is on.
    pub(super) fn collection_limit(&self) -> Option<u64> {
        let on = self.memory_fraction.is_some() && self.collection_threshold > 0.0;
        self.allowed().filter(|_| on).map(|allowed| (self.collection_threshold * allowed as f64) as u64)
    }

    /// Sets the divisions for sizes from `start_mib` (a power of two) on.
    pub fn set_power2_divisions(&mut self, start_mib: u64, divisions: u64) {
        let at = (start_mib.max(1).ilog2() as usize).min(self.power2_divisions.len() - 1);
        self.power2_divisions[at] = divisions;
    }

    pub(super) fn divisions(&self, size: u64) -> u64 {
        let at = (size.max(1).ilog2() as usize).saturating_sub(20).min(self.power2_divisions.len() - 1);
        self.power2_divisions[at]
    }

    pub(super) fn max_split(&self) -> u64 {
        self.max_split_size.unwrap_or(u64::MAX)
    }
}
