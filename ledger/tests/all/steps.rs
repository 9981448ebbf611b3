//! Scripts step by step, and the finer rules of expandable segments.

use ledger::allocator::{Allocator, MAX_STEPS, Operation, Settings, Step, StepError, Stepper, Use, View, steps};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;

fn allocate(name: &str, size: u64, stream: u64) -> Operation {
    Operation::Allocate { name: name.to_owned(), size, stream }
}

fn free(name: &str) -> Operation {
    Operation::Free { name: name.to_owned() }
}

fn run(settings: Settings, script: &[Operation]) -> Vec<Step> {
    steps(settings, script).expect("a script without mistakes")
}

/// Sizes and uses of all blocks, in the order of their addresses.
fn blocks(step: &Step) -> Vec<(u64, Use)> {
    let blocks = step.after.segments.iter().flat_map(|segment| &segment.blocks);
    blocks.map(|block| (block.size, block.used)).collect()
}

#[test]
fn a_script_shows_every_block() {
    let script = [
        allocate("a", 4 * MIB, 0),
        allocate("b", 6 * MIB, 0),
        free("a"),
        Operation::FreeLater { name: "b".to_owned() },
        allocate("c", 512, 7),
        free("b"),
        Operation::EmptyCache,
    ];
    let steps = run(Settings::default(), &script);
    assert_eq!(blocks(&steps[0]), [(4 * MIB, Use::Allocated), (16 * MIB, Use::Free)]);
    assert_eq!((steps[0].outcome.from_driver, steps[0].after.stats.inactive_split), (20 * MIB, 16 * MIB));
    assert_eq!(blocks(&steps[1]), [(4 * MIB, Use::Allocated), (6 * MIB, Use::Allocated), (10 * MIB, Use::Free)]);
    assert_eq!(steps[2].after.stats.inactive_split_blocks, 2);
    assert_eq!(blocks(&steps[3])[1], (6 * MIB, Use::AwaitingFree));
    assert_eq!((steps[3].after.stats.allocated, steps[4].after.segments.len()), (0, 2));
    let small = steps[4].after.segments.iter().find(|segment| segment.small).expect("a small segment");
    assert_eq!((small.stream, small.size, small.blocks[0].name.as_deref()), (7, 2 * MIB, Some("c")));
    assert_eq!(blocks(&steps[5])[0], (20 * MIB, Use::Free), "neighbours have merged");
    assert_eq!((steps[6].outcome.to_driver, steps[6].after.stats.reserved), (20 * MIB, 2 * MIB));
}

#[test]
fn retries_and_failures_are_outcomes() {
    let settings = Settings { capacity: Some(40 * MIB), ..Settings::default() };
    let script = [allocate("a", 20 * MIB, 0), free("a"), allocate("b", 30 * MIB, 0), allocate("c", 30 * MIB, 0)];
    let steps = run(settings, &script);
    let outcome = &steps[2].outcome;
    assert_eq!((outcome.retried, outcome.from_driver, outcome.to_driver), (true, 30 * MIB, 20 * MIB));
    assert!(steps[3].outcome.out_of_memory && steps[3].outcome.address.is_none());
    let text = serde_json::to_string(&steps).expect("plain data");
    assert_eq!(serde_json::from_str::<Vec<Step>>(&text).ok(), Some(steps));
}

#[test]
fn mistakes_in_a_script_are_named() {
    let message = |script: &[Operation]| steps(Settings::default(), script).expect_err("refused").to_string();
    assert_eq!(message(&[free("x")]), "operation 0: \"x\" is not allocated");
    assert_eq!(message(&[allocate("x", 1, 0), allocate("x", 1, 0)]), "operation 1: \"x\" is already allocated");
    let long = vec![Operation::EmptyCache; MAX_STEPS + 1];
    assert_eq!(steps(Settings::default(), &long), Err(StepError::TooMany { found: MAX_STEPS + 1 }));
    let parsed: Result<Operation, _> = serde_json::from_str(r#"{"do": "allocate", "name": "x", "size": 5}"#);
    assert_eq!(parsed.ok(), Some(allocate("x", 5, 0)));
}

#[test]
fn sizes_beyond_any_device_run_out_of_memory() {
    for expandable_segments in [false, true] {
        for capacity in [None, Some(u64::MAX)] {
            let settings = Settings { expandable_segments, capacity, ..Settings::default() };
            let script = [allocate("a", u64::MAX, 0), allocate("b", 1 << 51, 0), allocate("c", u64::MAX / 2, u64::MAX)];
            let steps = run(settings, &script);
            assert_eq!(steps.iter().map(|step| step.outcome.out_of_memory).collect::<Vec<_>>(), [true, false, true]);
        }
    }
}

#[test]
fn large_segments_follow_their_setting() {
    let settings = Settings { large_segment_size: 12 * MIB, ..Settings::default() };
    let steps = run(settings, &[allocate("a", 2 * MIB, 0), allocate("b", 30 * MIB, 0)]);
    assert_eq!((steps[0].outcome.from_driver, steps[1].outcome.from_driver), (12 * MIB, 30 * MIB));
    let pages = Settings { expandable_segments: true, ..settings };
    assert_eq!(run(pages, &[allocate("a", 13 * MIB, 0)])[0].outcome.from_driver, 24 * MIB);
}

/// With `max_split_size` of 100 MiB: smaller requests leave large blocks alone, large ones take a block only up to
/// 20 MiB larger and whole; where the driver has no room, a large block goes first.
#[test]
fn large_blocks_are_never_split() {
    let settings = Settings { max_split_size: Some(100 * MIB), capacity: Some(400 * MIB), ..Settings::default() };
    let script = [
        allocate("a", 150 * MIB, 0),
        free("a"),
        allocate("b", 50 * MIB, 0),
        allocate("c", 120 * MIB, 0),
        allocate("d", 135 * MIB, 0),
        allocate("e", 75 * MIB, 0),
        free("d"),
        allocate("f", 160 * MIB, 0),
    ];
    let steps = run(settings, &script);
    assert_eq!(steps[2].outcome.from_driver, 50 * MIB, "a large block is not cut for 50 MiB");
    assert_eq!(steps[3].outcome.from_driver, 120 * MIB, "150 is more than 20 above 120");
    assert_eq!(steps[4].outcome.address, steps[0].outcome.address);
    assert_eq!(steps[4].after.stats.allocated, (50 + 120 + 150) * MIB, "the block is taken whole");
    assert_eq!(steps[5].outcome.from_driver, 76 * MIB, "segments are multiples of 2 MiB");
    let outcome = &steps[7].outcome;
    assert!(outcome.out_of_memory && outcome.retried, "150 of 396 MiB came back: too little for 160");
    assert_eq!(outcome.to_driver, 150 * MIB);
}

#[test]
fn a_large_block_goes_without_a_flush() {
    let settings = Settings { max_split_size: Some(100 * MIB), capacity: Some(300 * MIB), ..Settings::default() };
    let script = [
        allocate("a", 150 * MIB, 0),
        allocate("small", 40 * MIB, 0),
        free("a"),
        free("small"),
        allocate("b", 120 * MIB, 0),
    ];
    let steps = run(settings, &script);
    let outcome = &steps[4].outcome;
    assert_eq!((outcome.retried, outcome.to_driver, outcome.from_driver), (false, 150 * MIB, 120 * MIB));
    assert_eq!(steps[4].after.stats.reserved, 160 * MIB, "the cached 40 MiB stay");
    assert_eq!(steps[2].after.stats.fragmentation(), 0.0, "wholly free segments are no fragments");
}

/// Two free blocks fit: one that ends where the range can grow, and a larger one in the middle. The one that can grow
/// counts as large as it can become, so the middle is taken.
#[test]
fn blocks_that_can_grow_are_kept() {
    let settings = Settings { expandable_segments: true, ..Settings::default() };
    let script =
        [allocate("middle", 30 * MIB, 0), allocate("wall", 20 * MIB, 0), free("middle"), allocate("small", 5 * MIB, 0)];
    let steps = run(settings, &script);
    // 60 MiB are backed: 30 free, 20 used, 10 free before the hole.
    assert_eq!(blocks(&steps[2]), [(30 * MIB, Use::Free), (20 * MIB, Use::Allocated), (10 * MIB, Use::Free)]);
    assert_eq!(steps[3].outcome.address, steps[0].outcome.address);
}

/// Pages given back in the middle leave a hole; it is filled first, with the free bytes on both sides.
#[test]
fn holes_are_filled_from_the_lowest() {
    let settings = Settings { expandable_segments: true, ..Settings::default() };
    let script = [
        allocate("a", 20 * MIB, 0),
        allocate("b", 20 * MIB, 0),
        allocate("c", 20 * MIB, 0),
        allocate("d", 20 * MIB, 0),
        free("b"),
        Operation::EmptyCache,
        free("c"),
        Operation::EmptyCache,
        allocate("e", 40 * MIB, 0),
        allocate("f", 20 * MIB, 0),
    ];
    let steps = run(settings, &script);
    let (used, hole) = (Use::Allocated, Use::Unmapped);
    assert_eq!(blocks(&steps[7]), [(20 * MIB, used), (40 * MIB, hole), (20 * MIB, used)], "holes have merged");
    assert_eq!(steps[8].outcome.address, steps[1].outcome.address);
    assert_eq!(steps[8].outcome.from_driver, 40 * MIB);
    assert_eq!(blocks(&steps[9]), [(20 * MIB, used), (40 * MIB, used), (20 * MIB, used), (20 * MIB, used)]);
}

fn check_view(view: &View) {
    let stats = view.stats;
    let mut sums = [0; 3];
    for segment in &view.segments {
        let mut at = segment.address;
        for block in &segment.blocks {
            assert_eq!(block.address, at, "blocks touch");
            at += block.size;
            sums[match block.used {
                Use::Allocated => 0,
                Use::Free | Use::AwaitingFree => 1,
                Use::Unmapped => 2,
            }] += block.size;
        }
        assert_eq!(at, segment.address + segment.size);
    }
    assert_eq!((sums[0], sums[0] + sums[1]), (stats.allocated, stats.reserved));
    assert_eq!(stats.from_driver - stats.to_driver, stats.reserved);
}

/// Settings as hostile as their types allow.
fn any_settings() -> impl Strategy<Value = Settings> {
    let size = || prop_oneof![Just(0), Just(u64::MAX), 0..(1u64 << 30)];
    let sizes = (prop::option::of(size()), prop::option::of(size()), size(), size());
    (sizes, size(), any::<f64>(), prop::option::of(any::<f64>()), any::<bool>()).prop_map(
        |((capacity, max_split_size, rounding, large), divisions, collection_threshold, memory_fraction, grows)| {
            Settings {
                capacity,
                max_split_size,
                max_non_split_rounding: rounding,
                large_segment_size: large,
                power2_divisions: [divisions; 16],
                collection_threshold,
                memory_fraction,
                expandable_segments: grows,
            }
        },
    )
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let name = || prop::sample::select(vec!["a", "b", "c", "d", "e"]).prop_map(str::to_owned);
    let size = prop_oneof![Just(0), Just(u64::MAX), 1..(1u64 << 22), 1..(1u64 << 34)];
    prop_oneof![
        (name(), size, 0u64..3).prop_map(|(name, size, stream)| Operation::Allocate { name, size, stream }),
        name().prop_map(|name| Operation::Free { name }),
        name().prop_map(|name| Operation::FreeLater { name }),
        Just(Operation::EmptyCache),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_script_breaks_the_allocator(
        settings in any_settings(),
        script in prop::collection::vec(any_operation(), 1..40),
    ) {
        let mut stepper = Stepper::new(settings);
        for operation in &script {
            if let Ok(step) = stepper.apply(operation) {
                check_view(&step.after);
            }
        }
    }

    /// The parts of every view sum to the counters beside them.
    #[test]
    fn views_sum_to_their_counters(
        expandable_segments in any::<bool>(),
        moves in prop::collection::vec((0usize..4, 1u64..(50 << 20), 0u64..2), 1..60),
    ) {
        let mut allocator = Allocator::new(Settings { expandable_segments, ..Settings::default() });
        let mut live = Vec::new();
        for (kind, size, stream) in moves {
            match kind {
                0 | 1 => live.push(allocator.allocate(size, stream).expect("no limit is set")),
                2 if !live.is_empty() => allocator.free(live.swap_remove(size as usize % live.len())),
                _ => allocator.empty_cache(),
            }
            check_view(&allocator.view());
        }
    }
}
