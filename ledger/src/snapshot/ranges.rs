//! Expandable segments before the first event: which pages were mapped, and to which range they belong.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    initial::{Before, empty},
    read::{Action, Event, Segment},
};
use crate::allocator::{PoolId, is_small};

/// Mapped parts of expandable segments before the trace: the end's, with the maps and unmaps of the trace undone.
pub(super) fn mapped(segments: &[&Segment], trace: &[Event]) -> BTreeMap<u64, Before> {
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
    // Requests last: they tell more than maps of the same address.
    let mut events: BTreeMap<u64, &Event> = BTreeMap::new();
    trace.iter().filter(|event| !is_request(event)).for_each(|event| _ = events.insert(event.address, event));
    trace.iter().filter(|event| is_request(event)).for_each(|event| _ = events.insert(event.address, event));
    let parts = ranges.into_iter().map(|(start, end)| {
        let shows = |segment: &&&Segment| {
            segment.expandable && segment.address < end && start < segment.address.saturating_add(segment.total_size)
        };
        let part = match segments.iter().find(shows) {
            Some(segment) => empty(segment, end - start),
            None => lost(&events, start, end),
        };
        (start, part)
    });
    parts.collect()
}

/// A part that is wholly unmapped by the end: its events, by address, tell what it was.
fn lost(events: &BTreeMap<u64, &Event>, start: u64, end: u64) -> Before {
    let mut inside = events.range(start..end).map(|(_, event)| *event);
    let first = inside.next();
    let request = first.into_iter().chain(inside).find(|event| is_request(event));
    // Without any request in it, pages that are no multiple of the large pool's tell.
    let small = request.map_or(!(end - start).is_multiple_of(20 << 20), |event| is_small(event.size));
    Before {
        size: end - start,
        stream: first.map_or(0, |event| event.stream),
        small,
        pool: first.and_then(|event| event.pool).unwrap_or((0, 0)),
        expandable: true,
        blocks: BTreeMap::new(),
    }
}

/// Allocations and releases: their sizes tell the pool.
fn is_request(event: &Event) -> bool {
    matches!(event.action, Action::Alloc | Action::FreeRequested | Action::FreeCompleted)
}

/// Addresses of a range lie within this of each other: an eighth more than the largest device has.
const REACH: u64 = 1 << 39;

/// The pages that a trace maps, by stream, pool and address.
pub(super) struct Pages(BTreeSet<(u64, bool, PoolId, u64)>);

impl Pages {
    pub fn new(trace: &[Event], pool_of: impl Fn(&Event) -> PoolId) -> Self {
        let maps = trace.iter().filter(|event| event.action == Action::SegmentMap);
        // The small pool maps one page of 2 MiB at a time, the large one never as little.
        Self(maps.map(|event| (event.stream, event.size == 2 << 20, pool_of(event), event.address)).collect())
    }

    /// Where the range of a part that starts at `address` begins: the lowest page above `floor` that is mapped for it.
    pub fn beginning(&self, part: &Before, address: u64, floor: u64) -> u64 {
        let key = |at| (part.stream, part.small, part.pool, at);
        let from = address.saturating_sub(REACH).max(floor).min(address);
        self.0.range(key(from)..key(address)).next().map_or(address, |(.., at)| *at)
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
