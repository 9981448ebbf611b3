//! Sizes: of blocks, of segments.

use super::Settings;

/// Every block is a multiple of this.
pub(super) const MIN_BLOCK: u64 = 512;
/// Requests up to this size go to the small pool.
pub(super) const SMALL_SIZE: u64 = 1 << 20;
/// Segments of the small pool; pages of its expandable segments.
pub(super) const SMALL_SEGMENT: u64 = 2 << 20;
/// From here on a request gets a segment of its own.
const MIN_LARGE: u64 = 10 << 20;
const ROUND_LARGE: u64 = 2 << 20;

/// The size of the block for a request of `size` bytes: at least 512, in steps of 512, or in `d` steps between two
/// powers of two where `roundup_power2_divisions` says so and the request exceeds `512 × d`.
pub fn round_size(size: u64, settings: &Settings) -> u64 {
    if size < MIN_BLOCK {
        return MIN_BLOCK;
    }
    let divisions = settings.divisions(size);
    if divisions > 1 && size > MIN_BLOCK.saturating_mul(divisions) {
        return round_up_power2(size, divisions);
    }
    up(size, MIN_BLOCK)
}

fn up(size: u64, step: u64) -> u64 {
    size.div_ceil(step).saturating_mul(step)
}

/// The next of `divisions` equal steps from the power of two below; a power of two stays.
fn round_up_power2(size: u64, divisions: u64) -> u64 {
    if size.is_power_of_two() {
        return size;
    }
    let floor = 1u64 << size.ilog2();
    match floor / divisions {
        0 => floor.saturating_mul(2),
        step => up(size, step),
    }
}

/// Which pool serves a block of that (rounded) size.
pub fn is_small(size: u64) -> bool {
    size <= SMALL_SIZE
}

/// The size of the segment that is asked from the driver for a block of that (rounded) size.
pub fn segment_size(size: u64, settings: &Settings) -> u64 {
    if is_small(size) {
        SMALL_SEGMENT
    } else if size < MIN_LARGE {
        settings.large_segment_size.max(size)
    } else {
        up(size, ROUND_LARGE)
    }
}
