//! Points: the two parts apart; a well-supported tune or reject earns full marks, an accept without evidence does not.

use evidence::{EvidenceClass, GradeContext, Provenance};
use serde_json::{Value, json};

use super::{own, read};
use support::{course, training};

#[path = "../../../evidence/tests/support/mod.rs"]
pub mod support;

fn points(report: &Value, provenance: Provenance) -> [u32; 4] {
    let grade = labs::grade(&read(report), &GradeContext { provenance, linked: &[] });
    [grade.points.cpu.earned, grade.points.cpu.possible, grade.points.gpu.earned, grade.points.gpu.possible]
}

fn changed(mut report: Value, change: impl Fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

/// A saving of 300 MiB where 512 count: tune, and the report says so.
fn supported_tune() -> Value {
    changed(course::strategies(), |r| {
        for (index, peak) in [(0, 12160.5), (1, 11860.5), (2, 11800.0)] {
            r["candidates"][index]["peak_memory_mb"] = json!(peak);
            for run in 0..3 {
                r["candidates"][index]["runs"][run]["peak_memory_mb"] = json!(peak);
            }
        }
        for (name, peak) in [("checkpoint", 11860.5), ("offload", 11800.0)] {
            r["standard_metrics"][name]["peak_memory_mb"] = json!(peak);
        }
        for index in [1, 2] {
            r["candidates"][index]["peak_reserved_mb"] = json!(12400.0);
            for run in 0..3 {
                r["candidates"][index]["runs"][run]["peak_reserved_mb"] = json!(12400.0);
            }
        }
        for name in ["checkpoint", "offload"] {
            r["standard_metrics"][name]["peak_reserved_mb"] = json!(12400.0);
        }
        r["summary"]["best_peak_memory_mb"] = json!(11860.5);
        r["summary"]["memory_saving_mb"] = json!(300.0);
        r["decision"] = json!({"decision": "tune", "reason": "memory_saving_below_meaningful_threshold", "next_action": "test_pressure_or_offload_scope"});
    })
}

/// A cap below every candidate: reject, and the report says so.
fn supported_reject() -> Value {
    changed(course::strategies(), |r| {
        r["budget"]["memory_cap_mb"] = json!(10000.0);
        for (key, value) in [
            ("feasible_count", json!(0)),
            ("feasible_names", json!([])),
            ("best_candidate", Value::Null),
            ("best_peak_memory_mb", Value::Null),
            ("memory_saving_mb", Value::Null),
            ("throughput_ratio", Value::Null),
        ] {
            r["summary"][key] = value;
        }
        r["summary"]["evaluations"] = json!([
            {"name": "baseline", "status": "rejected", "reasons": ["memory_over_budget"]},
            {"name": "checkpoint", "status": "rejected", "reasons": ["memory_over_budget"]},
            {"name": "offload", "status": "rejected", "reasons": ["memory_over_budget", "throughput_below_floor"]}]);
        r["decision"] = json!({"decision": "reject", "reason": "no_strategy_meets_budget_and_quality", "next_action": "rework_checkpoint_or_offload_scope"});
    })
}

#[test]
fn a_well_supported_accept_tune_or_reject_earns_full_marks() {
    for (name, report) in [("accept", course::strategies()), ("tune", supported_tune()), ("reject", supported_reject())]
    {
        assert_eq!(points(&report, Provenance::Upload), [8, 8, 12, 12], "{name}");
    }
    assert_eq!(points(&course::pair(), Provenance::Upload), [6, 6, 10, 10]);
    assert_eq!(points(&course::budget(), Provenance::Upload), [12, 12, 8, 8]);
}

#[test]
fn the_other_reports_of_training_earn_full_marks_when_they_are_sound() {
    let full_but = |missing: &str, report: Value, linked: &[Value]| {
        let linked: Vec<evidence::Document> = linked.iter().map(read).collect();
        let linked: Vec<&evidence::Document> = linked.iter().collect();
        let grade = labs::grade(&read(&report), &GradeContext { provenance: Provenance::Upload, linked: &linked });
        let lost: Vec<_> = grade.items.iter().filter(|item| item.earned < item.possible).collect();
        let expected = lost.iter().all(|item| item.id == missing) && lost.is_empty() == missing.is_empty();
        assert!(expected && grade.points.possible > 0, "{}: {lost:?}", grade.lab);
    };
    let full = |report: Value, linked: &[Value]| full_but("", report, linked);
    full(training::normalised_pair(), &[]);
    full(training::normalised_strategies(), &[course::pair()]);
    // The normaliser drops the table of 75, and a table that is not there earns nothing.
    full_but("sensitivity", training::normalised_budget(), &[course::strategies()]);
    let traced = changed(training::merge(), |r| {
        r["standard_metrics"] = json!({"baseline": {"step_time_ms": 850.0, "throughput_samples_per_s": 2.353, "peak_memory_mb": 12160.5,
                                                    "peak_reserved_mb": 12720.0, "status": "ok"}});
    });
    full(traced, &[course::pair(), course::strategies(), course::budget()]);
    full(training::fine_tuning(), &training::other_seeds());
    full(training::mechanism(), &[]);
}

/// A profile measures and concludes nothing: it earns its traces, and the merge earns the decision.
#[test]
fn a_profile_earns_its_traces_and_no_decision() {
    assert_eq!(points(&training::profile(), Provenance::Upload), [6, 10, 10, 10]);
    assert_eq!(points(&training::merge(), Provenance::Upload), [10, 10, 0, 10]);
}

#[test]
fn an_accept_without_evidence_loses_the_decision() {
    let wrong = changed(supported_tune(), |r| {
        r["decision"] = json!({"decision": "accept", "reason": "strategy_is_best_feasible_option"})
    });
    let [cpu, _, gpu, _] = points(&wrong, Provenance::Upload);
    assert_eq!((cpu, gpu), (5, 10));
}

#[test]
fn gpu_points_need_a_gpu() {
    for device in ["cpu", "llvmpipe (LLVM 15)", "cuda:0"] {
        let report = changed(supported_tune(), |r| {
            r["config"]["device"] = json!(device);
            r["experiment"]["device"] = json!(device);
        });
        assert_eq!(points(&report, Provenance::Upload), [8, 8, 0, 12], "{device}");
    }
}

#[test]
fn gpu_points_need_a_provenance_that_the_rubric_accepts() {
    assert_eq!(points(&supported_tune(), Provenance::Runner { runner: "lab".to_owned() }), [8, 8, 12, 12]);
    assert_eq!(points(&supported_tune(), Provenance::Browser), [8, 8, 0, 12]);
}

#[test]
fn the_floor_explains_and_costs_nothing() {
    let grade = labs::grade(&read(&own::strategies()), &GradeContext::default());
    assert!(grade.checks.iter().any(|check| check.failed() && check.id == "optimizer_floor"));
    let for_floor = grade.items.iter().filter(|item| item.lost_to.iter().any(|id| id == "optimizer_floor")).count();
    assert_eq!(for_floor, 0);
    for lab in labs::catalogue() {
        let listed = lab
            .rubric
            .items
            .iter()
            .flat_map(|item| item.checks.iter().chain(&item.needs))
            .any(|id| id == "optimizer_floor");
        assert!(!listed, "{}", lab.id);
    }
}

#[test]
fn a_dry_run_is_no_evidence_in_any_lab() {
    for report in [course::pair(), course::probe(), course::strategies(), course::budget()] {
        let dry = changed(report, |r| r["run_mode"] = json!("dry_run"));
        let grade = labs::grade(&read(&dry), &GradeContext::default());
        assert_eq!(
            (grade.outcome.id(), grade.points.earned, grade.class),
            ("not_evidence", 0, EvidenceClass::Unproven)
        );
    }
}

#[test]
fn the_ledger_stands_beside_the_measurement() {
    let grade = labs::grade(&read(&own::strategies()), &GradeContext::default());
    let line = |part: &str| grade.reconciliation.iter().find(|line| line.part == part).expect(part);
    // 1,543,714,304 × 4 B.
    for part in ["weights", "gradients", "adam_m", "adam_v"] {
        assert_eq!((line(part).predicted_bytes, line(part).assumption), (Some(6_174_857_216), false), "{part}");
    }
    assert!(line("foreach_temporary").assumption);
    let checkpoint = line("checkpoint");
    assert_eq!(checkpoint.predicted_bytes, Some(30_874_286_080));
    // 29,470 MiB − 29,444.0 MiB.
    assert_eq!(checkpoint.unexplained_bytes(), Some(30_901_534_720 - 30_874_286_080));
}
