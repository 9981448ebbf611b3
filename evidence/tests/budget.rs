//! The budget grid: every scenario is what a report with those limits is graded as, and a flip is exact.

mod support;

use evidence::budget::{Amount, Axes, Axis, BudgetError, Grid, Level, applies, grid};
use evidence::{Budget, Document, Word, limits};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::course::{budget, pair, strategies};
use support::{own, read, rubric_of, set};

const MIB: f64 = 1_048_576.0;

fn of(doc: &Document, axes: &Axes) -> Grid {
    grid(doc, &limits(doc, &rubric_of(doc)), axes).expect("a grid")
}

/// A training report in the own schema with the numbers of [`strategies`], without held-out losses.
fn v1() -> Value {
    let bytes = |mib: f64| (mib * MIB) as u64;
    let row = |name: &str, mib: f64, rate: f64| json!({"name": name, "metrics": {"samples_per_s": rate, "peak_allocated_bytes": bytes(mib)}});
    json!({
        "schema": "vramlab-report/v1", "lab": "76", "level": "gpu_benchmark",
        "workload": {"training": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "batch": 2, "seq": 1536}},
        "candidates": [row("baseline", 12160.5, 2.5), row("checkpoint", 11040.25, 2.0), row("offload", 10950.75, 0.625)],
        "budget": {"memory_cap_bytes": bytes(13000.0), "min_samples_per_s": 1.0},
        "decision": {"decision": "accept", "reason": "strategy_is_best_feasible_option"},
    })
}

#[test]
fn the_recommended_grid_is_relative_to_the_baseline() {
    let grid = of(&read(&strategies()), &Axes::default());
    assert_eq!((grid.caps.len(), grid.rates.len(), grid.losses.len(), grid.scenarios.len()), (3, 3, 3, 27));
    let numbers = |steps: &[evidence::budget::Step]| -> Vec<f64> {
        steps.iter().map(|step| step.amount.and_then(Amount::number).expect("a number")).collect()
    };
    assert_eq!(grid.caps[2].amount, Some(Amount::Bytes(11_200 * 1_048_576)));
    assert_eq!(numbers(&grid.rates), [0.5, 0.7, 0.9].map(|part| part * 2.5));
    assert_eq!(numbers(&grid.losses), [1.0, 2.0, 5.0].map(|percent| 3.403 * (1.0 + percent / 100.0)));
    // checkpoint: 11,040.25 MiB at 2.0 of 2.5 samples/s. It fits the largest cap, and not at 0.9 of the throughput.
    let word = |cap, rate, loss| grid.at(cap, rate, loss).expect("a scenario").conclusion.decision;
    for loss in 0..3 {
        for rate in 0..3 {
            assert_eq!([word(0, rate, loss), word(1, rate, loss)], [Word::Reject; 2]);
        }
        assert_eq!([word(2, 0, loss), word(2, 1, loss), word(2, 2, loss)], [Word::Accept, Word::Accept, Word::Reject]);
    }
    assert!(grid.at(3, 0, 0).is_none() && grid.at(0, 3, 0).is_none() && grid.at(0, 0, 3).is_none());
    let summary = &grid.summary;
    assert_eq!(summary.decision_counts, [("accept".to_owned(), 6), ("reject".to_owned(), 21)].into());
    assert_eq!(summary.best_candidate_counts, [("checkpoint".to_owned(), 6), ("<none>".to_owned(), 21)].into());
    assert!(!summary.decision_stable && summary.interpretation == "sensitive_to_thresholds");
}

#[test]
fn flips_name_the_limit_and_the_candidate() {
    let grid = of(&read(&strategies()), &Axes::default());
    let flips: Vec<_> = grid.flips().collect();
    // The cap: below checkpoint's peak (and its 1 KiB of tolerance) nothing fits.
    let bytes = (11_040.25 * MIB) as u64 - 1024;
    assert_eq!(
        (flips[0].axis, flips[0].last, flips[0].first),
        (Axis::Memory, Amount::Bytes(bytes - 1), Amount::Bytes(bytes))
    );
    assert_eq!((flips[0].below, flips[0].above), (Word::Reject, Word::Accept));
    assert_eq!(flips[0].because, ["checkpoint"]);
    let rates: Vec<_> = flips.iter().filter(|flip| flip.axis == Axis::Throughput).collect();
    // offload has the lowest peak and a quarter of the speed: while it is allowed, it is best and too slow.
    assert_eq!(rates.len(), 3);
    assert_eq!((rates[0].below, rates[0].above, &rates[0].because[0][..]), (Word::Tune, Word::Accept, "offload"));
    assert_eq!((rates[1].below, rates[1].above, &rates[1].because[0][..]), (Word::Accept, Word::Tune, "checkpoint"));
    assert_eq!((rates[2].below, rates[2].above, &rates[2].because[0][..]), (Word::Tune, Word::Reject, "baseline"));
    let memory = &grid.sweeps[0];
    assert_eq!(memory.own, Some(Amount::Bytes(13_000 * 1_048_576)));
    assert!(memory.pieces.last().is_some_and(|piece| piece.own && piece.to.is_none()));
}

#[test]
fn a_grid_is_stable_when_nothing_changes() {
    let axes = Axes::read(Some("12500, 13000"), Some("0.5x"), Some("")).expect("axes");
    let grid = of(&read(&strategies()), &axes);
    let summary = &grid.summary;
    assert!(summary.decision_stable && summary.best_candidate_stable && summary.feasible_set_stable);
    assert_eq!(summary.interpretation, "stable");
    assert_eq!(grid.losses.len(), 1);
    assert_eq!(grid.scenarios[0].max_eval_loss, None);
}

#[test]
fn relative_levels_without_a_reference_limit_nothing_and_are_named() {
    let doc = read(&v1());
    let grid = of(&doc, &Axes::default());
    assert_eq!(grid.without_reference, [Axis::Loss]);
    assert_eq!(grid.scenarios.len(), 9);
    assert_eq!(grid.at(2, 0, 0).expect("a scenario").conclusion.best.as_deref(), Some("checkpoint"));
    let mut report = strategies();
    report["candidates"].as_array_mut().expect("a list").remove(0);
    let grid = of(&read(&report), &Axes::default());
    assert_eq!(grid.baseline, None);
    assert!(grid.scenarios.iter().all(|scenario| scenario.conclusion.reason == "baseline_missing_or_invalid"));
    assert_eq!(grid.flips().count(), 0);
}

#[test]
fn what_has_no_strategies_has_no_grid() {
    for report in [pair(), own::kernel(), support::course::dry_run()] {
        let doc = read(&report);
        assert!(!applies(&doc));
        let refused = grid(&doc, &Budget::default(), &Axes::default());
        assert!(matches!(refused, Err(BudgetError::NotStrategies { .. })), "{refused:?}");
    }
    let axes = Axes::read(Some(""), Some(" "), None).expect("axes");
    let doc = read(&strategies());
    assert_eq!(grid(&doc, &limits(&doc, &rubric_of(&doc)), &axes), Err(BudgetError::NothingLimits));
}

/// The report that carries lab 75's own table of 18 scenarios: the grid comes to the counts that are known of it.
#[test]
fn the_given_sensitivity_table_is_reproduced() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/reports");
    let given = |name: &str| std::fs::read(folder.join(name)).ok();
    let Some(bytes) = given("r23-75-string-decision-sensitivity.json") else {
        println!("skipped: no real reports at {}", folder.display());
        return;
    };
    let doc = evidence::read(&bytes).expect("a 75");
    let axes = Axes::read(Some("9600, 11200"), Some("1.0, 1.5, 2.0"), Some("12.20, 12.45, 12.80")).expect("axes");
    let summary = of(&doc, &axes).summary;
    let counts = |pairs: &[(&str, u64)]| pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(summary.decision_counts, counts(&[("tune", 10), ("reject", 8)]));
    assert_eq!(summary.best_candidate_counts, counts(&[("checkpoint", 8), ("<none>", 8), ("baseline", 2)]));
    // FP32 at 768 tokens: no cap makes an accept, because nothing saves 512 MiB.
    for name in ["r04-76-fp32-seq768.json", "r06-75-cap9600.json", "r20-75-normalised-v1.json"] {
        let doc = evidence::read(&given(name).expect(name)).expect(name);
        let grid = of(&doc, &Axes::default());
        assert!(grid.scenarios.iter().all(|scenario| scenario.conclusion.decision != Word::Accept), "{name}");
        assert_eq!(grid.sweeps.len(), 3, "{name}");
    }
}

/// A report of random candidates on a coarse lattice, so that ties and limits met exactly are frequent.
fn random() -> impl Strategy<Value = Value> {
    let row = (80_u32..130, 1_u32..30, 300_u32..330, 0_u32..12);
    let own = (80_u32..130, 0_u32..30, 300_u32..330);
    (prop::collection::vec(row, 1..6), own, any::<bool>()).prop_map(|(rows, (cap, rate, loss), is_75)| {
        let mut report = if is_75 { budget() } else { strategies() };
        let names = ["baseline", "checkpoint", "offload", "hybrid", "lora", "adafactor"];
        let candidates: Vec<Value> = rows
            .iter()
            .zip(names)
            .map(|((peak, rate, loss, status), name)| {
                let status = ["oom", "failed"].get(*status as usize).unwrap_or(&"ok");
                json!({"name": name, "status": status, "peak_memory_mb": f64::from(*peak) * 100.0,
                       "samples_per_s": f64::from(*rate) * 0.25, "eval_loss": f64::from(*loss) * 0.01})
            })
            .collect();
        report["candidates"] = json!(candidates);
        report["budget"] = json!({"memory_cap_mb": f64::from(cap) * 100.0, "min_samples_per_s": f64::from(rate) * 0.25,
                                  "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7});
        report["quality_floor"] = json!({"max_val_loss": f64::from(loss) * 0.01});
        report
    })
}

/// The decision and reason that a grade recomputes for a report under other limits.
fn graded(report: &Value, cap: Option<u64>, rate: Option<f64>, loss: Option<f64>) -> (Option<String>, Option<String>) {
    let mut report = report.clone();
    set(&mut report, "/budget/memory_cap_mb", json!(cap.map(|bytes| bytes as f64 / MIB)));
    set(&mut report, "/budget/min_samples_per_s", json!(rate));
    report["quality_floor"] = json!({"max_val_loss": loss});
    let grade = support::grade(&report, &[]);
    (grade.decision.recomputed, grade.decision.reason)
}

/// The word under the report's own limits with one of them moved.
fn moved(doc: &Document, own: &Budget, axis: Axis, to: Amount) -> Word {
    let mut own = own.clone();
    match axis {
        Axis::Memory => own.memory_cap_bytes = to.bytes(),
        Axis::Throughput => own.min_samples_per_s = to.number(),
        Axis::Loss => own.max_eval_loss = to.number(),
    }
    let axes = Axes { caps: vec![Level::Absolute(1.0)], rates: Vec::new(), losses: Vec::new() };
    grid(doc, &own, &axes).expect("a grid").own.expect("limits").decision
}

fn close(amount: Amount) -> (Amount, Amount) {
    match amount {
        Amount::Bytes(bytes) => (Amount::Bytes(bytes.saturating_sub(1)), Amount::Bytes(bytes.saturating_add(1))),
        Amount::Number(number) => (Amount::Number(number.next_down()), Amount::Number(number.next_up())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_scenario_is_the_grade_of_a_report_with_its_limits(report in random()) {
        let axes = Axes::read(Some("8000, 9500, 0.9x, 13000"), Some("0.5x, 1.5, 100%"), Some("+1%, 3.1, 0.99x")).expect("axes");
        let grid = of(&read(&report), &axes);
        // Without a baseline relative levels limit nothing, and a grade of a report without limits decides nothing.
        for scenario in grid.scenarios.iter().filter(|s| s.memory_cap_bytes.or(s.min_samples_per_s.map(|_| 0)).is_some()) {
            let told = graded(&report, scenario.memory_cap_bytes, scenario.min_samples_per_s, scenario.max_eval_loss);
            let conclusion = &scenario.conclusion;
            prop_assert_eq!(told.0.as_deref(), Some(conclusion.decision.id()), "{:?}", scenario);
            prop_assert_eq!(told.1.as_deref(), Some(conclusion.reason.as_str()), "{:?}", scenario);
        }
        let counted: u64 = grid.summary.decision_counts.values().sum();
        prop_assert_eq!(counted as usize, grid.scenarios.len());
    }

    #[test]
    fn a_flip_is_exact_and_none_is_missing(report in random(), probe in 0_u32..4000) {
        let doc = read(&report);
        let own = limits(&doc, &rubric_of(&doc));
        let grid = of(&doc, &Axes::default());
        for flip in grid.flips() {
            prop_assert_ne!(flip.below, flip.above);
            prop_assert!(!flip.because.is_empty());
            // Neighbours: nothing lies between the two sides.
            prop_assert_eq!(close(flip.last).1, flip.first);
            prop_assert_eq!(moved(&doc, &own, flip.axis, flip.last), flip.below);
            prop_assert_eq!(moved(&doc, &own, flip.axis, flip.first), flip.above);
        }
        for sweep in &grid.sweeps {
            prop_assert_eq!(sweep.pieces.iter().filter(|piece| piece.own).count(), 1);
            // Any point lies on the piece that says what is decided there.
            let at = match sweep.axis {
                Axis::Memory => Amount::Bytes(u64::from(probe) * 5 * 1_048_576),
                Axis::Throughput => Amount::Number(f64::from(probe) * 0.0025),
                Axis::Loss => Amount::Number(f64::from(probe) * 0.001),
            };
            let place = |amount: Amount| amount.number().or(amount.bytes().map(|bytes| bytes as f64)).expect("a place");
            let piece = sweep.pieces.iter().find(|piece| {
                piece.from.is_none_or(|from| place(from) <= place(at)) && piece.to.is_none_or(|to| place(at) <= place(to))
            });
            prop_assert_eq!(piece.map(|piece| piece.decision), Some(moved(&doc, &own, sweep.axis, at)));
        }
    }
}
