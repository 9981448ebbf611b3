//! The form of the file.

use serde_json::json;

use super::support::course::{budget, dry_run, pair, probe, strategies};
use super::support::own::kernel;
use super::support::{remove, set};
use super::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case("field_type", strategies, "/config/batch_size", |r| set(r, "/config/batch_size", json!("2"))),
        case("field_type", strategies, "/candidates/1/error", |r| set(r, "/candidates/1/error", json!(5))),
        case("field_type", strategies, "/config/dtype", |r| set(r, "/config/dtype", json!("abc"))),
        case("field_type", strategies, "/config/device", |r| set(r, "/config/device", json!(17))),
        case("field_type", strategies, "/config/repeats", |r| set(r, "/config/repeats", json!("three"))),
        case("field_type", strategies, "/candidates/1/oom_runs", |r| set(r, "/candidates/1/oom_runs", json!(true))),
        case("field_type", strategies, "/candidates/1/runs/2/status", |r| {
            set(r, "/candidates/1/runs/2/status", json!(1));
        }),
        case("field_type", budget, "/evidence_mode", |r| set(r, "/evidence_mode", json!("guessed"))),
        case("metric_not_a_number", strategies, "/candidates/0/stability/step_time_range_ms", |r| {
            set(r, "/candidates/0/stability/step_time_range_ms", json!("13"));
        }),
        case("metric_not_a_number", strategies, "/candidates/1/samples_per_s", |r| {
            set(r, "/candidates/1/samples_per_s", json!(true));
        }),
        case("metric_not_a_number", pair, "/tuned/peak_mem_mb", |r| set(r, "/tuned/peak_mem_mb", json!("11040.25"))),
        case("metric_not_a_number", budget, "/budget/memory_cap_mb", |r| {
            set(r, "/budget/memory_cap_mb", json!("13000"))
        }),
        case("metric_not_a_number", strategies, "/candidates/0/runs/1/loss", |r| {
            set(r, "/candidates/0/runs/1/loss", json!([3.5]));
        }),
        case("metric_out_of_range", strategies, "/candidates/0/samples_per_s", |r| {
            set(r, "/candidates/0/samples_per_s", json!(0.0));
        }),
        case("metric_out_of_range", pair, "/baseline/step_time_ms", |r| {
            set(r, "/baseline/step_time_ms", json!(-800.0))
        }),
        case("metric_out_of_range", kernel, "/candidates/0/metrics/time_ms", |r| {
            set(r, "/candidates/0/metrics/time_ms", json!(0.0));
        }),
        case("unit_of_memory", strategies, "/candidates/0/peak_memory_mb", |r| {
            set(r, "/candidates/0/peak_memory_mb", json!(12_751_208_448_u64));
        }),
        case("candidate_name", strategies, "/candidates/2/name", |r| set(r, "/candidates/2/name", json!("checkpoint"))),
        case("candidate_name", strategies, "/candidates/1/name", |r| {
            set(r, "/candidates/1/name", json!("x".repeat(5000)))
        }),
        case("candidate_name", budget, "/candidates/0/name", |r| remove(r, "/candidates/0/name")),
        case("candidate_name", kernel, "/candidates/1/name", |r| set(r, "/candidates/1/name", json!("baseline"))),
        case("status_word", strategies, "/candidates/1/status", |r| set(r, "/candidates/1/status", json!("fine"))),
        case("absolute_path", budget, "/source", |r| set(r, "/source", json!("/srv/course/results/76.json"))),
        case("absolute_path", strategies, "/environment_preflight/result_path", |r| {
            set(r, "/environment_preflight/result_path", json!("C:\\course\\results\\76.json"));
        }),
        case("decision_is_object", budget, "/decision", |r| set(r, "/decision", json!("accept"))),
        case("decision_word", strategies, "/decision/decision", |r| set(r, "/decision/decision", json!("keep"))),
        case("decision_present", strategies, "/decision", |r| remove(r, "/decision")),
        case("decision_present", pair, "/decision", |r| set(r, "/decision", json!(["tune"]))),
        case("level_word", strategies, "/evidence_level", |r| set(r, "/evidence_level", json!("very_good"))),
        case("level_matches_device", strategies, "/evidence_level", |r| {
            set(r, "/config/device", json!("cpu"));
            set(r, "/experiment/device", json!("cpu"));
        }),
        case("dry_run", strategies, "/config/run_mode", |r| set(r, "/config/run_mode", json!("dry_run"))),
        case("dry_run", pair, "/stage", |r| set(r, "/stage", json!("environment_preflight"))),
        Case { twin: |r| *r = probe(), ..case("dry_run", dry_run, "/run_mode", |_| {}) },
        case("dry_run", strategies, "/run_mode", |r| set(r, "/run_mode", json!("DRY_RUN"))),
        case("dry_run", strategies, "/dry_run", |r| set(r, "/dry_run", json!("true"))),
        case("dry_run", strategies, "/decision", |r| {
            *r = json!({"stage": "activation_checkpoint_offload_benchmark", "config": r["config"], "decision": "not_started"});
        }),
        // The preflight of a run stands beside its measurement; alone it is none.
        case("dry_run", pair, "/environment_preflight/status", |r| {
            *r = json!({"stage": "measurement_baseline", "next_stage": "76", "environment_preflight": {"status": "blocked"}});
        }),
        case("dry_run", pair, "/environment_preflight", |r| {
            *r = json!({"environment_preflight": r["environment_preflight"]});
        }),
        case("dry_run", pair, "/ready", |r| {
            *r = json!({"ready": true, "runtime": {}, "required_packages_missing": [], "gpu_memory_gb": 11.9});
        }),
        case("measured_something", strategies, "/candidates", |r| set(r, "/candidates", json!([]))),
        case("measured_something", budget, "/evidence_mode", |r| set(r, "/evidence_mode", json!("projected"))),
        case("shape_recognised", pair, "", |r| {
            *r = json!({"stage": "my_stage", "tuned": r["tuned"], "config": r["config"]});
        }),
    ]
}

/// A key that appears twice cannot be made from a `serde_json::Value`.
#[test]
fn a_key_that_appears_twice_is_refused_at_its_place() {
    let text = strategies().to_string();
    let twice = text.replacen("\"seed\":7", "\"seed\":7,\"seed\":8", 1);
    assert!(evidence::read(text.as_bytes()).is_ok());
    let error = evidence::read(twice.as_bytes()).expect_err("refused");
    assert_eq!(error.pointer(), "/config/seed");
}

#[test]
fn a_report_of_no_known_lab_is_examined_and_earns_nothing() {
    let doc = super::support::read(&kernel());
    let grade = evidence::grade(&doc, &evidence::Rubric::empty(), &evidence::GradeContext::default());
    assert_eq!(grade.outcome, evidence::Outcome::NotEvidence { why: evidence::Why::UnknownLab });
    assert!(grade.checks.iter().any(|check| check.failed() && check.id == "lab_known" && check.pointer == "/lab"));
}
