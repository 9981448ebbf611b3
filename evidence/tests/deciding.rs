//! The decision rules of labs 73, 76 and 75, one case a line.

mod support;

use serde_json::{Value, json};
use support::course::{budget, pair, strategies};
use support::{grade, set};

/// A 76 or 75 of given candidates: name, peak MiB, samples/s, eval loss.
fn of(mut report: Value, limits: [f64; 5], rows: &[(&str, f64, f64, f64)]) -> Value {
    let [cap, rate, ceiling, saving, ratio] = limits;
    report["budget"] = json!({"memory_cap_mb": cap, "min_samples_per_s": rate, "min_memory_saving_mb": saving, "min_throughput_ratio": ratio});
    report["quality_floor"] = json!({"max_val_loss": ceiling});
    let candidates: Vec<Value> = rows
        .iter()
        .map(|(name, peak, rate, loss)| json!({"name": name, "peak_memory_mb": peak, "samples_per_s": rate, "eval_loss": loss}))
        .collect();
    report["candidates"] = json!(candidates);
    report
}

const FIXTURE: [f64; 5] = [12000.0, 6.0, 1.15, 512.0, 0.7];

#[test]
fn strategies_follow_the_course_order_of_rules() {
    type Row = (&'static str, f64, f64, f64);
    let cases: Vec<([f64; 5], Vec<Row>, &str, &str)> = vec![
        // The course's own fixture: hybrid is accepted.
        (
            FIXTURE,
            vec![
                ("baseline", 18000.0, 8.0, 1.06),
                ("checkpoint", 11800.0, 6.6, 1.08),
                ("offload", 10500.0, 5.2, 1.09),
                ("hybrid", 9800.0, 6.1, 1.11),
            ],
            "accept",
            "strategy_is_best_feasible_option",
        ),
        (FIXTURE, vec![("checkpoint", 11800.0, 6.6, 1.08)], "reject", "baseline_missing_or_invalid"),
        (
            FIXTURE,
            vec![("baseline", 18000.0, 8.0, 1.06), ("checkpoint", 12500.0, 6.6, 1.08)],
            "reject",
            "no_strategy_meets_budget_and_quality",
        ),
        (
            FIXTURE,
            vec![("baseline", 11000.0, 8.0, 1.06), ("checkpoint", 10900.0, 7.6, 1.08)],
            "tune",
            "memory_saving_below_meaningful_threshold",
        ),
        (
            FIXTURE,
            vec![("baseline", 11000.0, 10.0, 1.06), ("checkpoint", 9000.0, 6.5, 1.08)],
            "tune",
            "throughput_loss_exceeds_budget",
        ),
        (
            FIXTURE,
            vec![("baseline", 11000.0, 8.0, 1.06), ("checkpoint", 10900.0, 7.6, 1.08), ("offload", 9000.0, 7.0, 1.3)],
            "tune",
            "strategy_needs_quality_recovery",
        ),
        // A report that asks no saving of itself is held to the lab's threshold all the same.
        (
            [12000.0, 6.0, 1.15, 0.0, 0.1],
            vec![("baseline", 18000.0, 8.0, 1.06), ("checkpoint", 11900.0, 6.1, 1.08)],
            "accept",
            "strategy_is_best_feasible_option",
        ),
        (
            [12000.0, 6.0, 1.15, 0.0, 0.1],
            vec![("baseline", 9000.0, 8.0, 1.06), ("checkpoint", 8900.0, 7.6, 1.08)],
            "tune",
            "memory_saving_below_meaningful_threshold",
        ),
        // Float noise decides nothing: 512 MiB less than 9,782.74, and a ratio of exactly 0.7.
        (
            FIXTURE,
            vec![("baseline", 9782.74, 10.0, 1.06), ("checkpoint", 9270.74, 7.0, 1.08)],
            "accept",
            "strategy_is_best_feasible_option",
        ),
        // A hundredth of a MiB does.
        (
            FIXTURE,
            vec![("baseline", 9782.74, 10.0, 1.06), ("checkpoint", 9270.75, 8.0, 1.08)],
            "tune",
            "memory_saving_below_meaningful_threshold",
        ),
        // At the limits themselves a candidate is feasible.
        (
            FIXTURE,
            vec![("baseline", 18000.0, 8.0, 1.06), ("checkpoint", 12000.0, 6.0, 1.15)],
            "accept",
            "strategy_is_best_feasible_option",
        ),
        // Equal peaks: the faster one is best.
        (
            FIXTURE,
            vec![("baseline", 11000.0, 8.0, 1.06), ("offload", 9800.0, 6.1, 1.1), ("hybrid", 9800.0, 7.1, 1.1)],
            "accept",
            "strategy_is_best_feasible_option",
        ),
    ];
    for (limits, rows, word, reason) in cases {
        let grade = grade(&of(strategies(), limits, &rows), &[]);
        assert_eq!(grade.decision.recomputed.as_deref(), Some(word), "{rows:?}");
        assert_eq!(grade.decision.reason.as_deref(), Some(reason), "{rows:?}");
        let other = support::grade(&of(budget(), limits, &rows), &[]);
        assert_eq!(other.decision.recomputed.as_deref(), Some(word), "75: {rows:?}");
        let words_of_75 =
            reason.replace("strategy_is", "compression_strategy_is").replace("strategy_needs", "compression_needs");
        assert_eq!(other.decision.reason.as_deref(), Some(words_of_75.as_str()), "75: {rows:?}");
    }
}

#[test]
fn where_the_lab_asks_no_saving_the_baseline_is_simply_still_best() {
    let rows = [("baseline", 9000.0, 8.0, 1.06), ("checkpoint", 9100.0, 7.6, 1.08)];
    let doc = support::read(&of(strategies(), [12000.0, 6.0, 1.15, 0.0, 0.7], &rows));
    let rubric = evidence::Rubric { thresholds: evidence::Budget::default(), ..support::rubric("memory_strategy") };
    let grade = evidence::grade(&doc, &rubric, &evidence::GradeContext::default());
    assert_eq!(grade.decision.reason.as_deref(), Some("baseline_still_best_under_current_budget"));
}

#[test]
fn words_of_a_decision_are_read_as_people_write_them() {
    for (word, expected) in [
        ("Tune", Some(evidence::Word::Tune)),
        (" tune ", Some(evidence::Word::Tune)),
        ("ACCEPT", Some(evidence::Word::Accept)),
        ("adopt", Some(evidence::Word::Accept)),
        ("fall-back", Some(evidence::Word::Reject)),
        ("拒绝", Some(evidence::Word::Reject)),
        ("ready to measure", None),
        ("maybe", None),
    ] {
        assert_eq!(evidence::Word::from_word(word), expected, "{word:?}");
    }
}

#[test]
fn next_steps_are_those_of_each_lab() {
    let cases = [
        (
            vec![("checkpoint", 1.0, 9.0, 1.0)],
            "rerun_baseline_before_comparing_candidates",
            "rerun_baseline_before_comparing_candidates",
        ),
        (
            vec![("baseline", 18000.0, 8.0, 1.06)],
            "rework_checkpoint_or_offload_scope",
            "tighten_batch_or_rework_memory_plan",
        ),
        (
            vec![("baseline", 11000.0, 8.0, 1.06)],
            "test_pressure_or_offload_scope",
            "test_larger_pressure_or_optimizer_compression",
        ),
        (
            vec![("baseline", 11000.0, 10.0, 1.06), ("x", 9000.0, 6.5, 1.08)],
            "reduce_checkpoint_or_offload_scope",
            "reduce_compression_scope",
        ),
        (
            vec![("baseline", 11000.0, 10.0, 1.06), ("x", 9000.0, 6.5, 1.3)],
            "adjust_checkpoint_granularity_or_offload_scope",
            "adjust_checkpoint_scope_or_batch_plan",
        ),
    ];
    for (rows, for_76, for_75) in cases {
        let next = |report| grade(&of(report, FIXTURE, &rows), &[]).decision.next_action;
        assert_eq!(next(strategies()).as_deref(), Some(for_76), "{rows:?}");
        assert_eq!(next(budget()).as_deref(), Some(for_75), "{rows:?}");
    }
}

#[test]
fn an_oom_is_a_boundary_and_not_a_fault() {
    let mut report = strategies();
    set(&mut report, "/candidates/2", json!({"name": "offload", "status": "oom", "error": "CUDA out of memory"}));
    let doc = support::read(&report);
    assert_eq!(doc.report.boundaries.len(), 1);
    let grade = grade(&report, &[]);
    assert_eq!(grade.decision.recomputed.as_deref(), Some("accept"));
    assert!(grade.checks.iter().any(|check| check.id == "oom_boundary" && !check.failed()));
}

#[test]
fn a_pair_needs_both_gains() {
    // Steps of baseline and tuned, peaks of baseline and tuned, decision. First: the course's own fixture.
    let cases = [
        (120.0, 98.0, 8192.0, 6144.0, "accept"),
        (120.0, 110.0, 8192.0, 7680.0, "accept"),
        (120.0, 110.1, 8192.0, 7680.0, "tune"),
        (120.0, 98.0, 8192.0, 7681.0, "tune"),
        (120.0, 130.0, 8192.0, 6144.0, "tune"),
        (120.0, 130.0, 8192.0, 8192.0, "reject"),
        (120.0, 120.0, 8192.0, 8192.0, "reject"),
    ];
    for (before, after, peak, tuned_peak, word) in cases {
        let mut report = pair();
        report["baseline"] = json!({"step_time_ms": before, "peak_mem_mb": peak});
        report["tuned"] = json!({"step_time_ms": after, "peak_mem_mb": tuned_peak});
        let grade = grade(&report, &[]);
        assert_eq!(grade.decision.recomputed.as_deref(), Some(word), "{before} {after} {peak} {tuned_peak}");
    }
}

#[test]
fn a_kernel_is_judged_by_its_result_first_and_its_time_then() {
    let cases = [
        (2.0, 1e-7, "accept", "faster"),
        (3.9, 1e-7, "tune", "within_noise"),
        (4.5, 1e-7, "reject", "slower"),
        (2.0, 0.1, "reject", "wrong_result"),
    ];
    for (time, error, word, reason) in cases {
        let mut report = support::own::kernel();
        set(&mut report, "/candidates/1/metrics/time_ms", json!(time));
        set(&mut report, "/candidates/1/quality/max_rel_error", json!(error));
        let grade = grade(&report, &[]);
        assert_eq!(grade.decision.recomputed.as_deref(), Some(word), "{time} {error}");
        assert_eq!(grade.decision.reason.as_deref(), Some(reason), "{time} {error}");
    }
}

#[test]
fn a_normalised_copy_is_decided_as_its_original() {
    use support::training;
    let pairs = [
        (pair(), training::normalised_pair()),
        (strategies(), training::normalised_strategies()),
        (budget(), training::normalised_budget()),
    ];
    for (original, copy) in pairs {
        assert_eq!(grade(&original, &[]).decision, grade(&copy, &[]).decision);
    }
}

#[test]
fn a_merge_is_decided_by_its_traces() {
    use support::training::merge;
    type Change = fn(&mut Value);
    let cases: [(Change, &str, &str); 5] = [
        (
            |_| {},
            "profiler_trace_collected_but_requires_bottleneck_interpretation",
            "interpret_trace_and_validate_one_change",
        ),
        (
            |r| set(r, "/profiling/status", json!("not_collected")),
            "upstream_reports_merged_but_profiling_evidence_missing",
            "collect_profile_and_rerun_same_workload",
        ),
        // A status without anything to read is no evidence.
        (
            |r| set(r, "/profiling", json!({"status": "collected", "evidence": [], "trace_files": []})),
            "upstream_reports_merged_but_profiling_evidence_missing",
            "collect_profile_and_rerun_same_workload",
        ),
        (
            |r| set(r, "/profiling/missing_strategies", json!(["checkpoint"])),
            "profiler_trace_incomplete_for_declared_candidates",
            "collect_missing_strategy_trace_and_rerun_same_workload",
        ),
        (
            |r| set(r, "/profiling/expected_strategies", json!(["baseline", "checkpoint", "hybrid"])),
            "profiler_trace_incomplete_for_declared_candidates",
            "collect_missing_strategy_trace_and_rerun_same_workload",
        ),
    ];
    for (change, reason, next) in cases {
        let mut report = merge();
        change(&mut report);
        let decision = grade(&report, &[]).decision;
        assert_eq!(decision.recomputed.as_deref(), Some("tune"), "{reason}");
        assert_eq!(decision.reason.as_deref(), Some(reason));
        assert_eq!(decision.next_action.as_deref(), Some(next));
    }
}

#[test]
fn one_change_of_74_needs_time_and_throughput() {
    use support::training::change;
    // Steps and rates before and after, peaks, decision.
    let cases = [
        ([60.0, 45.0], [33.3, 44.4], [4000.0, 4000.0], "accept"),
        ([60.0, 50.0], [33.3, 38.3], [4000.0, 4000.0], "accept"),
        ([60.0, 50.0], [33.3, 38.2], [4000.0, 4000.0], "tune"),
        ([60.0, 50.0], [33.3, 33.3], [4000.0, 3900.0], "tune"),
        ([60.0, 50.0], [33.3, 33.3], [4000.0, 4000.0], "reject"),
        ([60.0, 50.1], [33.3, 44.4], [4000.0, 3000.0], "reject"),
    ];
    for (steps, rates, peaks, word) in cases {
        let mut report = change();
        for (index, side) in ["baseline", "tuned"].into_iter().enumerate() {
            set(&mut report, &format!("/candidates/{side}/step_time_ms"), json!(steps[index]));
            set(&mut report, &format!("/candidates/{side}/samples_per_s"), json!(rates[index]));
            set(&mut report, &format!("/candidates/{side}/peak_memory_mb"), json!(peaks[index]));
        }
        assert_eq!(grade(&report, &[]).decision.recomputed.as_deref(), Some(word), "{steps:?} {rates:?} {peaks:?}");
    }
}

#[test]
fn one_run_of_an_adapter_shows_a_direction_only() {
    use support::training::fine_tuning;
    // Peak, step, validation loss of the adapter beside 4790 MiB, 106 ms, 2.05; decision.
    let cases = [
        (1742.0, 42.0, 2.01, "tune"),
        (1742.0, 120.0, 3.0, "tune"),
        (4900.0, 120.0, 2.01, "tune"),
        (4900.0, 120.0, 2.5, "reject"),
    ];
    for (peak, step, loss, word) in cases {
        let mut report = fine_tuning();
        set(&mut report, "/candidates/0/peak_memory_mb", json!(peak));
        set(&mut report, "/candidates/0/step_time_ms", json!(step));
        set(&mut report, "/candidates/0/val_loss", json!(loss));
        assert_eq!(grade(&report, &[]).decision.recomputed.as_deref(), Some(word), "{peak} {step} {loss}");
    }
    let mut report = fine_tuning();
    support::remove(&mut report, "/baseline");
    assert_eq!(grade(&report, &[]).decision.reason.as_deref(), Some("baseline_missing_or_invalid"));
}
