//! Labs about several devices and about architectures without a fault.

use serde_json::{Value, json};

const CARD: &str = "NVIDIA A100-SXM4-40GB";

/// Page 27: one ZeRO stage on two cards. 1 × 256 × 2 tokens in 8 ms.
pub fn zero(strategy: &str, step: f64, peak: f64) -> Value {
    json!({
        "project": "27", "strategy": strategy,
        "workload": {"model": "synthetic_transformer_mlp", "width": 1024, "layers": 8, "micro_batch": 1, "gradient_accumulation": 2,
                     "seq_len": 256, "dtype": "bf16", "warmup": 2, "repeats": 5, "world_size": 2, "optimizer": "AdamW"},
        "hardware": CARD,
        "metrics": {"step_time_ms_per_rank": [step, step - 0.5], "peak_memory_mb_per_rank": [peak, peak - 12.0],
                    "max_step_time_ms": step, "max_peak_memory_mb": peak, "tokens_per_s_proxy": 512.0 / step * 1000.0},
        "failure": null, "evidence_level": "real_multi_gpu_zero_stage", "decision": "stage_completed",
    })
}

/// 79: what the aggregator writes, with the decision that the lab asks for.
pub fn states() -> Value {
    json!({
        "schema_version": "distributed-benchmark/v1", "project": "79", "role": "training_state_parallel",
        "workload": {"source_result_count": 3}, "hardware": {"details": "see_each_source_result"}, "metrics": {"source_count": 3},
        "artifacts": {}, "evidence_level": "aggregated_mechanism_evidence", "failure": null,
        "decision": {"decision": "accept", "reason": "state is divided within the throughput gate"},
        "sources": [zero("ddp", 8.0, 1600.0), zero("zero1", 8.5, 1200.0), zero("zero2", 9.0, 1000.0)],
    })
}

/// 79's arithmetic on a processor.
pub fn division() -> Value {
    json!({
        "project": "79", "config": {"device": "cpu", "world_size": 4, "weights_mb": 400.0, "grads_mb": 400.0, "optimizer_mb": 800.0},
        "evidence_level": "cpu_simulation", "metrics": {"source_count": 4},
        "strategies": [{"strategy": "ddp", "state_mb_per_rank": 1600.0}, {"strategy": "zero1", "state_mb_per_rank": 1000.0},
                       {"strategy": "zero2", "state_mb_per_rank": 700.0}, {"strategy": "zero3", "state_mb_per_rank": 400.0}],
    })
}

/// 80 by its numbers: local against evenly routed experts.
pub fn experts() -> Value {
    json!({
        "project": "80", "config": {"device": "cpu"}, "evidence_level": "cpu_simulation",
        "thresholds": {"max_imbalance": 0.15, "min_stability": 0.78},
        "baseline": {"name": "local", "comm_ms": 40.0, "imbalance": 0.25, "effective_throughput": 100.0, "stability": 0.82, "overflow": 0.0},
        "candidate": {"name": "cross_rank_balanced", "comm_ms": 48.0, "imbalance": 0.12, "effective_throughput": 128.0, "stability": 0.8, "overflow": 0.0},
        "decision": {"decision": "accept", "reason": "all hold", "next_action": "promote_to_cluster_eval"},
    })
}

/// 80 on two cards: dispatch with 256 tokens a rank.
pub fn dispatch() -> Value {
    json!({
        "project": "80", "strategy": "ep_balanced_routing",
        "workload": {"mode": "ep_dispatch", "tokens_per_rank": 256, "hidden_dim": 1024, "dtype": "bfloat16", "world_size": 2, "warmup": 2, "repeats": 5},
        "hardware": {"device": CARD},
        "metrics": {"max_rank_step_ms": 1.4, "rank_step_ms": [1.4, 1.3], "received_tokens_per_rank": [256, 256], "load_skew_ratio": 0.0,
                    "dispatch_bytes_per_rank": 524_288, "peak_memory_mb_per_rank": [64.5, 64.5]},
        "failure": null, "evidence_level": "multi_gpu", "decision": "stage_completed",
    })
}

/// 81 by the simulator: two replicas, each request on one of them. Alone they take 1.28 + 1.28 + 0.64 + 0.64 = 3.84 ms.
pub fn replicas() -> Value {
    json!({
        "project": "81",
        "config": {"device": "cpu", "model": "Qwen/Qwen2.5-0.5B-Instruct", "dtype": "bfloat16", "prefill_ms_per_token": 0.01, "decode_ms_per_token": 0.02,
                   "kv_bytes_per_token": 12288, "bandwidth_gb_per_s": 10.0},
        "thresholds": {"max_imbalance_ratio": 0.8, "max_comm_ratio": 0.05}, "evidence_level": "cpu_simulation",
        "requests": [{"prompt_tokens": 128, "generate_tokens": 64}, {"prompt_tokens": 64, "generate_tokens": 32}],
        "baseline": {"name": "single_replica", "single_replica_time_ms": 3.84},
        "candidate": {"name": "two_replicas", "makespan_ms": 2.62, "imbalance_ratio": 0.6667, "comm_cost_ms": 0.09,
                      "throughput_req_per_ms": 0.7634, "kv_handoff_bytes": 3_000_000, "kv_handoff_ms": 0.31},
        "decision": {"decision": "accept", "reason": "sooner, even and cheap", "next_action": "promote_to_real_cluster_check"},
    })
}

/// 71: cache bytes of two layers by representation, 1,024 tokens.
pub fn cache_table() -> Value {
    let row =
        |name: &str, bytes: u64| json!({"representation": name, "bytes": bytes, "evidence": "cpu_theoretical_ledger"});
    json!({
        "schema_version": "architecture-evaluation/v1", "record_type": "architecture_evidence", "semantic_id": "ARCH-MLA-KV", "role": "producer",
        "source": {"notebook": "71.ipynb"}, "runtime": {}, "workload": {"batch_size": 1, "seq_len": 1024},
        "config": {"num_layers": 2, "num_attention_heads": 32, "num_kv_heads": 8, "head_dim": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "dtype_bytes": 2},
        "baseline": {"name": "mha", "representation": "mha"}, "candidates": [{"name": "mla", "representation": "mla"}], "quality": {}, "cost": {},
        "mechanism": {"rows": [row("mha", 33_554_432), row("gqa", 8_388_608), row("mla", 2_359_296)]},
        "status": "ok", "failure": {}, "evidence_level": "cpu_theoretical_ledger",
        "decision": {"status": "tune", "reason": "a ledger shows sizes alone", "next_action": "measure_on_a_backend_that_supports_it"},
    })
}

/// 61: the parameters of Qwen2.5-0.5B, biases and final norm included.
pub fn counts() -> Value {
    json!({
        "schema_version": "architecture-evaluation/v1", "project": "61", "config": {"model": "Qwen/Qwen2.5-0.5B"},
        "ledger": {"embedding": 136_134_656, "attention": 44_067_840, "mlp": 313_786_368, "norm": 43_904, "lm_head": 0,
                   "total_params": 494_032_768, "estimated_weight_memory_mb": 942.293, "dtype_bytes": 2},
        "evidence_level": "cpu_theoretical_estimate",
        "decision": {"status": "tune", "reason": "a ledger compares no candidate"},
    })
}

/// 61 as an audit that cites a report by its hash.
pub fn audit(sha256: &str) -> Value {
    json!({
        "schema_version": "architecture-evaluation/v1", "record_type": "architecture_audit", "semantic_id": "ARCH-MODEL-AUDIT", "role": "audit",
        "comparison_mode": "aggregate", "audit": {"config_decision": {"status": "accept"}},
        "references": [{"semantic_id": "ARCH-MLA-KV", "result_path": "benchmarks/results/71.json", "sha256": sha256}],
        "evidence_level": "theoretical", "status": "ok",
        "decision": {"status": "tune", "reason": "the producer has not accepted"},
    })
}

/// The audit of [`cache_table`].
pub fn audit_of_table() -> Value {
    audit(&super::read(&cache_table()).sha256)
}
