//! Files of inference and several devices in which something was not measured, or has the wrong type.

mod support;

use evidence::{Outcome, Shape, Why};
use serde_json::{Value, json};
use support::{grade, parallel, read, serving, set};

fn changed(mut report: Value, change: impl Fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

/// The reason of the recomputed decision.
fn reason(report: &Value) -> Option<String> {
    grade(report, &[]).decision.reason
}

/// Files that the course's scripts write when something did not go as planned.
#[test]
fn what_was_not_measured_is_told_and_never_guessed() {
    let failed = json!({"schema_version": "quantized-inference-project/v1", "project": "67_x", "stage": "artifact", "config": {},
        "failure": {"status": "recorded", "reason": "a boom in the loader"}, "decision": {"decision": "tune", "reason": "repair first"}});
    assert_eq!(grade(&failed, &[]).outcome, Outcome::NotEvidence { why: Why::NoMeasurement });
    // Memory that ended is a boundary.
    let ended = changed(failed, |r| set(r, "/failure/reason", json!("torch.OutOfMemoryError: CUDA out of memory")));
    assert_eq!(read(&ended).report.boundaries.len(), 1);
    assert_eq!(grade(&ended, &[]).outcome, Outcome::Graded);
    // A producer that could not start, and an aggregate of nothing.
    let idle = changed(parallel::zero("zero1", 8.0, 900.0), |r| {
        set(r, "/metrics", json!({}));
        set(r, "/failure", json!("RuntimeError: two ranks are needed"));
        set(r, "/decision", json!("stage_unavailable"));
    });
    assert_eq!(grade(&idle, &[]).outcome, Outcome::NotEvidence { why: Why::DryRun });
    // Dispatch without capacity or stability waits for a real backend, however fast its ranks are.
    let dispatched = |name: &str, step: f64| {
        changed(parallel::dispatch(), |r| {
            set(r, "/strategy", json!(name));
            set(r, "/metrics/rank_step_ms", json!([step, step]));
            set(r, "/metrics/max_rank_step_ms", json!(step));
        })
    };
    let gathered = json!({"schema_version": "distributed-benchmark/v1", "project": "80", "role": "moe_expert_parallel", "workload": {}, "hardware": {},
        "metrics": {}, "evidence_level": "aggregated_mechanism_evidence", "failure": null, "decision": {"decision": "tune", "reason": "mechanism only"},
        "sources": [dispatched("ep_balanced_routing", 1.2), dispatched("ep_skewed_routing", 1.9)]});
    assert_eq!(reason(&gathered).as_deref(), Some("capacity_or_stability_not_measured"));
    // A baseline need not conclude, and the numbers of a ledger compare no candidate.
    let baseline = changed(serving::normalised(), |r| set(r, "/role", json!("baseline")));
    let found = grade(&baseline, &[]);
    assert!(found.checks.iter().all(|check| !check.failed() || !check.id.starts_with("decision")));
    assert_eq!(reason(&parallel::counts()).as_deref(), Some("ledger_compares_no_candidate"));
    // The common fields of another lab are not lab 66's.
    let served = json!({"project": "81", "metrics": {"ttft_ms": 30.0, "e2e_ms": 300.0, "kv_handoff_bytes": 0}, "hardware": "NVIDIA A100"});
    assert_eq!(read(&served).shape, Shape::Distributed);
}

/// Every wrong value is told at its place; none stops the reading.
#[test]
fn wrong_values_are_faults_with_their_place() {
    let report = json!({"schema_version": "inference-benchmark/v1", "project": "66", "config": {"concurrency": "4", "model": 7, "backend": "vllm"},
        "metrics": {"ttft_ms": true, "tpot_ms": "fast", "throughput_tokens_per_s": -5, "successful_requests": 1.5, "peak_memory_mb": 12_345_678_901_u64,
                    "queue_wait_ms": "not_available"}, "decision": [1]});
    let failed = support::failures(&grade(&report, &[]));
    for (id, pointer) in [
        ("metric_not_a_number", "/metrics/ttft_ms"),
        ("metric_not_a_number", "/metrics/tpot_ms"),
        ("metric_out_of_range", "/metrics/throughput_tokens_per_s"),
        ("field_type", "/metrics/successful_requests"),
        ("field_type", "/config/concurrency"),
        ("field_type", "/config/model"),
        ("unit_of_memory", "/metrics/peak_memory_mb"),
        ("decision_present", "/decision"),
    ] {
        assert!(failed.contains(&(id.to_owned(), pointer.to_owned())), "{id} at {pointer}: {failed:?}");
    }
    assert!(!failed.iter().any(|(_, pointer)| pointer == "/metrics/queue_wait_ms"));
    for (pointer, wrong) in [("/candidates", json!("a")), ("/candidates", json!([7])), ("/baseline", json!(3))] {
        let broken = changed(report.clone(), |r| set(r, pointer, wrong.clone()));
        let error =
            evidence::read(broken.to_string().as_bytes()).expect_err("a part that gives the report its structure");
        assert!(error.pointer().starts_with(pointer), "{error}");
    }
}
