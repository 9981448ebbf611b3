//! Labs 73, 75 and 76 without a fault.

use serde_json::{Value, json};

use super::{Measured, baseline, checkpoint, offload, round};

pub fn config() -> Value {
    json!({"model_id": "Qwen/Qwen2.5-0.5B-Instruct", "workload": "long", "batch_size": 2, "seq_len": 1536,
           "dtype": "float32", "optimizer": "AdamW", "warmup": 2, "iters": 5, "seed": 7, "torch": "2.9.1+cu128",
           "torch_cuda": "12.8", "device": "NVIDIA GeForce RTX 4080", "matmul_precision": "ieee"})
}

fn experiment() -> Value {
    json!({"model": "Qwen/Qwen2.5-0.5B-Instruct", "backend": "torch", "dtype": "float32", "optimizer": "AdamW",
           "batch_size": 2, "seq_len": 1536, "warmup": 2, "iters": 5, "seed": 7, "device": "NVIDIA GeForce RTX 4080",
           "torch": "2.9.1+cu128", "cuda": "12.8", "workload": "long"})
}

fn standard(measured: &[Measured], names: &[&str]) -> Value {
    let rows = measured.iter().zip(names).map(|(m, name)| {
        let flat = m.flat();
        let row = json!({"step_time_ms": flat["step_time_ms"], "throughput_samples_per_s": flat["samples_per_s"],
                         "peak_memory_mb": m.peak, "peak_reserved_mb": m.reserved, "loss": flat["loss"],
                         "eval_loss": flat["eval_loss"], "status": "ok"});
        ((*name).to_owned(), row)
    });
    Value::Object(rows.collect())
}

/// 73: a pair that earns an accept.
pub fn pair() -> Value {
    let (base, tuned) = (baseline(), checkpoint_as_tuned());
    let (a, b) = (base.side(), tuned.side());
    let number = |side: &Value, key: &str| side[key].as_f64().expect("a number");
    let delta = |key: &str| number(&a, key) - number(&b, key);
    let mut config = config();
    for (key, value) in [
        ("mode", json!("paired")),
        ("repeats", json!(3)),
        ("amp_dtype", json!("torch.bfloat16")),
        ("param_dtype", json!("float32")),
        ("compute_dtype", json!("bfloat16")),
        ("compute_capability", json!([8, 9])),
        ("native_bf16", json!(true)),
    ] {
        config[key] = value;
    }
    json!({
        "task": "task3_training_memory_optimization",
        "environment_preflight": {"status": "ok", "ready": true, "runtime": {"cuda_available": true}, "native_bf16_supported": true,
                                  "reasons": [], "next_actions": [], "result_path": "benchmarks/results/73.json"},
        "stage": "measurement_baseline",
        "next_stage": "76_activation_checkpoint_offload_benchmark",
        "config": config,
        "baseline": a, "tuned": b,
        "summary": {
            "step_time_delta_ms": round(delta("step_time_ms"), 2), "peak_mem_delta_mb": round(delta("peak_mem_mb"), 2),
            "throughput_delta": round(-delta("samples_per_s"), 2), "time_improved": true, "memory_improved": true,
            "throughput_improved": true,
            "time_improvement_pct": round(delta("step_time_ms") / number(&a, "step_time_ms") * 100.0, 2),
            "memory_improvement_pct": round(delta("peak_mem_mb") / number(&a, "peak_mem_mb") * 100.0, 2),
            "meaningful_memory_improved": true,
        },
        "loss_delta_tuned_minus_baseline": round(-delta("loss"), 6),
        "evidence_level": "fixed_workload_performance_smoke",
        "decision": {"decision": "accept", "reason": "both gains reach their thresholds"},
        "experiment": experiment(),
        "standard_metrics": standard(&[baseline(), checkpoint_as_tuned()], &["baseline", "tuned"]),
    })
}

fn checkpoint_as_tuned() -> Measured {
    Measured { name: "tuned", steps: [600.0, 603.0, 597.0], ..checkpoint() }
}

/// 73: a BF16 probe.
pub fn probe() -> Value {
    let mut report = pair();
    let candidate = report["tuned"].clone();
    for key in ["baseline", "tuned", "summary", "loss_delta_tuned_minus_baseline", "next_stage"] {
        report.as_object_mut().expect("an object").remove(key);
    }
    report["stage"] = json!("bf16_capacity_probe");
    report["candidate"] = candidate;
    report["config"]["mode"] = json!("bf16_probe");
    report["decision"] = json!({"decision": "measure", "reason": "A probe compares nothing."});
    report["evidence_level"] = json!("fixed_workload_capacity_probe");
    report["standard_metrics"] = standard(&[checkpoint_as_tuned()], &["candidate"]);
    report
}

/// `budget`, `quality_floor`, `summary` and `decision` of three strategies: checkpoint is accepted, offload too slow.
fn concluded(reason: &str) -> Value {
    let (base, best) = (baseline(), checkpoint());
    json!({
        "budget": {"memory_cap_mb": 13000.0, "min_samples_per_s": 1.0, "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7},
        "quality_floor": {"max_val_loss": 3.47106},
        "summary": {
            "candidate_count": 3, "measured_count": 3, "oom_count": 0, "invalid_count": 0, "feasible_count": 2,
            "best_candidate": "checkpoint", "quality_failed_count": 0, "feasible_names": ["checkpoint", "baseline"],
            "baseline_peak_memory_mb": base.peak, "baseline_available": true, "best_peak_memory_mb": best.peak,
            "memory_saving_mb": base.peak - best.peak, "throughput_ratio": best.rate() / base.rate(),
            "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7,
            "evaluations": [
                {"name": "baseline", "status": "feasible", "reasons": []},
                {"name": "checkpoint", "status": "feasible", "reasons": []},
                {"name": "offload", "status": "rejected", "reasons": ["throughput_below_floor"]},
            ],
        },
        "decision": {"decision": "accept", "reason": reason, "next_action": "promote_to_training_run"},
    })
}

fn merge(report: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!("an object") };
    report.as_object_mut().expect("an object").extend(more);
}

/// 76: three strategies, an accept.
pub fn strategies() -> Value {
    let mut config = config();
    config["mode"] = json!("fp32");
    config["amp_dtype"] = Value::Null;
    config["strategies"] = json!(["baseline", "checkpoint", "offload"]);
    let counts = json!({"status": "ok", "successful_runs": 3, "oom_runs": 0});
    let mut report = json!({
        "task": "task3_training_memory_optimization",
        "environment_preflight": {"status": "ok", "ready": true, "runtime": {"cuda_available": true}},
        "stage": "activation_checkpoint_offload_benchmark",
        "source_baseline": "benchmarks/results/73_real_gpu_training.json",
        "baseline_validation": {"status": "matched", "config": {
            "model_id": "Qwen/Qwen2.5-0.5B-Instruct", "batch_size": 2, "seq_len": 1536, "dtype": "float32",
            "optimizer": "AdamW", "workload": "long", "warmup": 2, "iters": 5}},
        "evidence_level": "fixed_workload_strategy_smoke",
        "config": config,
        "candidates": [baseline().flat(), checkpoint().flat(), offload().flat()],
        "repeat_summary": {"baseline": counts, "checkpoint": counts, "offload": counts},
        "experiment": experiment(),
        "standard_metrics": standard(&[baseline(), checkpoint(), offload()], &["baseline", "checkpoint", "offload"]),
    });
    merge(&mut report, concluded("strategy_is_best_feasible_option"));
    report
}

/// 75: the budget decision on [`strategies`].
pub fn budget() -> Value {
    let candidate = |measured: Measured| {
        let flat = measured.flat();
        let mut row = serde_json::Map::new();
        for key in [
            "name",
            "status",
            "step_time_ms",
            "samples_per_s",
            "peak_memory_mb",
            "peak_reserved_mb",
            "loss",
            "eval_loss",
        ] {
            row.insert(key.to_owned(), flat[key].clone());
        }
        row.insert("val_loss".to_owned(), flat["eval_loss"].clone());
        row.insert("error".to_owned(), Value::Null);
        Value::Object(row)
    };
    let scenario = |cap: f64, rate: f64| {
        json!({"memory_cap_mb": cap, "min_samples_per_s": rate, "max_val_loss": 3.5,
               "feasible_names": ["checkpoint", "baseline"], "best_candidate": "checkpoint", "decision": "accept"})
    };
    let mut report = json!({
        "task": "task3_training_memory_optimization",
        "stage": "memory_budget_decision",
        "source": "benchmarks/results/76_real_gpu_memory.json",
        "evidence_mode": "measured",
        "planning_context": {
            "model": {"model_id": "Qwen/Qwen2.5-0.5B-Instruct"},
            "hardware_target": {"name": "16GB card", "total_memory_mb": 16376, "usable_memory_mb": 13000},
            "measured_hardware": "NVIDIA GeForce RTX 4080"},
        "candidates": [candidate(baseline()), candidate(checkpoint()), candidate(offload())],
        "sensitivity": [scenario(13000.0, 1.0), scenario(13000.0, 1.2)],
        "sensitivity_summary": {
            "scenario_count": 2, "decision_counts": {"accept": 2}, "best_candidate_counts": {"checkpoint": 2},
            "feasible_set_counts": {"checkpoint,baseline": 2}, "best_candidate_stable": true,
            "feasible_set_stable": true, "decision_stable": true, "interpretation": "stable"},
        "experiment": experiment(),
        "standard_metrics": standard(&[baseline(), checkpoint(), offload()], &["baseline", "checkpoint", "offload"]),
    });
    merge(&mut report, concluded("compression_strategy_is_best_feasible_option"));
    report
}

/// A dry run of some lab.
pub fn dry_run() -> Value {
    json!({"stage": "environment_preflight", "run_mode": "dry_run",
           "runtime": {"python": "3.12.4", "cuda_available": false, "device": "cpu"},
           "config": {"batch_size": 4, "seq_len": 512, "iters": 30}, "evidence_level": "environment_preflight",
           "decision": {"decision": "ready_to_measure", "reason": "Only the environment was looked at."}})
}
