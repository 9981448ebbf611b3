//! What lay in memory before the first event of a trace.
//!
//! A trace begins when recording was switched on (or where its buffer wrapped), with segments and blocks from before.
//! They are what the end shows and no event made, and what an event removes that none made.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    ranges,
    read::{Action, BlockState, Event, Segment, SnapshotBlock},
};
use crate::allocator::{PoolId, is_small};

/// A segment before the first event.
#[derive(Debug, Clone)]
pub(super) struct Before {
    pub size: u64,
    pub stream: u64,
    pub small: bool,
    pub pool: PoolId,
    pub expandable: bool,
    /// Blocks in use, by address.
    pub blocks: BTreeMap<u64, Used>,
}

/// A block in use. Its size is known only where the end still shows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Used {
    pub size: Option<u64>,
    pub requested: u64,
    /// The program had dropped it already; another stream still used it.
    pub awaiting: bool,
}

/// Segments by address.
pub(super) fn before(segments: &[&Segment], trace: &[Event]) -> BTreeMap<u64, Before> {
    let mut known = whole_segments(segments, trace);
    known.extend(ranges::mapped(segments, trace));
    let mut place = |address: u64, used: Used| {
        if let Some((start, segment)) = known.range_mut(..=address).next_back()
            && address - start < segment.size
        {
            segment.blocks.insert(address, used);
        }
    };
    let mut made = HashMap::new();
    let mut requested_only = HashSet::new();
    for event in trace {
        match event.action {
            Action::Alloc => {
                made.insert(event.address, event.size);
            }
            Action::FreeRequested if !made.contains_key(&event.address) => {
                place(event.address, Used { size: None, requested: event.size, awaiting: false });
                requested_only.insert(event.address);
            }
            Action::FreeCompleted => {
                let asked = requested_only.remove(&event.address);
                if made.remove(&event.address).is_none() && !asked {
                    place(event.address, Used { size: None, requested: event.size, awaiting: true });
                }
            }
            _ => {}
        }
    }
    let in_use = |block: &&SnapshotBlock| block.state != BlockState::Inactive;
    for block in segments.iter().flat_map(|segment| segment.blocks.iter()).filter(in_use) {
        if !made.contains_key(&block.address) {
            // Dropped before the trace, unless the trace shows the request.
            let awaiting = block.state == BlockState::AwaitingFree && !requested_only.contains(&block.address);
            place(block.address, Used { size: Some(block.size), requested: block.requested, awaiting });
        }
    }
    known
}

/// Segments that are allocated and freed as a whole.
fn whole_segments(segments: &[&Segment], trace: &[Event]) -> BTreeMap<u64, Before> {
    let mut born = HashSet::new();
    let mut known = BTreeMap::new();
    for event in trace {
        match event.action {
            Action::SegmentAlloc => {
                born.insert(event.address);
            }
            Action::SegmentFree if !born.remove(&event.address) => {
                known.insert(
                    event.address,
                    Before {
                        size: event.size,
                        stream: event.stream,
                        // The only segments of at most 2 MiB are those of the small pool.
                        small: is_small(event.size / 2),
                        pool: event.pool.unwrap_or((0, 0)),
                        expandable: false,
                        blocks: BTreeMap::new(),
                    },
                );
            }
            _ => {}
        }
    }
    for segment in segments.iter().filter(|segment| !segment.expandable && !born.contains(&segment.address)) {
        known.insert(segment.address, empty(segment, segment.total_size));
    }
    known
}

pub(super) fn empty(segment: &Segment, size: u64) -> Before {
    Before {
        size,
        stream: segment.stream,
        small: segment.small,
        pool: segment.pool,
        expandable: segment.expandable,
        blocks: BTreeMap::new(),
    }
}
