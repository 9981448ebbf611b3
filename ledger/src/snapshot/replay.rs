//! A trace run through the simulated allocator: does every allocation get the address it got on the GPU?

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    initial::{Before, before},
    ranges::Pages,
    read::{Action, Event, Segment, Snapshot},
};
use crate::allocator::{Allocator, Handle, PoolId, View};

/// An allocation that the simulation placed elsewhere.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// Position in the trace.
    pub event: usize,
    pub size: u64,
    pub on_gpu: u64,
    pub simulated: u64,
}

/// The outcome of a replay, all devices together.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Replay {
    pub allocations: u64,
    /// Segments (or expansions) that the trace shows.
    pub segments: u64,
    /// Allocations at another address, and segments that came or went against expectation.
    pub mismatches: u64,
    /// The first of the allocations at another address.
    pub examples: Vec<Mismatch>,
    pub reserved: u64,
    pub allocated: u64,
    /// What the snapshot says of its end.
    pub snapshot_reserved: u64,
    pub snapshot_allocated: u64,
}

const EXAMPLES: usize = 5;

impl Replay {
    /// No mismatch, and both totals equal.
    pub fn agrees(&self) -> bool {
        self.mismatches == 0 && (self.reserved, self.allocated) == (self.snapshot_reserved, self.snapshot_allocated)
    }
}

/// Replays every device's trace.
pub fn replay(snapshot: &Snapshot) -> Replay {
    let mut total = Replay {
        snapshot_reserved: snapshot.reserved(),
        snapshot_allocated: snapshot.allocated(),
        ..Replay::default()
    };
    let devices = snapshot.segments.iter().map(|segment| segment.device.saturating_add(1)).max().unwrap_or(0);
    let devices = usize::try_from(devices).unwrap_or(0).min(1024).max(snapshot.traces.len());
    for device in 0..devices {
        let segments = of_device(snapshot, device);
        let trace = snapshot.traces.get(device).map_or(&[][..], Vec::as_slice);
        Run::new(snapshot, &segments, trace).run(trace, &mut total);
    }
    total
}

/// The memory of a device after the first `events` events of its trace, as the simulation lays it out; all of them
/// where there are fewer. A device that the snapshot does not know has none.
pub fn view_at(snapshot: &Snapshot, device: usize, events: usize) -> View {
    let trace = snapshot.traces.get(device).map_or(&[][..], Vec::as_slice);
    let segments = of_device(snapshot, device);
    let mut run = Run::new(snapshot, &segments, trace);
    run.events(&trace[..events.min(trace.len())], &mut Replay::default());
    run.allocator.view()
}

pub(super) fn of_device(snapshot: &Snapshot, device: usize) -> Vec<&Segment> {
    snapshot.segments.iter().filter(|segment| segment.device == device as u64).collect()
}

#[derive(Debug, Clone)]
pub(super) struct Run {
    pub allocator: Allocator,
    live: HashMap<u64, Handle>,
    /// Pools of graphs, by the addresses of their segments.
    private: BTreeMap<u64, (u64, PoolId)>,
}

impl Run {
    pub(super) fn new(snapshot: &Snapshot, segments: &[&Segment], trace: &[Event]) -> Self {
        Self::begin(Allocator::with_given_addresses(snapshot.settings), segments, trace)
    }

    /// Lays out in an allocator what there was before the trace.
    pub(super) fn begin(allocator: Allocator, segments: &[&Segment], trace: &[Event]) -> Self {
        let mut run = Self {
            allocator,
            live: HashMap::new(),
            private: segments
                .iter()
                .filter(|segment| segment.pool != (0, 0))
                .map(|segment| (segment.address, (segment.total_size, segment.pool)))
                .collect(),
        };
        let before = before(segments, trace);
        let pages = Pages::new(trace, |event| run.pool_of(event));
        let mut placed = Vec::with_capacity(before.len());
        // Parts of one pool and stream lie in one range: it has room for the whole device.
        let mut parts: BTreeMap<(u64, bool, PoolId), (u64, Vec<u32>)> = BTreeMap::new();
        let mut floor = 0;
        for (address, segment) in &before {
            let id = run.allocator.lay_out(*address, segment.size, segment.stream, segment.small, segment.pool);
            placed.push(id);
            if segment.expandable {
                let key = (segment.stream, segment.small, segment.pool);
                let start = || (pages.beginning(segment, *address, floor), Vec::new());
                parts.entry(key).or_insert_with(start).1.push(id);
            }
            floor = address.saturating_add(segment.size);
        }
        parts.into_values().for_each(|(start, parts)| run.allocator.make_range(start, &parts));
        for (id, (address, segment)) in placed.into_iter().zip(&before) {
            run.cut_out(id, *address, segment);
        }
        run
    }

    /// Cuts the blocks in use out of a segment from before the trace.
    fn cut_out(&mut self, placed: u32, address: u64, segment: &Before) {
        let mut blocks = segment.blocks.iter().peekable();
        let mut rest = placed;
        while let Some((at, used)) = blocks.next() {
            let end = blocks.peek().map_or(address + segment.size, |(next, _)| **next);
            match self.allocator.carve(rest, *at, end, used.size, used.requested) {
                Some((handle, after)) => {
                    self.live.insert(*at, handle);
                    if used.awaiting {
                        self.allocator.free_later(handle);
                    }
                    match after {
                        Some(after) => rest = after,
                        None => return,
                    }
                }
                None => return self.allocator.release_rest(rest),
            }
        }
        self.allocator.release_rest(rest);
    }

    fn pool_of(&self, event: &Event) -> PoolId {
        event.pool.unwrap_or_else(|| {
            let below = self.private.range(..=event.address).next_back();
            below.filter(|(start, (size, _))| event.address - **start < *size).map_or((0, 0), |(_, (_, pool))| *pool)
        })
    }

    fn run(mut self, trace: &[Event], total: &mut Replay) {
        self.events(trace, total);
        let stats = self.allocator.stats();
        total.mismatches += self.allocator.surprises;
        total.reserved += stats.reserved;
        total.allocated += stats.allocated;
    }

    fn events(&mut self, trace: &[Event], total: &mut Replay) {
        trace.iter().enumerate().for_each(|(at, event)| self.event(at, event, total));
    }

    pub(super) fn event(&mut self, at: usize, event: &Event, total: &mut Replay) {
        match event.action {
            Action::SegmentAlloc | Action::SegmentMap => {
                total.segments += 1;
                self.allocator.give_segment(event.address, event.size);
            }
            Action::SegmentFree => {
                if !self.allocator.release_segment(event.address, event.size, event.stream) {
                    total.mismatches += 1;
                }
            }
            Action::SegmentUnmap => {
                if !self.allocator.unmap_range(event.address, event.size) {
                    total.mismatches += 1;
                }
            }
            Action::Alloc => self.allocate(at, event, total),
            Action::FreeRequested => {
                if let Some(handle) = self.live.get(&event.address) {
                    self.allocator.free_later(*handle);
                }
            }
            Action::FreeCompleted => {
                if let Some(handle) = self.live.remove(&event.address) {
                    self.allocator.free(handle);
                }
            }
            Action::Oom | Action::Other => {}
        }
    }

    pub(super) fn allocate(&mut self, at: usize, event: &Event, total: &mut Replay) {
        total.allocations += 1;
        let pool = self.pool_of(event);
        let Ok(handle) = self.allocator.allocate_in(event.size, event.stream, pool) else {
            total.mismatches += 1;
            return;
        };
        let simulated = self.allocator.address(handle).unwrap_or(0);
        if simulated != event.address {
            total.mismatches += 1;
            if total.examples.len() < EXAMPLES {
                total.examples.push(Mismatch { event: at, size: event.size, on_gpu: event.address, simulated });
            }
        }
        self.live.insert(event.address, handle);
    }
}
