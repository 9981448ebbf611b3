//! What the simulated allocator did, recorded as PyTorch records it, is replayed to the address from any event on.

use std::collections::BTreeMap;

use ledger::{
    allocator::{Allocator, SegmentView, Settings, Use, View},
    snapshot::{Action, Snapshot, again, read_snapshot, recorded, replay},
};
use proptest::prelude::*;

use crate::pickles::{Py, dump};

fn event(action: &str, address: u64, size: u64, stream: u64) -> Py {
    Py::Dict(vec![
        ("action", action.into()),
        ("addr", address.into()),
        ("size", size.into()),
        ("stream", stream.into()),
    ])
}

/// Backed stretches: address, size, stream, and whether they are pages of a range.
fn backed(view: &View) -> BTreeMap<u64, (u64, u64, bool)> {
    let parts = view.segments.iter().flat_map(parts);
    parts.map(|part| (part.address, (part.size, part.stream, part.expandable))).collect()
}

/// A range as PyTorch shows it: one segment for every stretch that is backed.
fn parts(segment: &SegmentView) -> Vec<SegmentView> {
    let stretches = segment.blocks.split(|block| block.used == Use::Unmapped).filter(|blocks| !blocks.is_empty());
    stretches
        .map(|blocks| SegmentView {
            address: blocks[0].address,
            size: blocks.iter().map(|block| block.size).sum(),
            blocks: blocks.to_vec(),
            ..segment.clone()
        })
        .collect()
}

/// What `after` has and `before` has not, stretch by stretch.
fn gained(before: &View, after: &View) -> Vec<(u64, u64, u64, bool)> {
    let before = backed(before);
    let mut found = Vec::new();
    for (address, (size, stream, range)) in backed(after) {
        let (mut at, end) = (address, address + size);
        for (known, (length, ..)) in before.range(..end).filter(|(known, (length, ..))| *known + length > address) {
            if *known > at {
                found.push((at, known - at, stream, range));
            }
            at = at.max(known + length);
        }
        if at < end {
            found.push((at, end - at, stream, range));
        }
    }
    found
}

fn segments(view: &View) -> Py {
    let written = view.segments.iter().flat_map(parts).map(|part| {
        let blocks = part.blocks.iter().map(|block| {
            let state = match block.used {
                Use::Allocated => "active_allocated",
                Use::AwaitingFree => "active_awaiting_free",
                _ => "inactive",
            };
            Py::Dict(vec![
                ("address", block.address.into()),
                ("size", block.size.into()),
                ("requested_size", block.requested.into()),
                ("state", state.into()),
            ])
        });
        let blocks = Py::List(blocks.collect());
        Py::Dict(vec![
            ("device", 0.into()),
            ("address", part.address.into()),
            ("total_size", part.size.into()),
            ("stream", part.stream.into()),
            ("segment_type", if part.small { "small" } else { "large" }.into()),
            ("is_expandable", Py::Bool(part.expandable)),
            ("blocks", blocks),
        ])
    });
    Py::List(written.collect())
}

#[derive(Debug, Clone)]
enum Move {
    Allocate(u64, u64),
    Free(usize),
    /// Dropped now, free with one of the later moves.
    Drop(usize),
    Empty,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let size = prop_oneof![1u64..5000, 1u64..(2 << 20), 1u64..(70 << 20)];
    let one = prop_oneof![
        6 => (size, 0u64..2).prop_map(|(size, stream)| Move::Allocate(size, stream)),
        4 => any::<usize>().prop_map(Move::Free),
        1 => any::<usize>().prop_map(Move::Drop),
        1 => Just(Move::Empty),
    ];
    prop::collection::vec(one, 1..60)
}

/// Runs the moves; the trace and the memory at the end.
fn record(settings: Settings, moves: &[Move]) -> (Vec<Py>, View) {
    let mut allocator = Allocator::new(settings);
    let (mut live, mut trace) = (Vec::new(), Vec::new());
    for step in moves {
        let before = allocator.view();
        let mut own = Vec::new();
        match step {
            Move::Allocate(size, stream) => {
                let handle = allocator.allocate(*size, *stream).expect("no limit is set");
                let address = allocator.address(handle).expect("allocated");
                own.push(event("alloc", address, *size, *stream));
                live.push((handle, address, *size, *stream, false));
            }
            Move::Free(at) if !live.is_empty() => {
                let (handle, address, size, stream, dropped) = live.swap_remove(at % live.len());
                if !dropped {
                    own.push(event("free_requested", address, size, stream));
                }
                own.push(event("free_completed", address, size, stream));
                allocator.free(handle);
            }
            Move::Drop(at) if !live.is_empty() => {
                let at = at % live.len();
                let (handle, address, size, stream, dropped) = &mut live[at];
                if !*dropped {
                    own.push(event("free_requested", *address, *size, *stream));
                    allocator.free_later(*handle);
                    *dropped = true;
                }
            }
            Move::Free(_) | Move::Drop(_) => {}
            Move::Empty => allocator.empty_cache(),
        }
        let after = allocator.view();
        for (address, size, stream, range) in gained(&before, &after) {
            trace.push(event(if range { "segment_map" } else { "segment_alloc" }, address, size, stream));
        }
        for (address, size, stream, range) in gained(&after, &before) {
            trace.push(event(if range { "segment_unmap" } else { "segment_free" }, address, size, stream));
        }
        trace.extend(own);
    }
    (trace, allocator.view())
}

/// The recording from event `from` on, as a file.
fn file(trace: &[Py], end: &View, expandable: bool) -> Snapshot {
    let file = Py::Dict(vec![
        ("segments", segments(end)),
        ("device_traces", Py::List(vec![Py::List(trace.to_vec())])),
        ("allocator_settings", Py::Dict(vec![("expandable_segments", Py::Bool(expandable))])),
    ]);
    read_snapshot(&dump(&file, 4)).expect("a snapshot")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_recording_is_replayed_from_any_event(
        expandable_segments in any::<bool>(),
        moves in moves(),
        from in any::<prop::sample::Index>(),
    ) {
        let settings = Settings { expandable_segments, ..Settings::default() };
        let (trace, end) = record(settings, &moves);
        let from = from.index(trace.len().max(1)).min(trace.len());
        let snapshot = file(&trace[from..], &end, expandable_segments);
        let result = replay(&snapshot);
        prop_assert!(result.agrees(), "from event {from}: {result:?}");
        let told = recorded(&snapshot, 0);
        prop_assert_eq!(told.state(usize::MAX).view().segments, end.segments);
        prop_assert_eq!(told.state(usize::MAX).replay().mismatches, 0);
    }

    #[test]
    fn the_same_settings_tell_the_same_story(
        expandable_segments in any::<bool>(),
        moves in moves(),
        from in any::<prop::sample::Index>(),
    ) {
        let settings = Settings { expandable_segments, ..Settings::default() };
        let (trace, end) = record(settings, &moves);
        let from = from.index(trace.len().max(1)).min(trace.len());
        let snapshot = file(&trace[from..], &end, expandable_segments);
        let (first, second) = (recorded(&snapshot, 0), again(&snapshot, 0, snapshot.settings));
        // While several segments return one by one, the second run has returned all of them already.
        let returns = |at: usize| {
            matches!(snapshot.traces[0].get(at).map(|event| event.action), Some(Action::SegmentFree | Action::SegmentUnmap))
        };
        for (at, (one, other)) in first.moments().iter().zip(second.moments()).enumerate() {
            let settled = at == 0 || !returns(at - 1) || !returns(at);
            prop_assert!(!settled || one == other, "after event {}: {:?}, {:?}", at, one, other);
        }
    }
}
