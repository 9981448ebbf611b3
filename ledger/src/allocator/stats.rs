//! What `torch.cuda.memory_stats()` would say.

/// Bytes and counts at this moment, and the peaks so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
}
