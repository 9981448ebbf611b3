//! Reports in the own schema without a fault.

use serde_json::{Value, json};

/// A kernel lab on a CPU.
pub fn kernel() -> Value {
    let runs = |times: [f64; 3]| times.map(|time| json!({"time_ms": time})).to_vec();
    json!({
        "schema": "vramlab-report/v1", "lab": "rmsnorm",
        "workload": {"kernel": {"operation": "rmsnorm", "shape": {"rows": 1024, "hidden": 2048}, "dtype": "fp32",
                                "warmup": 3, "iters": 10, "seed": 1}},
        "device": {"backend": "cpu", "name": "Reference processor", "kind": "cpu"},
        "level": "cpu_benchmark",
        "ledger": [{"object": "temporary", "part": "output", "from": "forward", "to": "forward", "bytes": 8_388_608,
                    "formula": "1,024 × 2,048 × 4 B", "measured_bytes": 8_388_608}],
        "candidates": [
            {"name": "baseline", "status": "ok", "metrics": {"time_ms": 4.0, "timer": "host", "bytes_moved": 41_951_232},
             "quality": {"max_rel_error": 1e-7, "tolerance": 1e-5}, "runs": runs([4.0, 4.1, 3.9])},
            {"name": "fused", "status": "ok", "metrics": {"time_ms": 2.0, "timer": "host", "bytes_moved": 16_785_408},
             "quality": {"max_rel_error": 2e-7, "tolerance": 1e-5}, "runs": runs([2.0, 2.1, 1.9])},
        ],
        "budget": {"min_speedup": 1.1},
        "decision": {"decision": "accept", "reason": "faster", "next_action": "adopt it"},
    })
}

/// A KV cache in several formats on a CPU, with everything that the runner measures. Times are 6 runs of one value each.
pub fn kv_cache() -> Value {
    // 64 tokens × 2 heads × 8: 1,024 numbers of keys and as many of values.
    let bytes =
        [("baseline", 4096_u64, 3.0), ("int8_token", 2 * (1024 + 64 * 4), 2.0), ("int4_tensor", 2 * (512 + 4), 2.5)];
    let candidates: Vec<Value> = bytes.iter().map(|(name, cache, time)| {
        let peak = cache + 100;
        let step = |event: &str, phase: &str, part: &str, bytes: u64, after: u64| json!({
            "event": event, "phase": phase, "object": if part == "query" { "activation" } else { "kv_cache" },
            "part": part, "bytes": bytes, "allocated_bytes": after});
        let part = format!("{name}_cache");
        json!({
            "name": name, "status": "ok",
            "metrics": {"time_ms": time, "timer": "host", "bytes_moved": cache + 100,
                        "spread": {"samples": 6, "median_ms": time, "p10_ms": time, "p90_ms": time,
                                   "relative_standard_error": 0.0, "noisy": false,
                                   "interval": {"low_ms": time, "high_ms": time, "confidence": 0.95,
                                                "method": "order_statistics"}},
                        "reached": {"bytes": cache + 100, "flops": 4096, "fraction": 4096.0 / 1e6 * 1e3 / time},
                        "peak_allocated_bytes": peak,
                        "quantised": {"state_bytes": cache, "error": if *name == "int4_tensor" { 0.2 } else { 0.01 }}},
            "quality": {"max_rel_error": 1e-7, "tolerance": 2e-5},
            "runs": vec![json!({"time_ms": time}); 6],
            "timeline": [step("allocate", "prefill", "source", 4096, 4096), step("allocate", "prefill", &part, *cache, 4096 + cache),
                         step("free", "prefill", "source", 4096, *cache), step("allocate", "decode", "query", 100, peak),
                         step("free", "decode", "query", 100, *cache), step("free", "decode", &part, *cache, 0)],
        })
    }).collect();
    let line = |object: &str, part: String, bytes: u64| {
        json!({"object": object, "part": part, "from": "prefill", "to": "decode",
        "bytes": bytes, "formula": "a formula", "measured_bytes": bytes})
    };
    let mut ledger: Vec<Value> =
        bytes.iter().map(|(name, cache, _)| line("kv_cache", format!("{name}_cache"), *cache)).collect();
    ledger.push(line("activation", "query".to_owned(), 100));
    json!({
        "schema": "vramlab-report/v1", "lab": "kv-quant",
        "workload": {"kernel": {"operation": "kv_attention", "shape": {"tokens": 64, "heads": 2, "head_dim": 8},
                                "dtype": "bf16", "warmup": 2, "iters": 6, "seed": 1}},
        "device": {"backend": "cpu", "name": "Reference processor", "kind": "cpu"},
        "level": "cpu_benchmark",
        "roofline": {"copy_bytes_per_s": 1e9, "copy_bytes": 67_108_864, "fma_flops_per_s": 1e6, "timer": "host"},
        "ledger": ledger, "candidates": candidates,
        "budget": {"min_speedup": 1.05, "serving": {"max_error": 0.05}},
        "decision": {"decision": "accept", "reason": "smaller_and_faster", "next_action": "adopt it"},
    })
}

/// Conversions between formats on a CPU.
pub fn conversions() -> Value {
    let run = |name: &str, time: f64, bytes: u64| {
        json!({"name": name, "status": "ok",
        "metrics": {"time_ms": time, "timer": "host", "bytes_moved": bytes, "peak_allocated_bytes": bytes},
        "quality": {"max_rel_error": 0.0, "tolerance": 0.0}, "runs": vec![json!({"time_ms": time}); 3]})
    };
    json!({
        "schema": "vramlab-report/v1", "lab": "memory-bandwidth",
        "workload": {"kernel": {"operation": "copy_convert", "shape": {"elements": 1000}, "dtype": "fp32",
                                "warmup": 2, "iters": 3, "seed": 1}},
        "device": {"backend": "cpu", "name": "Reference processor", "kind": "cpu"},
        "level": "cpu_benchmark",
        "candidates": [run("baseline", 4.0, 8000), run("fp32_to_bf16", 3.0, 6000), run("copy_fp8", 1.0, 2000)],
        "budget": {"min_speedup": 1.05},
        "decision": {"decision": "accept", "reason": "smaller_and_faster", "next_action": "adopt it"},
    })
}
