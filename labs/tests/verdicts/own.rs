//! Reports of the same shapes with numbers of our own: a 1.5B model in FP32 on a card of 32 GB.
//!
//! Qwen2.5-1.5B has 1,543,714,304 parameters: 16 B each are 23,555.2 MiB, 20 B each 29,444.0 MiB.

use serde_json::{Value, json};

use super::{
    BARE_DECISION, DRY_RUN, NOTHING_FITS, PAIR, PROBE, STRATEGIES, TIGHT_CAP, TIGHT_CAP_LINKED, failed, grade, hold,
    read,
};

fn config() -> Value {
    json!({"model_id": "Qwen/Qwen2.5-1.5B-Instruct", "batch_size": 1, "seq_len": 512, "dtype": "float32",
           "optimizer": "AdamW", "workload": "short", "warmup": 3, "iters": 8, "torch": "2.10.0+cu128",
           "torch_cuda": "12.8", "device": "NVIDIA GeForce RTX 5090", "seed": 5})
}

fn amp(mut config: Value) -> Value {
    config["amp_dtype"] = json!("torch.bfloat16");
    config["repeats"] = json!(3);
    config
}

fn runs(steps: [f64; 3], losses: [f64; 3], peak: f64, reserved: [f64; 3]) -> Vec<Value> {
    (0..3)
        .map(|i| {
            json!({"step_time_ms": steps[i], "samples_per_s": (1e6 / steps[i]).round() / 1e3, "loss": losses[i],
                   "peak_mem_mb": peak, "peak_reserved_mb": reserved[i]})
        })
        .collect()
}

pub fn pair() -> Value {
    let steady = [30400.0, 30400.0, 30400.0];
    json!({
        "task": "task3_training_memory_optimization", "stage": "measurement_baseline",
        "next_stage": "76_activation_checkpoint_offload_benchmark", "config": amp(config()),
        "baseline": {"step_time_ms": 400.0, "samples_per_s": 2.5, "loss": 11.2, "peak_mem_mb": 29800.5, "peak_reserved_mb": 30400.0,
                     "runs": runs([398.0, 400.0, 402.0], [11.2, 11.2, 11.2], 29800.5, steady)},
        "tuned": {"step_time_ms": 220.0, "samples_per_s": 4.546, "loss": 11.31, "peak_mem_mb": 29500.25, "peak_reserved_mb": 30400.0,
                  "runs": runs([218.0, 220.0, 222.0], [11.309, 11.31, 11.311], 29500.25, steady)},
        "summary": {"step_time_delta_ms": 180.0, "peak_mem_delta_mb": 300.25, "time_improved": true, "memory_improved": true,
                    "time_improvement_pct": 45.0, "memory_improvement_pct": 1.01, "meaningful_memory_improved": false},
        "loss_delta_tuned_minus_baseline": 0.11,
        "evidence_level": "fixed_workload_performance_smoke",
        "decision": {"decision": "tune", "reason": "one gain holds, the other is too small"},
    })
}

pub fn probe() -> Value {
    let mut config = amp(config());
    config["mode"] = json!("bf16_probe");
    json!({
        "task": "task3_training_memory_optimization", "stage": "bf16_capacity_probe", "config": config,
        "candidate": {"step_time_ms": 221.0, "samples_per_s": 4.525, "loss": 11.4, "peak_mem_mb": 29650.0, "peak_reserved_mb": 30520.0,
                      "runs": runs([220.0, 221.0, 222.0], [11.39, 11.4, 11.41], 29650.0, [30400.0, 30400.0, 30760.0])},
        "decision": {"decision": "measure", "reason": "nothing to compare with"},
        "evidence_level": "fixed_workload_capacity_probe",
    })
}

fn rows() -> [Value; 4] {
    let row = |name: &str, step: f64, peak: f64, reserved: f64| {
        json!({"name": name, "status": "ok", "step_time_ms": step, "samples_per_s": (1e6 / step).round() / 1e3, "loss": 11.2,
               "eval_loss": 12.1, "peak_memory_mb": peak, "peak_reserved_mb": reserved})
    };
    [
        row("baseline", 400.0, 29800.5, 30400.0),
        row("checkpoint", 480.0, 29470.0, 30560.0),
        row("offload", 1600.0, 29466.5, 30100.0),
        row("hybrid", 640.0, 29474.0, 30200.0),
    ]
}

fn summary() -> Value {
    json!({"candidate_count": 4, "measured_count": 4, "oom_count": 0, "invalid_count": 0, "feasible_count": 3,
           "best_candidate": "checkpoint", "quality_failed_count": 0, "feasible_names": ["checkpoint", "hybrid", "baseline"],
           "baseline_peak_memory_mb": 29800.5, "best_peak_memory_mb": 29470.0, "memory_saving_mb": 330.5,
           "throughput_ratio": 2.083 / 2.5})
}

pub fn strategies() -> Value {
    json!({
        "task": "task3_training_memory_optimization", "stage": "activation_checkpoint_offload_benchmark",
        "source_baseline": "benchmarks/results/73_real_gpu_training.json",
        "baseline_validation": {"status": "matched", "config": {"model_id": "Qwen/Qwen2.5-1.5B-Instruct", "batch_size": 1,
            "seq_len": 512, "dtype": "float32", "optimizer": "AdamW", "workload": "short", "warmup": 3, "iters": 8}},
        "evidence_level": "fixed_workload_strategy_smoke", "config": config(),
        "budget": {"memory_cap_mb": 31000.0, "min_samples_per_s": 1.0}, "quality_floor": {"max_val_loss": 12.342},
        "candidates": rows(), "summary": summary(),
        "decision": {"decision": "tune", "reason": "memory_saving_below_meaningful_threshold", "next_action": "test_pressure_or_offload_scope"},
    })
}

/// 75 as the course's older scripts write it: four numbers a candidate, no device.
fn bare_rows(count: usize) -> Vec<Value> {
    rows()
        .into_iter()
        .take(count)
        .map(|row| {
            json!({"name": row["name"], "peak_memory_mb": row["peak_memory_mb"], "samples_per_s": row["samples_per_s"],
                   "eval_loss": row["eval_loss"], "val_loss": row["eval_loss"]})
        })
        .collect()
}

pub fn tight_cap() -> Value {
    let mut summary = summary();
    summary["feasible_count"] = json!(2);
    summary["feasible_names"] = json!(["checkpoint", "hybrid"]);
    json!({
        "task": "task3_training_memory_optimization", "stage": "memory_budget_decision", "source": "/mnt/course/results/76_real_gpu_memory.json",
        "budget": {"memory_cap_mb": 29600.0, "min_samples_per_s": 1.0}, "quality_floor": {"max_val_loss": 12.342},
        "candidates": bare_rows(4), "summary": summary,
        "decision": {"decision": "tune", "reason": "memory_saving_below_meaningful_threshold", "next_action": "test_larger_pressure_or_optimizer_compression"},
    })
}

pub fn nothing_fits() -> Value {
    json!({
        "task": "task3_training_memory_optimization", "stage": "memory_budget_decision", "source": "/mnt/course/results/76_small_cap.json",
        "budget": {"memory_cap_mb": 24000.0, "min_samples_per_s": 1.0}, "quality_floor": {"max_val_loss": 12.342},
        "candidates": bare_rows(2),
        "summary": {"candidate_count": 2, "measured_count": 2, "oom_count": 0, "invalid_count": 0, "feasible_count": 0,
                    "best_candidate": null, "quality_failed_count": 0, "feasible_names": [], "baseline_peak_memory_mb": 29800.5,
                    "throughput_ratio": null, "best_peak_memory_mb": null, "memory_saving_mb": 0.0},
        "decision": {"decision": "reject", "reason": "no_strategy_meets_budget_and_quality", "next_action": "tighten_batch_or_rework_memory_plan"},
    })
}

pub fn bare_decision() -> Value {
    let scenario = |ceiling: f64, names: &[&str], best: Option<&str>, decision: &str| {
        json!({"memory_cap_mb": 31000.0, "min_samples_per_s": 1.0, "max_val_loss": ceiling, "feasible_names": names,
               "best_candidate": best, "decision": decision})
    };
    let set: &[&str] = &["checkpoint", "hybrid", "baseline"];
    let config = config();
    json!({
        "task": "task3_training_memory_optimization", "stage": "memory_budget_decision", "source": "benchmarks/results/76_real_gpu_memory.json",
        "budget": {"memory_cap_mb": 31000.0, "min_samples_per_s": 1.0, "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7},
        "quality_floor": {"max_val_loss": 12.342}, "evidence_mode": "measured",
        "candidates": rows(), "summary": summary(), "decision": "tune",
        "sensitivity": [scenario(12.0, &[], None, "reject"), scenario(12.2, set, Some("checkpoint"), "tune"), scenario(12.5, set, Some("checkpoint"), "tune")],
        "sensitivity_summary": {"scenario_count": 3, "decision_counts": {"reject": 1, "tune": 2},
            "best_candidate_counts": {"<none>": 1, "checkpoint": 2}, "feasible_set_counts": {"<none>": 1, "checkpoint,hybrid,baseline": 2},
            "best_candidate_stable": false, "feasible_set_stable": false, "decision_stable": false, "interpretation": "sensitive_to_thresholds"},
        "experiment": {"model": config["model_id"], "dtype": "float32", "optimizer": "AdamW", "batch_size": 1, "seq_len": 512,
                       "warmup": 3, "iters": 8, "device": config["device"], "torch": config["torch"], "workload": "short"},
    })
}

pub fn dry_run() -> Value {
    json!({"stage": "environment_preflight", "run_mode": "dry_run", "runtime": {"cuda_available": false, "device": "cpu"},
           "config": {"seq_len": 64, "iters": 4}, "evidence_level": "environment_preflight",
           "decision": {"decision": "ready_to_measure", "reason": "only the environment was looked at"}})
}

#[test]
fn our_own_reports_of_the_same_shapes_get_the_same_verdicts() {
    let cases = [
        ("73 pair", pair(), &PAIR),
        ("73 probe", probe(), &PROBE),
        ("76", strategies(), &STRATEGIES),
        ("75 tight cap", tight_cap(), &TIGHT_CAP),
        ("75 nothing fits", nothing_fits(), &NOTHING_FITS),
        ("75 bare decision", bare_decision(), &BARE_DECISION),
        ("dry run", dry_run(), &DRY_RUN),
    ];
    for (name, report, verdict) in cases {
        hold(name, &grade(&read(&report), &[]), verdict);
    }
}

#[test]
fn beside_its_76_a_75_knows_reserved_memory_and_runs() {
    let (decision, source) = (read(&tight_cap()), read(&strategies()));
    let grade = grade(&decision, &[&source, &decision]);
    for (id, pointer) in TIGHT_CAP_LINKED {
        // Here only the candidates of 29,600 MiB and more: all four reserve more than the cap.
        assert_eq!(failed(&grade, id), [*pointer], "{id}");
    }
}
