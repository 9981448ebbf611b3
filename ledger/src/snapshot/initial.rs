//! What lay in memory before the first event of a trace.
//!
//! A trace begins when recording was switched on (or where its buffer wrapped), with segments and blocks from before.
//! They are what the end shows and no event made, and what an event removes that none made.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::read::{Action, BlockState, Event, Segment, SnapshotBlock};
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
}

/// Segments by address.
pub(super) fn before(segments: &[&Segment], trace: &[Event]) -> BTreeMap<u64, Before> {
    let mut known = whole_segments(segments, trace);
    add_mapped(&mut known, segments, trace);
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
                place(event.address, Used { size: None, requested: event.size });
                requested_only.insert(event.address);
            }
            Action::FreeCompleted => {
                let asked = requested_only.remove(&event.address);
                if made.remove(&event.address).is_none() && !asked {
                    place(event.address, Used { size: None, requested: event.size });
                }
            }
            _ => {}
        }
    }
    let in_use = |block: &&SnapshotBlock| block.state != BlockState::Inactive;
    for block in segments.iter().flat_map(|segment| segment.blocks.iter()).filter(in_use) {
        if !made.contains_key(&block.address) {
            place(block.address, Used { size: Some(block.size), requested: block.requested });
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

fn empty(segment: &Segment, size: u64) -> Before {
    Before {
        size,
        stream: segment.stream,
        small: segment.small,
        pool: segment.pool,
        expandable: segment.expandable,
        blocks: BTreeMap::new(),
    }
}

/// Mapped parts of expandable segments: the end's, with the maps and unmaps of the trace undone.
fn add_mapped(known: &mut BTreeMap<u64, Before>, segments: &[&Segment], trace: &[Event]) {
    let mut ranges: BTreeMap<u64, u64> = segments
        .iter()
        .filter(|segment| segment.expandable)
        .map(|segment| (segment.address, segment.address.saturating_add(segment.total_size)))
        .collect();
    for event in trace.iter().rev() {
        let (start, end) = (event.address, event.address.saturating_add(event.size));
        match event.action {
            Action::SegmentMap => cut(&mut ranges, start, end),
            Action::SegmentUnmap => add(&mut ranges, start, end),
            _ => {}
        }
    }
    for (start, end) in ranges {
        let like = segments.iter().find(|segment| {
            segment.expandable && segment.address < end && start < segment.address.saturating_add(segment.total_size)
        });
        let like = like.or_else(|| segments.iter().find(|segment| segment.expandable));
        if let Some(segment) = like {
            known.insert(start, empty(segment, end - start));
        }
    }
}

/// Joins `start..end` to the ranges that touch it.
fn add(ranges: &mut BTreeMap<u64, u64>, start: u64, end: u64) {
    let (mut start, mut end) = (start, end);
    if let Some((before, until)) = ranges.range(..start).next_back().map(|(a, b)| (*a, *b))
        && until >= start
    {
        ranges.remove(&before);
        (start, end) = (before, end.max(until));
    }
    while let Some((next, until)) = ranges.range(start..=end).next().map(|(a, b)| (*a, *b)) {
        ranges.remove(&next);
        end = end.max(until);
    }
    ranges.insert(start, end);
}

/// Takes `start..end` out of the ranges.
fn cut(ranges: &mut BTreeMap<u64, u64>, start: u64, end: u64) {
    let touched: Vec<(u64, u64)> =
        ranges.range(..end).filter(|(_, until)| **until > start).map(|(a, b)| (*a, *b)).collect();
    for (from, until) in touched {
        ranges.remove(&from);
        if from < start {
            ranges.insert(from, start);
        }
        if end < until {
            ranges.insert(end, until);
        }
    }
}
