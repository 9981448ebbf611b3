//! How fast the engine is: `cargo xtask bench ledger` prints it beside a plain Python implementation of the same.

mod case;
#[allow(dead_code, reason = "the tests write more kinds of values")]
#[path = "../../tests/all/pickles.rs"]
mod pickles;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ledger::{
    Model,
    allocator::{Allocator, Settings},
    catalogue,
    planner::{self, Assumptions, Offer, Space, TrainGoal},
    snapshot::{read_snapshot, replay},
    training,
};

fn model(name: &str) -> &'static Model {
    catalogue::model(name).unwrap_or_else(|| panic!("{name} is in the catalogue"))
}

fn trainings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("training");
    for name in ["Qwen2.5-0.5B", "Llama-3-8B", "DeepSeek-V3"] {
        let model = model(name);
        group.bench_function(name, |bencher| bencher.iter(|| training::ledger(black_box(model), &case::WORKLOAD)));
    }
    group.finish();
}

fn plans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("planner");
    group.sample_size(20);
    let card = catalogue::card("h100-80gb").unwrap_or_else(|| panic!("h100-80gb is in the catalogue"));
    for (name, count, batch) in [("Llama-3-8B", 8, 128), ("Llama-3-70B", 64, 512), ("Mixtral-8x7B-v0.1", 64, 512)] {
        let (model, goal) = (model(name), TrainGoal { batch, seq: 4096 });
        let plan = || {
            let offers = [Offer { card, count }];
            planner::train(model, &goal, &offers, &Space::default(), &Assumptions::default())
        };
        let considered = plan().map_or_else(|error| panic!("{name}: {error}"), |plans| plans.considered);
        group.throughput(Throughput::Elements(considered));
        group.bench_function(name, |bencher| bencher.iter(plan));
    }
    group.finish();
}

fn allocators(criterion: &mut Criterion) {
    let script = case::script();
    let mut group = criterion.benchmark_group("allocator");
    group.throughput(Throughput::Elements(script.len() as u64));
    group.bench_function("script", |bencher| {
        bencher.iter(|| case::run(Allocator::new(Settings::default()), black_box(&script)));
    });
    let bytes = case::snapshot(&script);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("snapshot_read", |bencher| bencher.iter(|| read_snapshot(black_box(&bytes))));
    let snapshot = read_snapshot(&bytes).unwrap_or_else(|error| panic!("{error}"));
    let events = snapshot.traces.iter().map(Vec::len).sum::<usize>();
    group.throughput(Throughput::Elements(events as u64));
    group.bench_function("snapshot_replay", |bencher| bencher.iter(|| replay(black_box(&snapshot))));
    group.finish();
    case::note(&script, bytes.len());
}

criterion_group!(benches, trainings, plans, allocators);
criterion_main!(benches);
