//! Stories of the allocator: figures after every event, any state again, the same trace under other settings.

use std::{fs, path::PathBuf};

use ledger::{
    allocator::{Allocator, Drive, Moment, Operation, Settings, StepError, Stepper, Story, Use, View},
    snapshot::{Event, Snapshot, again, read_snapshot, recorded},
};
use proptest::prelude::*;

use crate::pickles::{Py, dump};

const MIB: u64 = 1 << 20;

fn allocate(name: &str, size: u64) -> Operation {
    Operation::Allocate { name: name.to_owned(), size, stream: 0 }
}

fn free(name: &str) -> Operation {
    Operation::Free { name: name.to_owned() }
}

fn tell(settings: Settings, script: Vec<Operation>) -> Story<Stepper> {
    Story::tell(Stepper::new(settings), script.into()).expect("a script without mistakes")
}

#[test]
fn a_script_is_told_with_its_peaks() {
    let script = vec![allocate("a", 30 * MIB), free("a"), allocate("b", 12 * MIB), Operation::EmptyCache];
    let story = tell(Settings::default(), script.clone());
    let moment = |allocated, reserved, inactive_split| Moment {
        allocated: allocated * MIB,
        reserved: reserved * MIB,
        inactive_split: inactive_split * MIB,
    };
    let told = [moment(0, 0, 0), moment(30, 30, 0), moment(0, 30, 0), moment(12, 30, 18), moment(12, 30, 18)];
    assert_eq!(story.moments(), told);
    assert_eq!(story.peaks(), moment(30, 30, 18));
    // A block of 30 MiB is not split for less than 20 MiB: another segment is asked for, the first can return.
    let unsplit = tell(Settings { max_split_size: Some(20 * MIB), ..Settings::default() }, script);
    assert_eq!(unsplit.peaks(), moment(30, 42, 0));
    assert_eq!(unsplit.moments()[4], moment(12, 12, 0));
}

#[test]
fn what_found_no_memory_may_be_freed() {
    let settings = Settings { capacity: Some(20 * MIB), ..Settings::default() };
    let mut stepper = Stepper::new(settings);
    let failed = stepper.run(&allocate("a", 30 * MIB)).expect("an outcome");
    assert!(failed.out_of_memory);
    assert!(stepper.run(&Operation::FreeLater { name: "a".to_owned() }).is_ok());
    assert!(stepper.run(&free("a")).is_ok());
    assert_eq!(stepper.run(&free("a")), Err(StepError::Unknown { at: 3, name: "a".to_owned() }));
    assert!(stepper.run(&allocate("a", MIB)).is_ok());
    assert!(stepper.run(&free("a")).is_ok() && stepper.stats().allocated == 0);
}

#[test]
fn a_story_with_a_mistake_is_not_told() {
    let told = Story::tell(Stepper::new(Settings::default()), vec![free("a")].into());
    assert_eq!(told.map(|story| story.len()), Err(StepError::Unknown { at: 0, name: "a".to_owned() }));
}

/// A device of two segments: one from before the trace, one that comes, is used, returns.
fn snapshot(trace: &[(&'static str, u64, u64)]) -> Snapshot {
    let events = trace.iter().map(|(action, address, size)| {
        Py::Dict(vec![("action", (*action).into()), ("addr", (*address).into()), ("size", (*size).into())])
    });
    let file = Py::Dict(vec![
        ("segments", Py::List(Vec::new())),
        ("device_traces", Py::List(vec![Py::List(events.collect())])),
    ]);
    read_snapshot(&dump(&file, 4)).expect("a snapshot")
}

#[test]
fn a_trace_is_told_again_under_other_settings() {
    const A: u64 = 1 << 46;
    let trace = [
        ("segment_alloc", A, 30 * MIB),
        ("alloc", A, 30 * MIB),
        ("free_requested", A, 30 * MIB),
        ("free_completed", A, 30 * MIB),
        ("alloc", A, 12 * MIB),
        ("free_requested", A, 12 * MIB),
        ("free_completed", A, 12 * MIB),
        ("segment_free", A, 30 * MIB),
    ];
    let snapshot = snapshot(&trace);
    let first = recorded(&snapshot, 0);
    assert_eq!((first.len(), first.state(8).replay().mismatches), (8, 0));
    let peak = Moment { allocated: 30 * MIB, reserved: 30 * MIB, inactive_split: 18 * MIB };
    assert_eq!((first.peaks(), first.moments()[8]), (peak, Moment::default()));
    let same = again(&snapshot, 0, snapshot.settings);
    assert_eq!(same.moments(), first.moments());
    let unsplit = again(&snapshot, 0, Settings { max_split_size: Some(20 * MIB), ..snapshot.settings });
    assert_eq!(unsplit.peaks(), Moment { reserved: 42 * MIB, inactive_split: 0, ..peak });
    assert_eq!(unsplit.moments()[8], Moment::default(), "what returned is replayed as an emptied cache");
    // Pages of 20 MiB: two for the first, of which the second request uses one.
    let grown = again(&snapshot, 0, Settings { expandable_segments: true, ..snapshot.settings });
    assert_eq!(grown.peaks(), Moment { reserved: 40 * MIB, inactive_split: 0, ..peak });
    assert_eq!(again(&snapshot, 7, snapshot.settings).len(), 0, "no such device");
}

#[test]
fn real_snapshots_are_told_twice() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/snapshots");
    if !folder.exists() {
        println!("skipped: no snapshots beside the repository");
        return;
    }
    for name in ["forward.pickle", "full_step.pickle"] {
        let snapshot = read_snapshot(&fs::read(folder.join(name)).expect("a file")).expect("a snapshot");
        let first = recorded(&snapshot, 0);
        let end = first.state(usize::MAX);
        assert_eq!((end.replay().mismatches, end.stats().reserved), (0, snapshot.reserved()), "{name}");
        let same = again(&snapshot, 0, snapshot.settings);
        assert_eq!((same.peaks(), same.moments().last()), (first.peaks(), first.moments().last()), "{name}");
        let grown = again(&snapshot, 0, Settings { expandable_segments: true, ..snapshot.settings });
        let asked = grown.state(usize::MAX).stats().requested;
        assert_eq!(asked, end.stats().requested, "{name}: settings change no request");
        assert!(grown.peaks().inactive_split < first.peaks().inactive_split, "{name}: new ranges are not split");
    }
}

/// Free bytes of segments in use, counted on the picture.
fn split_on(view: &View) -> u64 {
    let parts = view.segments.iter().filter(|segment| !segment.expandable && segment.blocks.len() > 1);
    parts.flat_map(|segment| &segment.blocks).filter(|block| block.used == Use::Free).map(|block| block.size).sum()
}

fn script() -> impl Strategy<Value = Vec<Operation>> {
    let size = prop_oneof![1u64..5000, 1u64..(2 << 20), 1u64..(70 << 20)];
    let one = prop_oneof![
        6 => (0u8..40, size).prop_map(|(name, size)| (name, Some(size), 0)),
        4 => (0u8..40, 0u8..3).prop_map(|(name, kind)| (name, None, kind)),
    ];
    prop::collection::vec(one, 1..300).prop_map(|moves| {
        let mut live = std::collections::HashSet::new();
        let operation = |(name, size, kind): (u8, Option<u64>, u8)| match (size, kind) {
            (Some(size), _) => live.insert(name).then(|| allocate(&name.to_string(), size)),
            (None, 0) => Some(Operation::EmptyCache),
            (None, 1) => live.contains(&name).then(|| Operation::FreeLater { name: name.to_string() }),
            _ => live.remove(&name).then(|| free(&name.to_string())),
        };
        moves.into_iter().filter_map(operation).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_state_is_that_of_the_run(
        script in script(),
        expandable_segments in any::<bool>(),
        capacity in prop::option::of((1u64 << 20)..(1 << 28)),
        at in any::<prop::sample::Index>(),
    ) {
        let settings = Settings { expandable_segments, capacity, ..Settings::default() };
        let story = tell(settings, script.clone());
        let at = at.index(script.len() + 1);
        let mut stepper = Stepper::new(settings);
        for operation in &script[..at] {
            stepper.run(operation).expect("no mistake");
            let view = stepper.view();
            prop_assert_eq!(view.stats.inactive_split, split_on(&view));
        }
        prop_assert_eq!(story.state(at).view(), stepper.view());
        prop_assert_eq!(story.moments()[at], Moment::from(stepper.stats()));
        prop_assert_eq!(story.moments().len(), script.len() + 1);
    }

    #[test]
    fn a_damaged_trace_is_told_without_panic(
        events in prop::collection::vec((0usize..7, 0u64..64, 0u64..(1 << 27)), 0..80),
        expandable_segments in any::<bool>(),
        max_split_size in prop::option::of(1u64..(1 << 27)),
    ) {
        const ACTIONS: [&str; 7] =
            ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap"];
        let trace: Vec<_> = events.iter().map(|(at, place, size)| (ACTIONS[*at], place << 24, *size)).collect();
        let snapshot = snapshot(&trace);
        let settings = Settings { expandable_segments, max_split_size, ..snapshot.settings };
        prop_assert_eq!(recorded(&snapshot, 0).len(), trace.len());
        let story = again(&snapshot, 0, settings);
        let kept: &[Event] = story.events();
        prop_assert_eq!((kept.len(), story.moments().len()), (trace.len(), trace.len() + 1));
    }
}

#[test]
fn an_allocator_can_be_copied_in_the_middle() {
    let mut first = Allocator::new(Settings::default());
    first.allocate(MIB, 0).expect("memory");
    let second = first.clone();
    first.allocate(30 * MIB, 0).expect("memory");
    assert_eq!((first.stats().reserved, second.stats().reserved), (32 * MIB, 2 * MIB));
}
