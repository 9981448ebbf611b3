//! The simulated allocator: hand-derived traces, laws, settings.

use std::{collections::HashMap, fs, path::PathBuf};

use ledger::allocator::{Allocator, Handle, Settings, round_size, segment_size};
use proptest::prelude::*;
use serde_json::Value;

const MIB: u64 = 1 << 20;

#[test]
fn sizes_are_rounded() {
    let plain = Settings::default();
    let quarters = Settings { power2_divisions: [4; 16], ..plain };
    let cases = [
        (0, plain, 512),
        (1, plain, 512),
        (512, plain, 512),
        (513, plain, 1024),
        (MIB + 1, plain, MIB + 512),
        (1200, quarters, 1536),
        (5_000_000, quarters, 5_242_880),
        (9_000_000, quarters, 10_485_760),
        (8 * MIB, quarters, 8 * MIB),
    ];
    for (size, settings, rounded) in cases {
        assert_eq!(round_size(size, &settings), rounded, "{size}");
    }
    let segments = [
        (512, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 512, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB),
        (11 * MIB, 12 * MIB),
    ];
    for (size, segment) in segments {
        assert_eq!(segment_size(size, &plain), segment, "{size}");
    }
}

#[test]
fn a_tail_that_is_not_split_off_counts_as_allocated() {
    let mut allocator = Allocator::new(Settings::default());
    let handle = allocator.allocate(11 * MIB, 0).expect("no limit is set");
    let stats = allocator.stats();
    assert_eq!((stats.requested, stats.allocated, stats.reserved), (11 * MIB, 12 * MIB, 12 * MIB));
    allocator.free(handle);
    allocator.free(handle);
    assert_eq!(allocator.stats().allocated, 0, "a second free is ignored");
    allocator.empty_cache();
    assert_eq!(allocator.stats().reserved, 0);
}

#[test]
fn streams_do_not_share_blocks() {
    let mut allocator = Allocator::new(Settings::default());
    let first = allocator.allocate(20 * MIB, 0).expect("no limit is set");
    allocator.free(first);
    allocator.allocate(20 * MIB, 1).expect("no limit is set");
    assert_eq!(allocator.stats().reserved, 40 * MIB);
    allocator.allocate(20 * MIB, 0).expect("no limit is set");
    assert_eq!(allocator.stats().reserved, 40 * MIB);
}

#[test]
fn expandable_segments_grow_and_shrink_by_pages() {
    let mut allocator = Allocator::new(Settings { expandable_segments: true, ..Settings::default() });
    let first = allocator.allocate(30 * MIB, 0).expect("no limit is set");
    assert_eq!(allocator.stats().reserved, 40 * MIB);
    let second = allocator.allocate(35 * MIB, 0).expect("no limit is set");
    assert_eq!(allocator.stats().reserved, 80 * MIB, "the free 10 MiB are used first");
    allocator.free(first);
    allocator.free(second);
    allocator.allocate(60 * MIB, 0).expect("no limit is set");
    assert_eq!(allocator.stats().reserved, 80 * MIB, "neighbours have merged");
    allocator.empty_cache();
    assert_eq!(allocator.stats().reserved, 60 * MIB, "whole free pages are given back");
}

#[test]
fn expandable_segments_end_where_the_device_ends() {
    let settings = Settings { expandable_segments: true, capacity: Some(100 * MIB), ..Settings::default() };
    let mut allocator = Allocator::new(settings);
    let kept = allocator.allocate(60 * MIB, 0).expect("fits");
    assert!(allocator.allocate(50 * MIB, 0).is_err());
    assert!(allocator.allocate(40 * MIB, 0).is_ok());
    allocator.free(kept);
    assert_eq!(allocator.stats().ooms, 1);
}

/// Runs one shared trace and compares every stated figure after every operation.
fn check_trace(trace: &Value) {
    let id = trace["id"].as_str().unwrap_or_default();
    let config = &trace["config"];
    let mut allocator = Allocator::new(Settings {
        capacity: config["capacity"].as_u64(),
        max_split_size: config["max_split"].as_u64(),
        power2_divisions: [config["pow2div"].as_u64().unwrap_or(0); 16],
        collection_threshold: config["gc_threshold"].as_f64().unwrap_or(0.0),
        memory_fraction: config["fraction"].as_f64(),
        expandable_segments: config["expandable_segments"].as_bool().unwrap_or(false),
        ..Settings::default()
    });
    let mut named: HashMap<String, Handle> = HashMap::new();
    let operations = trace["ops"].as_array().expect("operations");
    for (at, (operation, expected)) in operations.iter().zip(trace["expect"].as_array().expect("figures")).enumerate() {
        let name = operation[1].as_str().unwrap_or_default().to_owned();
        let mut failed = false;
        match operation[0].as_str() {
            Some("a") => match allocator.allocate(operation[2].as_u64().expect("a size"), 0) {
                Ok(handle) => {
                    named.insert(name, handle);
                }
                Err(_) => failed = true,
            },
            Some("f") => allocator.free(named.remove(&name).expect("allocated before")),
            _ => allocator.empty_cache(),
        }
        let stats = allocator.stats();
        assert_eq!(failed, expected["oom"].as_bool().unwrap_or(false), "{id} {at}");
        for (key, value) in [
            ("allocated", stats.allocated),
            ("reserved", stats.reserved),
            ("requested", stats.requested),
            ("inactive_split", stats.inactive_split),
            ("inactive_split_count", stats.inactive_split_blocks),
        ] {
            if let Some(expected) = expected[key].as_u64() {
                assert_eq!(value, expected, "{id} {at} {key}");
            }
        }
    }
    let stats = allocator.stats();
    assert_eq!(Some(stats.retries), trace["num_alloc_retries"].as_u64(), "{id}");
    assert_eq!(Some(stats.ooms), trace["num_ooms"].as_u64(), "{id}");
    assert_eq!(Some(stats.peak_reserved), trace["peak"]["reserved"].as_u64(), "{id}");
    assert_eq!(Some(stats.peak_allocated), trace["peak"]["allocated"].as_u64(), "{id}");
    assert_eq!(Some(stats.segments), trace["sim_final"]["segments"].as_u64(), "{id}");
}

#[test]
fn shared_traces_agree() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/allocator/traces.json");
    let Ok(text) = fs::read_to_string(file) else {
        println!("skipped: no traces beside the repository");
        return;
    };
    let traces: Vec<Value> = serde_json::from_str(&text).expect("a list of traces");
    assert!(!traces.is_empty());
    traces.iter().for_each(check_trace);
}

/// A request, a release of one of the live blocks, or an emptied cache.
#[derive(Debug, Clone)]
enum Step {
    Allocate(u64, u64),
    Free(usize),
    Empty,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![1u64..4096, 1u64..(3 << 20), 1u64..(64 << 20)];
    let step = prop_oneof![
        4 => (size, 0u64..3).prop_map(|(size, stream)| Step::Allocate(size, stream)),
        3 => any::<usize>().prop_map(Step::Free),
        1 => Just(Step::Empty),
    ];
    prop::collection::vec(step, 1..120)
}

fn settings() -> impl Strategy<Value = Settings> {
    let capacity = prop_oneof![Just(None), (40u64..400).prop_map(|mib| Some(mib << 20))];
    let max_split = prop_oneof![Just(None), (20u64..100).prop_map(|mib| Some(mib << 20))];
    (capacity, max_split, any::<bool>(), 0u64..9, any::<bool>()).prop_map(
        |(capacity, max_split_size, expandable_segments, divisions, collects)| Settings {
            capacity,
            max_split_size: max_split_size.filter(|_| !expandable_segments),
            expandable_segments,
            power2_divisions: [divisions; 16],
            collection_threshold: if collects { 0.5 } else { 0.0 },
            memory_fraction: collects.then_some(1.0),
            ..Settings::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_never_overlap_and_everything_comes_back(settings in settings(), steps in steps()) {
        let mut allocator = Allocator::new(settings);
        let mut live: Vec<(Handle, u64, u64)> = Vec::new();
        for step in steps {
            match step {
                Step::Allocate(size, stream) => {
                    if let Ok(handle) = allocator.allocate(size, stream) {
                        let address = allocator.address(handle).unwrap();
                        for (_, start, length) in &live {
                            prop_assert!(address + size <= *start || start + length <= address);
                        }
                        live.push((handle, address, size));
                    }
                }
                Step::Free(at) if !live.is_empty() => {
                    let (handle, ..) = live.swap_remove(at % live.len());
                    allocator.free(handle);
                }
                Step::Free(_) => {}
                Step::Empty => allocator.empty_cache(),
            }
            let stats = allocator.stats();
            prop_assert_eq!(stats.requested, live.iter().map(|(.., size)| size).sum::<u64>());
            prop_assert!(stats.requested <= stats.allocated && stats.allocated <= stats.reserved);
            prop_assert!(stats.allocated + stats.inactive_split <= stats.reserved);
            prop_assert!(settings.capacity.is_none_or(|capacity| stats.reserved <= capacity));
        }
        live.into_iter().for_each(|(handle, ..)| allocator.free(handle));
        allocator.empty_cache();
        let stats = allocator.stats();
        prop_assert_eq!((stats.allocated, stats.requested, stats.reserved), (0, 0, 0));
    }
}
