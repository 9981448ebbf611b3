//! Labs about inference without a fault: our own numbers in the course's shapes.

use serde_json::{Value, json};

const MODEL: &str = "Qwen/Qwen2.5-1.5B-Instruct";
const CARD: &str = "NVIDIA GeForce RTX 4090";

fn contract() -> Value {
    json!({"hardware": {"device": CARD, "cuda": "12.8"}, "backend": "vllm", "backend_version": "0.11.0",
           "dtype": "bfloat16", "model_revision": "8faed761"})
}

fn times(mean: f64, p50: f64, p99: f64) -> Value {
    json!({"mean": mean, "p50": p50, "p99": p99})
}

/// 66 at concurrency 1: the baseline. 120 answers of 64 tokens in 24 s.
pub fn load_baseline() -> Value {
    json!({
        "label": "vllm-c1", "base_url": "http://127.0.0.1:8000", "model": MODEL,
        "workload": {"source": "benchmarks/workloads/fixed.jsonl", "requests": 120, "max_tokens": 64, "concurrency": 1, "warmup": 4},
        "metrics": {"successful_requests": 120, "failed_requests": 0, "request_throughput_per_s": 5.0,
                    "output_token_throughput_per_s": 320.0, "ttft_ms": times(31.0, 30.0, 44.0), "tpot_ms": times(4.6, 4.5, 5.2),
                    "e2e_ms": times(320.8, 318.0, 371.0), "output_tokens": 7680, "duration_s": 24.0, "peak_memory_mb": 9120.5},
        "experiment_contract": contract(), "evidence_level": "serving_backend",
        "decision": {"decision": "pending", "reason": "the baseline compares nothing"},
    })
}

/// 66 at concurrency 4: a fifth more throughput, the first token 12 ms later.
pub fn load() -> Value {
    let mut report = load_baseline();
    report["label"] = json!("vllm-c4");
    report["workload"]["concurrency"] = json!(4);
    report["metrics"] = json!({"successful_requests": 120, "failed_requests": 0, "request_throughput_per_s": 6.0,
        "output_token_throughput_per_s": 384.0, "ttft_ms": times(43.0, 42.0, 61.0), "tpot_ms": times(9.0, 8.8, 10.5),
        "e2e_ms": times(610.0, 606.0, 720.0), "output_tokens": 7680, "duration_s": 20.0, "peak_memory_mb": 9180.25});
    report["decision"] = json!({"decision": "accept", "reason": "throughput_gain_within_ttft_budget",
                                "next_action": "promote_to_repeated_measurement"});
    report
}

/// `inference-benchmark/v1` of lab 66.
pub fn normalised() -> Value {
    json!({
        "schema_version": "inference-benchmark/v1", "project": "66", "strategy": "vllm-c4", "role": "candidate",
        "config": {"model": MODEL, "backend": "vllm", "backend_version": "0.11.0", "dtype": "bfloat16", "prompt_tokens": 58.5,
                   "generated_tokens": 64, "batch": 1, "concurrency": 4, "cache_policy": "default",
                   "workload": "benchmarks/workloads/fixed.jsonl", "device": CARD, "model_revision": "8faed761", "num_prompts": 120},
        "metrics": {"ttft_ms": times(43.0, 42.0, 61.0), "tpot_ms": times(9.0, 8.8, 10.5), "throughput_tokens_per_s": 384.0,
                    "throughput_requests_per_s": 6.0, "p95_ms": null, "p99_ms": 720.0, "peak_memory_mb": 9180.25,
                    "queue_wait_ms": null, "transfer_bytes": null, "handoff_ms": "not_available",
                    "e2e_latency_ms": times(610.0, 606.0, 720.0), "successful_requests": 120, "failed_requests": 0, "duration_s": 20.0},
        "quality": {}, "status": "ok", "evidence_level": "serving_backend",
        "failure": {"failure_reason": null, "retest_path": null}, "decision": {"decision": "not_evaluated"},
    })
}

/// 68 by the simulator: 40 of 50 proposed tokens are kept.
pub fn speculative() -> Value {
    json!({
        "project": "68", "config": {"device": "cpu"}, "evidence_level": "cpu_simulation",
        "thresholds": {"min_acceptance_rate": 0.6, "max_verify_cost_delta": 10.0},
        "baseline": {"name": "target_only", "throughput": 90.0, "ttft_ms": 40.0, "verify_cost_ms": 0.0},
        "candidate": {"name": "draft_length_5", "throughput": 131.0, "ttft_ms": 42.0, "rounds": 10, "proposed_tokens": 50,
                      "accepted_tokens": 40, "corrected_tokens": 8, "acceptance_rate": 0.8, "accepted_tokens_per_round": 4.0,
                      "draft_cost_ms": 50.0, "verify_cost_ms": 8.0, "round_trace": []},
        "decision": {"decision": "accept", "reason": "throughput, acceptance and cost hold", "next_action": "promote_to_serving_eval"},
    })
}

/// 69 on a server whose log counts the hits.
pub fn prefix() -> Value {
    json!({
        "project": "69", "config": {"model": MODEL, "backend": "vllm", "backend_version": "0.11.0", "dtype": "bfloat16",
            "device": CARD, "model_revision": "8faed761", "num_prompts": 120, "generated_tokens": 64, "concurrency": 2},
        "hit_rate_evidence": "vllm:prefix_cache_hits",
        "groups": [
            {"group": {"name": "g0_cache_off"}, "normalized_result": {"metrics": {"ttft_ms": {"p50": 130.0}, "successful_requests": 120,
                "throughput_tokens_per_s": 300.0, "peak_memory_mb": 9100.0}, "strategy_metrics": {"hit_rate": 0.0, "overhead": 0.0}}},
            {"group": {"name": "g1_prefix_cache"}, "normalized_result": {"metrics": {"ttft_ms": {"p50": 92.0}, "successful_requests": 120,
                "throughput_tokens_per_s": 344.0, "peak_memory_mb": 9160.0}, "strategy_metrics": {"hit_rate": 0.68, "overhead": 0.08}}},
        ],
        "decision": {"decision": "accept", "reason": "hits, time and cost hold", "next_action": "promote_to_serving_eval"},
    })
}

/// 69 by the simulator: a third of the requests and a quarter of the tokens.
pub fn prefix_simulated() -> Value {
    json!({
        "project": "69", "config": {"device": "cpu"}, "evidence_level": "cpu_simulation",
        "metrics": {"total_requests": 3, "total_prompt_tokens": 24, "reused_tokens": 6, "miss_tokens": 18, "hit_rate": 1.0 / 3.0,
                    "token_reuse_rate": 0.25, "prefill_work_reduction": 0.25, "eviction_count": 5, "cache_size_blocks": 4},
        "decision": {"decision": "pending", "reason": "one run"},
    })
}

/// 70 by the simulator: waits of 10, 11 and 12 ms.
pub fn scheduler() -> Value {
    let request = |wait: f64| json!({"request_id": "r", "queue_wait_ms": wait, "ttft_ms": wait + 5.0, "e2e_ms": wait + 50.0, "output_tokens": 40});
    json!({
        "project": "70", "config": {"device": "cpu", "batch_speedup": 1.0}, "evidence_level": "cpu_simulation",
        "thresholds": {"min_throughput_gain": 20.0, "min_fairness": 0.8},
        "baseline": {"name": "fifo", "ttft_ms": 30.0, "tpot_ms": 4.0, "throughput_tps": 700.0, "fairness": 0.82, "utilization": 0.8},
        "candidate": {"name": "shortest", "ttft_ms": 16.0, "tpot_ms": 3.5, "throughput_tps": 800.0, "fairness": 0.875, "utilization": 0.9,
                      "request_count": 3, "completed_count": 3, "makespan_ms": 150.0, "avg_queue_wait_ms": 11.0,
                      "requests": [request(10.0), request(11.0), request(12.0)]},
        "decision": {"decision": "accept", "reason": "all hold", "next_action": "promote_to_serving_rollout"},
    })
}

/// 70 on a server: only the load differs, and the file says so.
pub fn load_sweep() -> Value {
    let group = |name: &str, concurrency: u64, rate: f64| {
        json!({"group": {"name": name, "concurrency": concurrency}, "normalized_result": {
            "config": {"concurrency": concurrency}, "metrics": {"ttft_ms": {"p50": 30.0}, "throughput_tokens_per_s": rate,
            "successful_requests": 120, "peak_memory_mb": 9100.0}}})
    };
    json!({
        "project": "70", "config": {"model": MODEL, "backend": "vllm", "backend_version": "0.11.0", "dtype": "bfloat16", "device": CARD,
            "model_revision": "8faed761", "num_prompts": 120, "generated_tokens": 64},
        "groups": [group("g0_concurrency1", 1, 300.0), group("g1_concurrency4", 4, 420.0)],
        "evidence_boundary": "load_sensitivity_not_scheduler_strategy_comparison",
        "decision": {"decision": "tune", "reason": "only the load changed", "next_action": "refine_queue_rules_or_worker_split"},
    })
}

fn deployed(label: &str, ttft: f64, rate: f64, peak: f64) -> Value {
    json!({"label": label, "dtype": "bfloat16", "load_status": "backend_started_and_benchmark_completed", "kernel_evidence": "marlin in log",
           "normalized_result": {"config": {"backend": "vllm", "concurrency": 1, "num_prompts": 120, "generated_tokens": 64},
               "metrics": {"ttft_ms": {"p50": ttft}, "e2e_latency_ms": {"p50": ttft * 10.0}, "throughput_tokens_per_s": rate,
                           "peak_memory_mb": peak, "successful_requests": 120}}})
}

/// 67: a paired measurement whose quality was evaluated.
pub fn quantised() -> Value {
    let mut report = json!({
        "schema_version": "quantized-inference-project/v1", "project": "67_quantized_inference_and_deployment",
        "stage": "matched_backend_measurement",
        "config": {"model": MODEL, "backend": "vllm", "backend_version": "0.11.0", "dtype": "bfloat16", "device": CARD, "model_revision": "8faed761"},
        "comparison": {"fixed": ["workload"], "changed": ["quantization_artifact"]},
        "baseline": deployed("g0-float-baseline", 30.0, 300.0, 9000.0),
        "candidate": deployed("g1-gptq", 22.0, 410.0, 6500.0),
        "quality": {"status": "evaluated"}, "evidence_checks": {"kernel_evidence": "marlin in log", "task_quality": "evaluated"},
        "evidence_level": "gpu_benchmark",
        "decision": {"decision": "accept", "reason": "error, speed and memory", "next_action": "promote_to_extended_regression"},
    });
    for (key, value) in
        [("error", json!(0.012)), ("error_budget", json!(0.02)), ("bits", json!(4)), ("compression_ratio", json!(3.8))]
    {
        report["candidate"][key] = value;
    }
    report["candidate"]["summary"] = Value::Null;
    report
}

/// 67's summary of a simulated deployment.
pub fn quantised_summary() -> Value {
    json!({
        "project": "67", "config": {"device": "cpu"}, "evidence_level": "cpu_simulation",
        "baseline": {"latency_ms": 100.0, "throughput": 80.0, "vram_mb": 12000.0, "error": 0.0},
        "candidate": {"latency_ms": 72.0, "throughput": 120.0, "vram_mb": 7000.0, "error": 0.012, "error_budget": 0.02},
        "summary": {"latency_delta_ms": 28.0, "throughput_delta": 40.0, "vram_delta_mb": 5000.0, "error_delta": 0.012, "error_within_budget": true},
        "decision": {"decision": "accept", "reason": "within budget", "next_action": "promote_to_extended_regression"},
    })
}

/// Page 25: one layer in INT8.
pub fn layer() -> Value {
    json!({
        "schema_version": "quantization-mechanism-gpu/v2", "chapter": "25", "run_mode": "real_gpu",
        "framework": {"torch": "2.11.0", "torchao": "0.14"}, "hardware": {"cuda_available": true, "device": CARD},
        "workload": {"model_id": MODEL, "layer": "q_proj", "warmup_steps": 5, "repeat_steps": 20},
        "baseline": {"name": "fp16_linear", "median_latency_ms": 0.10, "min_latency_ms": 0.09, "peak_allocated_bytes": 40_000_000, "state_bytes": 4_718_592},
        "candidate": {"name": "int8_weight_only", "median_latency_ms": 0.12, "min_latency_ms": 0.11, "peak_allocated_bytes": 42_000_000, "state_bytes": 2_362_368},
        "mechanism_metrics": {"state_storage_reduction_ratio": 1.0 - 2_362_368.0 / 4_718_592.0, "latency_ratio_candidate_over_baseline": 1.2, "output_mse": 0.0004},
        "failure": null, "evidence_level": "matched_torchao_weight_only_layer_microbenchmark",
        "decision": {"decision": "accept", "reason": "smaller with a finite error"},
    })
}

/// Page 40: two artifacts against greedy tokens of the baseline.
pub fn artifacts() -> Value {
    let artifact = |bytes: u64, share: f64| {
        json!({"artifact_path": "artifacts/x", "artifact_bytes": bytes, "calibration_seconds": 81.0,
        "peak_allocated_bytes": 5_200_000_000_u64, "generated_tokens": 32, "greedy_prefix_agreement": share})
    };
    json!({"chapter": "40", "run_mode": "real_gpu", "hardware": {"device": CARD}, "workload": {"model_id": MODEL},
           "candidates": {"gptq": artifact(1_100_000_000, 0.91), "awq": artifact(1_090_000_000, 0.84)}, "failure": null,
           "evidence_level": "matched_llmcompressor_gptq_awq_artifact_experiment",
           "decision": {"decision": "accept", "reason": "greedy tokens agree"}})
}

/// Page 22: 17 tokens in blocks of 16.
pub fn pool() -> Value {
    json!({"project": "22", "config": {"block_size": 16, "device": "cpu"}, "evidence_level": "cpu_simulation",
           "allocation_report": {"logical_tokens": 17, "allocated_tokens": 32, "unused_tail_tokens": 15, "utilization": 0.53125}})
}
