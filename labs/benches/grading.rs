//! What a learner waits for: a report of lab 76 read and graded, alone and beside the 73 it builds on.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evidence::{Document, GradeContext, read};

#[path = "../../evidence/tests/support/mod.rs"]
mod support;

fn document(bytes: &[u8]) -> Document {
    read(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn grading(criterion: &mut Criterion) {
    let bytes = support::course::strategies().to_string().into_bytes();
    let pair = document(support::course::pair().to_string().as_bytes());
    let mut group = criterion.benchmark_group("lab76");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("read", |bencher| bencher.iter(|| document(black_box(&bytes))));
    for (name, linked) in [("read_and_grade", Vec::new()), ("read_and_grade_linked", vec![&pair])] {
        let ctx = GradeContext { linked: &linked, ..GradeContext::default() };
        group.bench_function(name, |bencher| {
            bencher.iter(|| labs::grade(&document(black_box(&bytes)), &ctx));
        });
    }
    group.finish();
}

criterion_group!(benches, grading);
criterion_main!(benches);
