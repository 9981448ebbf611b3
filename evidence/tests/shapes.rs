//! The shapes of the training side beside the labs' own files: whose report it is, under which names, and what is refused.

mod support;

use evidence::{Outcome, ReadError, read};
use serde_json::{Value, json};
use support::course::budget;
use support::training::{
    change, fine_tuning, mechanism, merge, normalised_budget, normalised_pair, normalised_strategies, profile, record,
};
use support::{grade, remove, set};

fn changed(mut report: Value, change: fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

#[test]
fn the_lab_of_a_report_follows_from_its_stage_and_then_its_project() {
    let cases: Vec<(Value, &str)> = vec![
        (normalised_pair(), "73"),
        (changed(normalised_pair(), |r| remove(r, "/stage")), "73"),
        (changed(normalised_strategies(), |r| remove(r, "/project")), "76"),
        (changed(normalised_strategies(), |r| set(r, "/project", json!("73"))), "76"),
        (changed(normalised_budget(), |r| set(r, "/stage", json!("something"))), "75"),
        (changed(normalised_budget(), |r| set(r, "/project", json!(75))), "75"),
        (profile(), "74"),
        (merge(), "74"),
        (change(), "74"),
        (fine_tuning(), "60"),
        (mechanism(), "19"),
        (changed(mechanism(), |r| set(r, "/experiment", json!("gradient_accumulation"))), "12"),
        (changed(mechanism(), |r| set(r, "/chapter", json!(42))), "42"),
        (record(), "76"),
    ];
    for (report, lab) in cases {
        assert_eq!(support::read(&report).lab(), lab, "{report}");
    }
}

#[test]
fn metrics_are_found_under_each_of_their_names() {
    type Change = fn(&mut Value);
    let renames: [(Change, &str); 3] = [
        (
            |r| {
                let row = r["candidates"][1].as_object_mut().expect("an object");
                let peak = row.remove("peak_memory_mb").expect("a peak");
                row.insert("peak_mem_mb".to_owned(), peak);
            },
            "/candidates/1/peak_mem_mb",
        ),
        (
            |r| {
                let row = r["candidates"][1].as_object_mut().expect("an object");
                let rate = row.remove("samples_per_s").expect("a rate");
                row.insert("throughput_samples_per_s".to_owned(), rate);
            },
            "/candidates/1/throughput_samples_per_s",
        ),
        (
            |r| {
                let row = r["candidates"][1].as_object_mut().expect("an object");
                row.remove("eval_loss").expect("a loss");
            },
            "/candidates/1/val_loss",
        ),
    ];
    for (rename, pointer) in renames {
        let mut report = budget();
        rename(&mut report);
        let before = support::read(&budget()).report.candidates;
        assert_eq!(support::read(&report).report.candidates, before, "{pointer}");
        // What is wrong with it is told where it stands.
        set(&mut report, pointer, json!(-1.0));
        let failed = support::failures(&grade(&report, &[]));
        assert!(failed.contains(&("metric_out_of_range".to_owned(), pointer.to_owned())), "{failed:?}");
    }
}

#[test]
fn what_a_file_adds_does_not_stand_in_the_way() {
    type Build = fn() -> Value;
    type Change = fn(&mut Value);
    let cases: [(Build, Change); 7] = [
        (merge, |r| set(r, "/standard_metrics", json!({"note": "see the profile"}))),
        (merge, |r| set(r, "/sources", json!(["73.json", "76.json"]))),
        (merge, |r| set(r, "/roofline", json!("not collected"))),
        (merge, |r| set(r, "/profiling/trace_files", json!({"baseline": "a.json"}))),
        (change, |r| set(r, "/validation", json!("measured again without the profiler"))),
        (profile, |r| set(r, "/candidates/0/top_operators", json!([{"name": "aten::mm", "calls": 3}]))),
        (mechanism, |r| set(r, "/environment", json!("a card"))),
    ];
    for (build, change) in cases {
        let mut report = build();
        let before = support::read(&report).report.candidates;
        change(&mut report);
        assert_eq!(support::read(&report).report.candidates, before);
        let failed = support::failures(&grade(&report, &[]));
        assert!(!failed.iter().any(|(id, _)| id == "field_type" || id == "trace_collected"), "{failed:?}");
    }
}

#[test]
fn a_change_may_keep_its_metrics_apart() {
    let mut report = change();
    for side in ["baseline", "tuned"] {
        let mut row = report["candidates"][side].take();
        row.as_object_mut().expect("an object").remove("runs");
        report["candidates"][side] = json!({"status": "ok", "metrics": row});
    }
    let grade = grade(&report, &[]);
    assert_eq!(grade.decision.recomputed.as_deref(), Some("accept"));
    assert_eq!(grade.decision.said, grade.decision.recomputed);
}

#[test]
fn records_of_the_umbrella_measure_only_as_results_of_a_run() {
    let cases: [(&str, &str, bool); 4] = [
        ("run_result", "ok", true),
        ("experiment_spec", "ok", false),
        ("artifact_manifest", "ok", false),
        ("run_result", "skipped", false),
    ];
    for (kind, status, measured) in cases {
        let mut report = record();
        set(&mut report, "/record_type", json!(kind));
        set(&mut report, "/status", json!(status));
        let grade = grade(&report, &[]);
        assert_eq!(grade.outcome == Outcome::Graded, measured, "{kind} {status}: {:?}", grade.outcome);
    }
}

#[test]
fn a_part_of_the_wrong_type_is_named_in_every_shape_of_training() {
    type Build = fn() -> Value;
    let cases: [(Build, &str, Value); 14] = [
        (normalised_pair, "/config", json!([])),
        (normalised_pair, "/candidates", json!({})),
        (normalised_strategies, "/candidates/0/metrics", json!([1])),
        (normalised_strategies, "/candidates/0/quality", json!("good")),
        (normalised_strategies, "/candidates/1/legacy_fields/runs", json!(3)),
        (profile, "/profile", json!("collected")),
        (profile, "/candidates/0", json!(7)),
        (merge, "/upstream", json!([])),
        (merge, "/profiling", json!("none")),
        (merge, "/profiling/expected_strategies", json!("baseline")),
        (change, "/candidates/tuned", json!(45.0)),
        (fine_tuning, "/baseline", json!([])),
        (fine_tuning, "/baseline/train_losses", json!(2.0)),
        (mechanism, "/correctness", json!(true)),
    ];
    for (build, pointer, value) in cases {
        let mut report = build();
        set(&mut report, pointer, value);
        let error = read(report.to_string().as_bytes()).expect_err(pointer);
        assert!(matches!(error, ReadError::Field { .. }), "{pointer}: {error:?}");
        assert_eq!(error.pointer(), pointer);
    }
}

#[test]
fn every_word_of_the_course_has_a_meaning_and_an_unknown_one_is_named() {
    use evidence::{Meaning, Word};
    let words = [
        ("accept", Some(Meaning::Concludes(Word::Accept))),
        ("tune", Some(Meaning::Concludes(Word::Tune))),
        ("reject", Some(Meaning::Concludes(Word::Reject))),
        ("pending", Some(Meaning::Waits)),
        ("measure", Some(Meaning::Waits)),
        ("ready_to_measure", Some(Meaning::Waits)),
        ("not_started", Some(Meaning::Waits)),
        ("not_evaluated", Some(Meaning::Waits)),
        ("ready_for_review", Some(Meaning::Waits)),
        ("reject_until_environment_fixed", Some(Meaning::Waits)),
        ("stage_unavailable", Some(Meaning::Waits)),
        ("continue", Some(Meaning::Concludes(Word::Accept))),
        ("stage_completed", Some(Meaning::Ran)),
        ("pipeline_completed", Some(Meaning::Ran)),
        ("keep", None),
        ("Accept", Some(Meaning::Concludes(Word::Accept))),
        ("accept it", None),
    ];
    for (word, meaning) in words {
        assert_eq!(Meaning::of(word), meaning, "{word}");
        let mut report = normalised_budget();
        set(&mut report, "/decision/decision", json!(word));
        let grade = grade(&report, &[]);
        assert_eq!(grade.decision.said.as_deref(), Some(word));
        assert_eq!(grade.decision.recomputed.as_deref(), Some("accept"), "{word}");
        let named = grade.checks.iter().find(|check| check.failed() && check.id == "decision_word");
        assert_eq!(named.is_none(), matches!(meaning, Some(Meaning::Concludes(_))), "{word}");
        if let Some(check) = named {
            assert!(check.found.en.contains(word) && check.message.zh.contains(word), "{check:?}");
        }
    }
}
