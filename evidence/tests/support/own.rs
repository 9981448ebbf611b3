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
