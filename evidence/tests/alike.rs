//! Copies with other digits are found; honest runs of one workload are not.

#[path = "support/mod.rs"]
mod support;

use evidence::Print;
use serde_json::{Value, json};

use support::{course, own, read, round};

/// Reproducible noise: uniform numbers from a linear congruential generator, summed to something like a normal.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0, standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A 76 whose every time was changed: single repeats by `change`, means accordingly.
fn timed(report: &Value, mut change: impl FnMut(f64) -> f64, repeats: bool) -> Value {
    let mut report = report.clone();
    for candidate in report["candidates"].as_array_mut().expect("candidates") {
        let runs = candidate["runs"].as_array_mut().expect("runs");
        let mut sum = 0.0;
        for run in runs.iter_mut() {
            let step = round(change(run["step_time_ms"].as_f64().expect("a time")), 3);
            run["step_time_ms"] = json!(step);
            run["samples_per_s"] = json!(round(support::BATCH * 1000.0 / step, 3));
            sum += step;
        }
        let mean = round(sum / runs.len() as f64, 3);
        candidate["step_time_ms"] = json!(mean);
        candidate["samples_per_s"] = json!(round(support::BATCH * 1000.0 / mean, 3));
        if !repeats {
            candidate["runs"] = json!([]);
        }
    }
    report
}

/// One honest measurement: every candidate at its own speed on this machine, every repeat with its own noise.
fn honest(seed: u64, spread: f64, repeats: bool) -> Value {
    let mut noise = Noise(seed);
    timed(&course::strategies(), |step| (step / 100.0).round() * 100.0 * (1.0 + spread * noise.normal()), repeats)
}

fn alike(a: &Value, b: &Value) -> Option<evidence::Likeness> {
    let print = |report| Print::of(&read(report)).expect("something to compare");
    let (a, b) = (print(a), print(b));
    let found = a.alike(&b);
    assert_eq!(found.is_some(), b.alike(&a).is_some(), "whichever comes first");
    found
}

#[test]
fn honest_runs_of_one_workload_are_no_copies() {
    for (spread, repeats) in [(0.02, true), (0.002, true), (0.02, false)] {
        for seed in 0..120 {
            let (a, b) = (honest(seed, spread, repeats), honest(seed + 10_000, spread, repeats));
            assert_eq!(alike(&a, &b), None, "seed {seed}, spread {spread}, repeats {repeats}");
        }
    }
}

/// All machines are slow at the first repeat: a pattern that honest runs share.
#[test]
fn a_slow_first_repeat_is_everybodys() {
    for seed in 0..100 {
        let slow = |seed| {
            let (mut noise, mut at) = (Noise(seed), 0);
            timed(
                &course::strategies(),
                |step| {
                    at += 1;
                    let first = if at % 3 == 1 { 1.08 } else { 1.0 };
                    (step / 100.0).round() * 100.0 * first * (1.0 + 0.003 * noise.normal())
                },
                true,
            )
        };
        assert_eq!(alike(&slow(seed), &slow(seed + 10_000)), None, "seed {seed}");
    }
}

#[test]
fn copies_with_other_digits_are_found() {
    for seed in 0..20 {
        for (jitter, repeats) in [(0.0, true), (0.0002, true), (0.001, true), (0.0005, false)] {
            let original = honest(seed, 0.02, repeats);
            let mut noise = Noise(seed + 77);
            let copy = match repeats {
                true => timed(&original, |step| step * (1.0 + jitter * noise.normal()), true),
                false => {
                    let mut copy = original.clone();
                    for candidate in copy["candidates"].as_array_mut().expect("candidates") {
                        let step =
                            candidate["step_time_ms"].as_f64().expect("a time") * (1.0 + jitter * noise.normal());
                        candidate["step_time_ms"] = json!(round(step, 3));
                    }
                    copy
                }
            };
            let found = alike(&original, &copy).unwrap_or_else(|| panic!("seed {seed}, jitter {jitter}, {repeats}"));
            assert!(found.largest_difference < 0.01 && found.times >= 3, "{found:?}");
        }
    }
}

/// Every time multiplied by the same factor keeps the noise.
#[test]
fn a_scaled_copy_is_found() {
    for seed in 0..20 {
        let original = honest(seed, 0.02, true);
        let copy = timed(&original, |step| step * 1.07, true);
        assert!(alike(&original, &copy).is_some(), "seed {seed}");
    }
}

#[test]
fn what_is_not_comparable_is_not_compared() {
    let original = honest(1, 0.02, true);
    let other = |pointer: &str, value: Value| {
        let mut other = original.clone();
        support::set(&mut other, pointer, value);
        other
    };
    assert!(
        alike(&original, &other("/config/workload", json!("mine"))).is_some(),
        "a label is written anew at no cost"
    );
    for (pointer, value) in [
        ("/config/seq_len", json!(4096)),
        ("/candidates/1/name", json!("other")),
        ("/candidates/0/peak_memory_mb", json!(9000.0)),
    ] {
        assert_eq!(alike(&original, &other(pointer, value)), None, "{pointer}");
    }
    // A budget decision quotes the numbers of a 76, which a class may share.
    assert!(Print::of(&read(&course::budget())).is_none());
}

/// A fast kernel timed to a hundredth: all repeats are the same, on every machine.
#[test]
fn digits_too_few_prove_nothing() {
    let mut coarse = own::kernel();
    for candidate in coarse["candidates"].as_array_mut().expect("candidates") {
        for run in candidate["runs"].as_array_mut().expect("runs") {
            run["time_ms"] = json!(0.05);
        }
        candidate["metrics"]["time_ms"] = json!(0.05);
    }
    assert_eq!(alike(&coarse, &coarse.clone()), None);
    assert!(alike(&own::kernel(), &own::kernel()).is_some(), "but the digits of the example tell");
}
