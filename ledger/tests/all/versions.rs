//! Snapshots as the versions of PyTorch write them (`torch/csrc/cuda/memory_snapshot.cpp`, `torch/cuda/memory.py`):
//! fields that came later are absent in the older ones.

use ledger::{
    allocator::Use,
    snapshot::{Replay, Snapshot, read_snapshot, replay, view_at},
};
use proptest::prelude::*;

use crate::pickles::{Py, dump};

const BASE: u64 = 0x7f00_0000_0000;
const MIB: u64 = 1 << 20;

type Fields = Vec<(&'static str, Py)>;

/// Block states: `a` allocated, `w` awaiting, `i` inactive.
fn blocks(parts: &[(u64, char)], more: impl Fn(u64, u64, char) -> Fields) -> Py {
    let mut offset = 0;
    let written = parts.iter().map(|(mib, state)| {
        let name = match state {
            'a' => "active_allocated",
            'w' => "active_pending_free",
            _ => "inactive",
        };
        let mut fields: Fields = vec![("size", (mib * MIB).into()), ("state", name.into())];
        fields.extend(more(offset, mib * MIB, *state));
        offset += mib * MIB;
        Py::Dict(fields)
    });
    Py::List(written.collect())
}

/// A large segment; every version has these fields.
fn segment(device: u64, address: u64, parts: &[(u64, char)], blocks: Py, more: Fields) -> Py {
    let sum =
        |wanted: &str| parts.iter().filter(|(_, state)| wanted.contains(*state)).map(|(mib, _)| mib * MIB).sum::<u64>();
    let mut fields: Fields = vec![
        ("device", device.into()),
        ("address", address.into()),
        ("total_size", sum("awi").into()),
        ("allocated_size", sum("a").into()),
        ("active_size", sum("aw").into()),
        ("stream", 0.into()),
        ("segment_type", "large".into()),
        ("blocks", blocks),
    ];
    // A field that is given again replaces the earlier one.
    fields.extend(more);
    Py::Dict(fields)
}

fn event(action: &str, address: u64, mib: u64, more: &Fields) -> Py {
    let place = if action == "oom" { "device_free" } else { "addr" };
    let mut fields: Fields =
        vec![("action", action.into()), (place, address.into()), ("size", (mib * MIB).into()), ("stream", 0.into())];
    fields.extend(more.clone());
    Py::Dict(fields)
}

fn both(segments: Vec<Py>, traces: Vec<Py>, more: Fields) -> Py {
    let mut fields = vec![("segments", Py::List(segments)), ("device_traces", Py::List(traces))];
    fields.extend(more);
    Py::Dict(fields)
}

/// Reads a value in every protocol; all give the same.
fn read(value: &Py) -> Snapshot {
    let mut read = (2..=5).map(|protocol| read_snapshot(&dump(value, protocol)).expect("a snapshot"));
    let first = read.next().expect("four protocols");
    assert!(read.all(|other| other == first));
    first
}

fn agrees(snapshot: &Snapshot) -> Replay {
    let result = replay(snapshot);
    assert!(result.agrees(), "{result:?}");
    result
}

/// Until 2.0: a block lists what it has held, the current allocation first.
fn history(offset: u64, size: u64, state: char) -> Fields {
    let held = |real: u64| {
        Py::Dict(vec![("addr", (BASE + offset).into()), ("real_size", real.into()), ("frames", Py::List(Vec::new()))])
    };
    match state {
        'i' => Vec::new(),
        _ => vec![("history", Py::List(vec![held(size - 100), held(77)]))],
    }
}

/// 1.12 and 1.13: the list of segments alone.
#[test]
fn a_list_of_segments() {
    let parts = [(12, 'a'), (4, 'i'), (4, 'w')];
    let snapshot = read(&Py::List(vec![segment(0, BASE, &parts, blocks(&parts, history), Vec::new())]));
    assert_eq!((snapshot.reserved(), snapshot.allocated()), (20 * MIB, 12 * MIB));
    let found = &snapshot.segments[0].blocks;
    assert_eq!((found[0].requested, found[2].address), (12 * MIB - 100, BASE + 16 * MIB));
    let result = agrees(&snapshot);
    assert_eq!(
        (result.reserved, result.allocated),
        (20 * MIB, 12 * MIB),
        "what awaits another stream is not allocated"
    );
}

/// 2.0: traces without times, blocks with their history, no sizes of requests.
#[test]
fn traces_without_times() {
    let parts = [(12, 'a'), (8, 'i')];
    let none = Vec::new();
    let trace = Py::List(vec![
        event("snapshot", 0, 0, &none),
        event("segment_alloc", BASE, 20, &none),
        event("alloc", BASE, 12, &none),
        event("alloc", BASE + 12 * MIB, 3, &none),
        event("free_requested", BASE + 12 * MIB, 3, &none),
        event("free_completed", BASE + 12 * MIB, 3, &none),
    ]);
    // 12 MiB get a segment of their own size: the story asks for 9.
    let result = replay(&read(&both(
        vec![segment(0, BASE, &parts, blocks(&parts, history), Vec::new())],
        vec![trace],
        Vec::new(),
    )));
    assert!(result.mismatches > 0, "a segment of 20 MiB is not asked for 12: {result:?}");
    let parts = [(9, 'a'), (11, 'i')];
    let trace = Py::List(vec![event("segment_alloc", BASE, 20, &none), event("alloc", BASE, 9, &none)]);
    let segments = vec![segment(0, BASE, &parts, blocks(&parts, history), Vec::new())];
    agrees(&read(&both(segments, vec![trace], Vec::new())));
}

/// From 2.1: addresses and sizes of requests in the blocks, pools and expandable segments.
fn current(offset: u64, size: u64, state: char) -> Fields {
    let requested = if state == 'i' { 0 } else { size };
    vec![
        ("address", (BASE + offset).into()),
        ("requested_size", requested.into()),
        (
            "frames",
            Py::List(vec![Py::Dict(vec![("name", "f".into()), ("filename", "a.py".into()), ("line", 3.into())])]),
        ),
    ]
}

fn pool(first: u64, second: u64) -> (&'static str, Py) {
    ("segment_pool_id", Py::Tuple(vec![first.into(), second.into()]))
}

fn expandable(address: u64, parts: &[(u64, char)]) -> Py {
    let move_by = address - BASE;
    let blocks = blocks(parts, |offset, size, state| current(offset + move_by, size, state));
    segment(0, address, parts, blocks, vec![pool(0, 0), ("is_expandable", Py::Bool(true))])
}

fn growing_story(from: usize) -> Vec<Py> {
    let none = Vec::new();
    let at = |mib: u64| BASE + mib * MIB;
    let story = vec![
        // 30 MiB need two pages of 20; 35 more use the 10 that are left and two further pages.
        event("segment_map", at(0), 40, &none),
        event("alloc", at(0), 30, &none),
        event("segment_map", at(40), 40, &none),
        event("alloc", at(30), 35, &none),
        event("free_requested", at(0), 30, &none),
        event("free_completed", at(0), 30, &none),
        // An emptied cache gives back the one page that is wholly free.
        event("segment_unmap", at(0), 20, &none),
        // Hole and free bytes at the start are 30 MiB: too small for 40. At the end there are 15.
        event("segment_map", at(80), 40, &none),
        event("alloc", at(65), 40, &none),
        // 25 MiB fit the start: its page comes back.
        event("segment_map", at(0), 20, &none),
        event("alloc", at(0), 25, &none),
    ];
    story[from..].to_vec()
}

/// 2.1 has no settings: that segments grow shows that they may. The trace may begin anywhere.
#[test]
fn growing_segments_from_any_event_on() {
    let end = expandable(BASE, &[(25, 'a'), (5, 'i'), (35, 'a'), (40, 'a'), (15, 'i')]);
    for from in [0, 2, 4, 6, 7, 9, 11] {
        let snapshot = read(&both(vec![end.clone()], vec![Py::List(growing_story(from))], Vec::new()));
        let result = agrees(&snapshot);
        assert_eq!((result.reserved, result.allocated), (120 * MIB, 100 * MIB), "from {from}");
    }
}

/// The memory after any event of a trace.
#[test]
fn a_view_of_any_moment() {
    let end = expandable(BASE, &[(25, 'a'), (5, 'i'), (35, 'a'), (40, 'a'), (15, 'i')]);
    let snapshot = read(&both(vec![end], vec![Py::List(growing_story(0))], Vec::new()));
    let uses = |events| {
        let view = view_at(&snapshot, 0, events);
        let blocks = view.segments.iter().flat_map(|segment| &segment.blocks);
        blocks.map(|block| (block.size / MIB, block.used)).collect::<Vec<_>>()
    };
    assert_eq!(uses(0), []);
    assert_eq!(uses(2), [(30, Use::Allocated), (10, Use::Free)]);
    assert_eq!(uses(5), [(30, Use::AwaitingFree), (35, Use::Allocated), (15, Use::Free)]);
    assert_eq!(uses(7), [(10, Use::Free), (35, Use::Allocated), (15, Use::Free)]);
    assert_eq!(uses(usize::MAX).iter().map(|(mib, _)| mib).sum::<u64>(), 120);
    assert!(view_at(&snapshot, 7, 3).segments.is_empty());
}

/// The hole between two parts of a range is no larger than it is.
#[test]
fn parts_of_one_range() {
    let none = Vec::new();
    let at = |mib: u64| BASE + mib * MIB;
    let trace = vec![
        event("segment_map", at(80), 60, &none),
        event("alloc", at(80), 50, &none),
        event("segment_map", at(20), 20, &none),
        event("alloc", at(20), 20, &none),
    ];
    let segments =
        vec![expandable(at(0), &[(20, 'a'), (20, 'a')]), expandable(at(60), &[(20, 'a'), (50, 'a'), (10, 'i')])];
    agrees(&read(&both(segments, vec![Py::List(trace)], Vec::new())));
}

/// Pages below that are mapped for a graph's pool, or that lie beyond another range, are not this range's.
#[test]
fn ranges_of_other_pools() {
    let none = Vec::new();
    let at = |mib: u64| BASE + mib * MIB;
    let trace = vec![
        event("segment_map", at(0), 20, &none),
        event("alloc", at(0), 20, &none),
        event("segment_map", at(820), 40, &none),
        event("alloc", at(820), 30, &none),
    ];
    let graph_parts = [(20, 'a')];
    let graph = segment(
        0,
        BASE,
        &graph_parts,
        blocks(&graph_parts, current),
        vec![pool(0, 1), ("is_expandable", Py::Bool(true))],
    );
    let segments = vec![graph, expandable(at(800), &[(20, 'a'), (30, 'a'), (10, 'i')])];
    agrees(&read(&both(segments, vec![Py::List(trace)], Vec::new())));
}

/// What was mapped before the trace and is gone by its end is known from its events alone.
#[test]
fn a_range_that_is_gone() {
    let none = Vec::new();
    let trace = vec![
        event("free_requested", BASE, 30, &none),
        event("free_completed", BASE, 30, &none),
        event("segment_unmap", BASE, 40, &none),
    ];
    let settings = ("allocator_settings", Py::Dict(vec![("expandable_segments", Py::Bool(true))]));
    let result = agrees(&read(&both(Vec::new(), vec![Py::List(trace)], vec![settings])));
    assert_eq!((result.reserved, result.allocated), (0, 0));
}

/// From 2.2 on settings and times, later annotations, metadata and pools of events; two devices, a graph's pool, a
/// stream that C++ wrote as a negative number, events of other devices' builds.
#[test]
fn the_newest_fields() {
    let times = vec![
        ("time_us", 1_748_729_391_819_440.into()),
        ("compile_context", "N/A".into()),
        ("user_metadata", "step 3".into()),
        ("pool_id", Py::Tuple(vec![0.into(), 0.into()])),
        ("frames", Py::List(Vec::new())),
    ];
    let graph: Fields = vec![("pool_id", Py::Tuple(vec![0.into(), 1.into()]))];
    let stream: Fields = vec![("stream", Py::Int(-0x1000))];
    let first = Py::List(vec![
        event("segment_alloc", BASE, 12, &times),
        event("alloc", BASE, 4, &times),
        event("oom", 5 * MIB, 900, &times),
        event("workspace_snapshot", 0, 0, &times),
        event("segment_alloc", BASE + 64 * MIB, 12, &graph),
        // The free 8 MiB of the common pool are not the graph's.
        event("alloc", BASE + 64 * MIB, 5, &graph),
    ]);
    let second = Py::List(vec![event("segment_alloc", BASE, 12, &stream), event("alloc", BASE, 4, &stream)]);
    let settings = Py::Dict(vec![
        ("PYTORCH_CUDA_ALLOC_CONF", "large_segment_size_mb:12,expandable_segments:False".into()),
        ("max_split_size", Py::Int(-1)),
        ("garbage_collection_threshold", Py::Float(0.0)),
        ("expandable_segments", Py::Bool(false)),
        ("roundup_power2_divisions", Py::Dict(vec![("1", 0.into()), ("2", 0.into())])),
    ]);
    let annotation = Py::Dict(vec![("name", "step".into()), ("stage", "START".into()), ("device", 0.into())]);
    let (common, captured) = ([(4, 'a'), (8, 'i')], [(5, 'a'), (7, 'i')]);
    let moved = |offset, size, state| current(offset + 64 * MIB, size, state);
    let segments = vec![
        segment(0, BASE, &common, blocks(&common, current), vec![pool(0, 0), ("is_expandable", Py::Bool(false))]),
        segment(0, BASE + 64 * MIB, &captured, blocks(&captured, moved), vec![pool(0, 1)]),
        segment(1, BASE, &common, blocks(&common, current), vec![pool(0, 0), ("stream", Py::Int(-0x1000))]),
    ];
    let more = vec![
        ("allocator_settings", settings),
        ("external_annotations", Py::List(vec![annotation])),
        ("categories", Py::None),
    ];
    let snapshot = read(&both(segments, vec![first, second], more));
    assert_eq!((snapshot.settings.large_segment_size, snapshot.segments[2].device), (12 * MIB, 1));
    assert_eq!(snapshot.segments[2].stream, (-0x1000i64).cast_unsigned());
    let result = agrees(&snapshot);
    assert_eq!((result.allocations, result.segments, result.allocated), (3, 3, 13 * MIB));
}

#[test]
fn endless_repetition_is_refused() {
    let parts = [(20, 'i')];
    let many = |device: u64| segment(device, BASE, &parts, blocks(&parts, current), Vec::new());
    let far = read_snapshot(&dump(&Py::List(vec![many(5000)]), 4)).expect_err("no such device").to_string();
    assert_eq!(far, "segments[0].device: expected a number below 1024");
    // One empty segment, listed a thousand times by its number in the memo.
    let mut bytes = vec![0x80, 4];
    bytes.extend(b"]\x94(");
    bytes.extend(b"}\x94(\x8c\x06blocks]\x8c\x07addressK\x01\x8c\x0atotal_sizeK\x00u");
    bytes.extend(b"h\x01".repeat(1000));
    bytes.extend(b"e.");
    assert_eq!(
        read_snapshot(&bytes).expect_err("refused").to_string(),
        "segments: more items than the file has values"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged files of growing segments, in every protocol, are refused or replayed, never a panic.
    #[test]
    fn damaged_ranges(
        protocol in 2u8..6,
        from in 0usize..11,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let end = expandable(BASE, &[(25, 'a'), (5, 'i'), (35, 'w'), (40, 'a'), (15, 'i')]);
        let mut bytes = dump(&both(vec![end], vec![Py::List(growing_story(from))], Vec::new()), protocol);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(snapshot) = read_snapshot(&bytes) {
            let _ = replay(&snapshot);
        }
    }
}
