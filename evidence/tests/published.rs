//! The course's rules for inference and several devices, on its own fixtures and around their edges.

mod support;

use evidence::{EvidenceClass, EvidenceLevel, Outcome, Shape, Why};
use serde_json::{Value, json};
use support::{grade, parallel, read, remove, serving, set};

fn changed(mut report: Value, change: impl Fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

/// Word, reason and next step.
fn decided(report: &Value, linked: &[Value]) -> (String, String, String) {
    let decision = grade(report, linked).decision;
    let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    (text(decision.recomputed), text(decision.reason), text(decision.next_action))
}

fn word(report: &Value, linked: &[Value]) -> String {
    decided(report, linked).0
}

#[test]
fn lab_66_weighs_throughput_against_the_first_token() {
    let beside = [serving::load_baseline()];
    let with = |rate: f64, ttft: f64| {
        changed(serving::load(), |r| {
            set(r, "/metrics/output_token_throughput_per_s", json!(rate));
            set(r, "/metrics/ttft_ms/p50", json!(ttft));
        })
    };
    let cases = [
        // 320 → 352 is exactly ten percent, 30 → 50 exactly 20 ms.
        (352.0, 50.0, "accept", "throughput_gain_within_ttft_budget"),
        (351.9, 50.0, "tune", "throughput_gain_below_threshold"),
        (384.0, 50.1, "tune", "ttft_regression_exceeds_budget"),
        (320.0, 30.0, "reject", "no_gain_worth_its_ttft"),
        (300.0, 30.0, "reject", "no_gain_worth_its_ttft"),
        // Half of the time is the first token: nothing holds it back more than another.
        (384.0, 303.0, "reject", "no_gain_worth_its_ttft"),
    ];
    for (rate, ttft, word, reason) in cases {
        let found = decided(&with(rate, ttft), &beside);
        assert_eq!((found.0.as_str(), found.1.as_str()), (word, reason), "{rate} {ttft}");
    }
    // Without its baseline nothing is decided, and the baseline itself decides nothing.
    assert_eq!(word(&serving::load(), &[]), "-");
    assert_eq!(word(&serving::load_baseline(), &[serving::load()]), "-");
    // A training report is no partner, nor is another lab's.
    let others = [support::course::pair(), serving::normalised(), serving::prefix()];
    assert_eq!(word(&serving::load(), &others[..1]), "-");
}

#[test]
fn lab_66_takes_the_partner_with_the_same_workload() {
    let other = changed(serving::load_baseline(), |r| set(r, "/workload/max_tokens", json!(128)));
    let linked = [other, serving::load_baseline(), serving::load()];
    let found = grade(&serving::load(), &linked);
    assert_eq!(found.decision.recomputed.as_deref(), Some("accept"));
    assert!(found.checks.iter().any(|check| check.id == "serving_runs_match" && !check.failed()));
}

#[test]
fn lab_67_asks_for_the_error_first() {
    let fixture = serving::quantised_summary();
    let cases: [(&str, Value, &str, &str); 6] = [
        ("fixture", fixture.clone(), "accept", "promote_to_extended_regression"),
        (
            "over budget",
            changed(fixture.clone(), |r| set(r, "/candidate/error", json!(0.03))),
            "reject",
            "fallback_to_baseline_or_rework_quant_scheme",
        ),
        (
            "128 MiB",
            changed(fixture.clone(), |r| set(r, "/candidate/vram_mb", json!(11_872.0))),
            "tune",
            "refine_quant_granularity_or_backend",
        ),
        (
            "no budget",
            changed(fixture.clone(), |r| remove(r, "/candidate/error_budget")),
            "tune",
            "verify_kernel_and_task_quality_then_compare_metrics",
        ),
        (
            "slower and larger",
            changed(fixture.clone(), |r| {
                set(r, "/candidate/latency_ms", json!(120.0));
                set(r, "/candidate/throughput", json!(70.0));
                set(r, "/candidate/vram_mb", json!(12_100.0));
            }),
            "reject",
            "fallback_to_baseline_or_rework_quant_scheme",
        ),
        ("paired", serving::quantised(), "accept", "promote_to_extended_regression"),
    ];
    for (name, report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{name}");
    }
}

#[test]
fn the_chain_of_quantisation_links_deployment_and_baseline() {
    let record = |stage: &str, format: &str, rate: f64, peak: f64| {
        json!({"schema_version": "quantization-evidence/v1", "stage": stage, "artifact": {"model": "Qwen/Qwen2.5-1.5B-Instruct", "format": format},
               "backend": {"name": "vllm", "version": "0.11.0"}, "hardware": {"device": "NVIDIA H100"},
               "workload": {"concurrency": 1, "num_prompts": 120, "generated_tokens": 64},
               "metrics": {"throughput_tokens_per_s": rate, "peak_memory_mb": peak, "error": 0.01, "error_budget": 0.02},
               "status": "ok", "evidence_level": "real_benchmark", "decision": {"decision": "pending"}, "raw_payload": {}})
    };
    let baseline = record("floating_baseline", "none", 300.0, 9000.0);
    let deployed = record("quantized_deployment", "gptq", 380.0, 7000.0);
    assert_eq!(read(&deployed).report.candidates[0].name, "gptq");
    assert_eq!(word(&deployed, std::slice::from_ref(&baseline)), "accept");
    assert_eq!(word(&baseline, std::slice::from_ref(&deployed)), "-");
    assert_eq!((read(&record("artifact_gate", "gptq", 1.0, 4000.0)).lab()), "82");
    assert_eq!(grade(&deployed, &[baseline]).level, EvidenceLevel::GpuBenchmark);
}

#[test]
fn labs_68_to_70_decide_by_their_gates() {
    let spec = |key: &str, value: Value| {
        changed(serving::speculative(), |r| set(r, &format!("/candidate/{key}"), value.clone()))
    };
    let cases = [
        (serving::speculative(), "accept", "promote_to_serving_eval"),
        (spec("verify_cost_ms", json!(10.5)), "tune", "refine_draft_or_verify"),
        (spec("verify_cost_ms", Value::Null), "tune", "refine_draft_or_verify"),
        (spec("acceptance_rate", json!(0.59)), "reject", "fallback_to_baseline"),
        (spec("throughput", json!(90.0)), "reject", "fallback_to_baseline"),
        (
            changed(serving::speculative(), |r| set(r, "/quality", json!({"quality_ok": false}))),
            "reject",
            "fallback_to_baseline",
        ),
    ];
    for (report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{}", report["candidate"]);
    }
    let hits = "/groups/1/normalized_result/strategy_metrics";
    let cases = [
        (serving::prefix(), "accept", "promote_to_serving_eval"),
        (
            changed(serving::prefix(), |r| set(r, &format!("{hits}/overhead"), json!(0.2))),
            "tune",
            "refine_chunk_or_eviction_policy",
        ),
        (
            changed(serving::prefix(), |r| set(r, &format!("{hits}/hit_rate"), json!(0.3))),
            "reject",
            "fallback_to_no_cache",
        ),
        // A faster first token is no evidence of a hit.
        (
            changed(serving::prefix(), |r| set(r, &format!("{hits}/hit_rate"), Value::Null)),
            "tune",
            "refine_chunk_or_eviction_policy",
        ),
        (
            changed(serving::prefix(), |r| set(r, "/groups/1/normalized_result/metrics/ttft_ms/p50", json!(131.0))),
            "reject",
            "fallback_to_no_cache",
        ),
    ];
    for (report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{}", report["groups"][1]);
    }
    let policy =
        |key: &str, value: f64| changed(serving::scheduler(), |r| set(r, &format!("/candidate/{key}"), json!(value)));
    let cases = [
        (serving::scheduler(), "accept", "promote_to_serving_rollout"),
        (policy("fairness", 0.7), "tune", "refine_queue_rules_or_worker_split"),
        (policy("tpot_ms", 4.1), "tune", "refine_queue_rules_or_worker_split"),
        (policy("throughput_tps", 719.0), "tune", "refine_queue_rules_or_worker_split"),
        (policy("throughput_tps", 650.0), "reject", "fallback_to_scheduler_audit"),
        (policy("utilization", 0.7), "accept", "promote_to_serving_rollout"),
        (serving::load_sweep(), "tune", "refine_queue_rules_or_worker_split"),
    ];
    for (report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{}", report["candidate"]);
    }
}

#[test]
fn labs_79_to_81_decide_by_their_gates() {
    let states = |index: usize, step: f64, peak: f64| {
        changed(parallel::states(), |r| {
            set(r, &format!("/sources/{index}"), parallel::zero(if index == 1 { "zero1" } else { "zero2" }, step, peak))
        })
    };
    let slow = changed(states(1, 20.0, 1200.0), |r| set(r, "/sources/2", parallel::zero("zero2", 21.0, 1000.0)));
    let large = changed(states(1, 8.0, 1700.0), |r| set(r, "/sources/2", parallel::zero("zero2", 8.0, 1650.0)));
    for (report, expected) in [(parallel::states(), "accept"), (slow, "tune"), (large, "reject")] {
        assert_eq!(word(&report, &[]), expected);
    }
    let expert =
        |key: &str, value: f64| changed(parallel::experts(), |r| set(r, &format!("/candidate/{key}"), json!(value)));
    let cases = [
        (parallel::experts(), "accept", "promote_to_cluster_eval"),
        // The course's skewed routing: more throughput, 280 tokens dropped.
        (
            changed(expert("overflow", 280.0), |r| set(r, "/candidate/imbalance", json!(0.72))),
            "tune",
            "refine_router_capacity_or_placement",
        ),
        (expert("comm_ms", 52.5), "tune", "refine_router_capacity_or_placement"),
        (expert("stability", 0.7), "reject", "fallback_to_parallel_baseline"),
        (expert("effective_throughput", 99.0), "reject", "fallback_to_parallel_baseline"),
    ];
    for (report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{}", report["candidate"]);
    }
    let replica = |makespan: f64, imbalance: f64, comm: f64| {
        changed(parallel::replicas(), |r| {
            for (key, value) in [("makespan_ms", makespan), ("imbalance_ratio", imbalance), ("comm_cost_ms", comm)] {
                set(r, &format!("/candidate/{key}"), json!(value));
            }
        })
    };
    // The course's three candidates.
    for (report, word, next) in [
        (replica(2.62, 0.6667, 0.09), "accept", "promote_to_real_cluster_check"),
        (replica(3.10, 0.9, 0.09), "tune", "refine_routing_or_parallel_degree"),
        (replica(4.30, 1.2, 0.40), "reject", "fallback_to_single_replica_audit"),
    ] {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{}", report["candidate"]);
    }
}

#[test]
fn replicas_of_a_real_backend_are_compared_by_their_rate() {
    let group = |name: &str, rate: f64| json!({"name": name, "metrics": {"ttft_ms": 30.0, "throughput_tokens_per_s": rate, "success_rate": 1.0}});
    let report = |rate: f64| {
        json!({"schema_version": "distributed-benchmark/v1", "project": "81", "role": "distributed_serving", "hardware": "NVIDIA A100", "workload": {},
               "experiments": [group("g0_single_replica", 400.0), group("g1_multi_replica", rate)]})
    };
    assert_eq!(decided(&report(700.0), &[]).1, "load_or_communication_not_measured");
    assert_eq!(decided(&report(390.0), &[]).0, "reject");
}

#[test]
fn architectures_are_decided_by_ledger_and_by_citation() {
    assert_eq!(word(&parallel::cache_table(), &[]), "tune");
    let larger = changed(parallel::cache_table(), |r| {
        set(r, "/mechanism/rows", json!([{"representation": "mha", "bytes": 33_554_432}]))
    });
    assert_eq!(word(&larger, &[]), "reject");
    // The cited 71 says tune: the audit waits. One that accepted would let it accept, one that failed refuse.
    let producer = |change: fn(&mut Value)| changed(parallel::cache_table(), change);
    let accepted = producer(|r| set(r, "/decision", json!({"status": "accept"})));
    let failed = producer(|r| set(r, "/status", json!("failed")));
    let audit = |of: &Value| parallel::audit(&read(of).sha256);
    for (cited, expected) in [(parallel::cache_table(), "tune"), (accepted.clone(), "accept"), (failed, "reject")] {
        assert_eq!(word(&audit(&cited), std::slice::from_ref(&cited)), expected);
    }
    assert_eq!(word(&audit(&accepted), &[]), "tune");
    // The older lab 61: candidates within a budget of parameters.
    let row = |name: &str, params: u64, score: f64, cost: f64| json!({"name": name, "params": params, "memory_mb": 900, "step_time_ms": 100.0, "score": score, "deploy_cost": cost});
    let exploration = |score: f64, params: u64, cost: f64| {
        json!({"schema_version": "architecture-evaluation/v1", "project": "61", "config": {"device": "cpu", "param_budget": 500, "max_deploy_delta": 0.1},
               "baseline": row("base", 400, 0.5, 1.0), "candidates": [row("wide", params, score, cost)]})
    };
    let cases = [
        (exploration(0.6, 450, 1.05), "accept", "promote_to_extended_eval"),
        (exploration(0.6, 600, 1.05), "reject", "reduce_candidate_scope"),
        (exploration(0.6, 450, 1.2), "tune", "refine_modules_or_capacity"),
        (exploration(0.4, 450, 1.05), "reject", "fallback_to_baseline"),
    ];
    for (report, word, next) in cases {
        let found = decided(&report, &[]);
        assert_eq!((found.0.as_str(), found.2.as_str()), (word, next), "{report}");
    }
}

#[test]
fn class_and_level_come_from_device_and_content() {
    use EvidenceClass::{Cpu, Gpu, Theory, Unproven};
    let beside = [serving::load_baseline()];
    let anonymous = changed(serving::load(), |r| remove(r, "/experiment_contract/hardware"));
    let unnamed = changed(serving::normalised(), |r| {
        remove(r, "/config/backend");
        remove(r, "/config/backend_version");
    });
    let simulated_on_gpu = changed(serving::speculative(), |r| set(r, "/config/device", json!("NVIDIA H100")));
    let single = changed(parallel::zero("zero2", 8.0, 1000.0), |r| {
        remove(r, "/metrics/step_time_ms_per_rank");
        remove(r, "/metrics/peak_memory_mb_per_rank");
    });
    let cases: [(&str, Value, EvidenceClass, EvidenceLevel); 10] = [
        ("66", serving::load(), Gpu, EvidenceLevel::ServingBackend),
        ("66 without a device", anonymous, Unproven, EvidenceLevel::Preflight),
        ("no backend", unnamed, Gpu, EvidenceLevel::GpuSmoke),
        ("simulator", serving::speculative(), Cpu, EvidenceLevel::CpuSimulation),
        ("simulator beside a GPU", simulated_on_gpu, Cpu, EvidenceLevel::CpuSimulation),
        ("ranks", parallel::zero("zero2", 8.0, 1000.0), Gpu, EvidenceLevel::MultiGpu),
        ("no ranks", single, Gpu, EvidenceLevel::GpuSmoke),
        ("gathered", parallel::states(), Gpu, EvidenceLevel::MultiGpu),
        ("ledger", parallel::cache_table(), Theory, EvidenceLevel::Theoretical),
        ("layer", serving::layer(), Gpu, EvidenceLevel::GpuBenchmark),
    ];
    for (name, report, class, level) in cases {
        let found = grade(&report, &beside);
        assert_eq!((found.outcome, found.class, found.level), (Outcome::Graded, class, level), "{name}");
    }
    // A preflight of a mechanism page measured nothing.
    let preflight = changed(serving::layer(), |r| {
        set(r, "/run_mode", json!("dry_run"));
        set(r, "/decision", json!("ready_to_measure"));
    });
    assert_eq!(grade(&preflight, &[]).outcome, Outcome::NotEvidence { why: Why::DryRun });
}

#[test]
fn shapes_without_a_schema_are_told_by_their_keys() {
    let cases = [
        (serving::load(), Shape::Lab66Raw, "66"),
        (changed(serving::speculative(), |r| remove(r, "/project")), Shape::InferenceBenchmark, "68"),
        (changed(serving::prefix(), |r| remove(r, "/project")), Shape::InferenceBenchmark, "69"),
        (changed(serving::load_sweep(), |r| remove(r, "/project")), Shape::InferenceBenchmark, "70"),
        (changed(serving::scheduler(), |r| remove(r, "/project")), Shape::InferenceBenchmark, "70"),
        (changed(serving::pool(), |r| remove(r, "/project")), Shape::InferenceBenchmark, "22"),
        (changed(serving::quantised_summary(), |r| remove(r, "/project")), Shape::Quantization, "67"),
        (changed(serving::artifacts(), |r| remove(r, "/chapter")), Shape::Quantization, "40"),
        (changed(parallel::experts(), |r| remove(r, "/project")), Shape::Distributed, "80"),
        (changed(parallel::replicas(), |r| remove(r, "/project")), Shape::Distributed, "81"),
        (parallel::dispatch(), Shape::Distributed, "80"),
        (changed(parallel::cache_table(), |r| remove(r, "/semantic_id")), Shape::Architecture, "71"),
        (parallel::audit(&"0".repeat(64)), Shape::Architecture, "61"),
    ];
    for (report, shape, lab) in cases {
        let doc = read(&report);
        assert_eq!((doc.shape, doc.lab()), (shape, lab), "{report}");
    }
}
