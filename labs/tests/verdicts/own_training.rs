//! The other shapes of the training side with numbers of our own, faulty in the way the real ones are.

use serde_json::{Value, json};

use super::own::{pair, strategies};
use super::{ADAPTER, MERGE, NORMALISED_NOTHING, NORMALISED_PAIR, PROFILE, grade, hold, read};

/// A candidate as the normaliser rewrites it: peaks in MiB beside those of a baseline of 29,800.5.
fn row(name: &str, step: Value, rate: f64, peak: f64, reserved: Value, losses: [Value; 2]) -> Value {
    let [loss, eval] = losses;
    json!({"name": name, "status": "ok",
           "metrics": {"step_time_ms": step, "samples_per_s": rate, "peak_memory_mb": peak, "peak_reserved_mb": reserved,
                       "memory_saving_mb": 29800.5 - peak, "throughput_ratio": rate / 2.5, "oom": null},
           "quality": {"loss": loss, "eval_loss": eval, "val_loss": eval, "quality_status": null},
           "legacy_fields": {"name": name, "samples_per_s": rate}})
}

fn normalised_pair() -> Value {
    let mut original = pair();
    let row = |name: &str, step: f64, rate: f64, peak: f64, loss: f64| {
        row(name, json!(step), rate, peak, json!(30400.0), [json!(loss), Value::Null])
    };
    json!({
        "schema_version": "training-memory-benchmark/v1", "project": "73", "stage": "measurement_baseline",
        "config": {"model": "Qwen/Qwen2.5-1.5B-Instruct", "device": "NVIDIA GeForce RTX 5090", "torch": "2.10.0+cu128", "cuda": "12.8",
                   "dtype": "torch.bfloat16", "batch_size": 1, "seq_len": 512, "warmup": 3, "iters": 8, "workload": null},
        "budget": {}, "quality_floor": {},
        "candidates": [row("baseline", 400.0, 2.5, 29800.5, 11.2), row("tuned", 220.0, 4.546, 29500.25, 11.31)],
        "summary": original["summary"].take(), "decision": original["decision"].take(),
        "legacy_source": "benchmarks/results/73_real_gpu_training.json",
    })
}

fn normalised_nothing() -> Value {
    let mut original = strategies();
    let rows: Vec<Value> = original["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|candidate| {
            let number = |key: &str| candidate[key].as_f64().expect(key);
            let name = candidate["name"].as_str().expect("a name");
            let losses = [Value::Null, candidate["eval_loss"].clone()];
            row(name, Value::Null, number("samples_per_s"), number("peak_memory_mb"), Value::Null, losses)
        })
        .collect();
    json!({
        "schema_version": "training-memory-benchmark/v1", "project": "75", "stage": "memory_budget_decision",
        "config": {"model": null, "device": null, "torch": null, "cuda": null, "dtype": null, "batch_size": null, "seq_len": null,
                   "warmup": null, "iters": null, "workload": null},
        "budget": original["budget"].take(), "quality_floor": original["quality_floor"].take(), "candidates": rows,
        "summary": original["summary"].take(),
        "decision": {"decision": "tune", "reason": "memory_saving_below_meaningful_threshold", "next_action": "test_larger_pressure_or_optimizer_compression"},
        "legacy_source": "benchmarks/results/75_memory_budget_decision.json",
    })
}

fn merge() -> Value {
    let mut original = strategies();
    let summary = original["summary"].take();
    json!({
        "schema_version": "profiling-project/v1", "project": "74_profiling", "stage": "upstream_report_merge",
        "sources": {"73": "/mnt/course/results/73.json", "76": "/mnt/course/results/76.json", "75": "/mnt/course/results/75.json"},
        "upstream": {
            // A shorter sequence than that of 76.
            "73_training_baseline": {"step_time_ms": 310.0, "samples_per_s": 3.226, "loss": 11.2, "peak_mem_mb": 29460.0, "peak_reserved_mb": 30100.0},
            "76_strategy_summary": summary, "76_decision": original["decision"].take(),
            "75_budget_summary": summary,
            "75_decision": {"decision": "tune", "reason": "memory_saving_below_meaningful_threshold"}},
        "profiling": {"status": "not_collected", "tool": null, "top_operators": [], "evidence": []},
        "decision": {"decision": "tune", "reason": "upstream_reports_merged_but_profiling_evidence_missing",
                     "next_action": "collect_profile_and_rerun_same_workload"},
    })
}

fn profile() -> Value {
    let row = |name: &str, step: f64, inner: f64, peak: f64| {
        json!({"name": name, "status": "ok", "step_time_ms": step, "samples_per_s": (1e6 / step).round() / 1e3, "loss": 11.2,
               "peak_memory_mb": peak, "peak_reserved_mb": 30400.0, "trace_dir": format!("benchmarks/results/74/{name}"),
               "top_operators": format!("Name  Self CPU %  Self CPU  CPU total %  CPU total  CPU time avg  Self CUDA  Self CUDA %  CUDA total  CUDA time avg  # of Calls\n ProfilerStep*  5.00%  150.000ms  60.00%  2.000s  {inner}ms  0.000us  0.00%  7.000s  1.750s  4\n")})
    };
    json!({
        "task": "task3_training_memory_optimization", "stage": "real_profiler_trace",
        "config": {"model_id": "Qwen/Qwen2.5-1.5B-Instruct", "batch_size": 1, "seq_len": 512, "dtype": "float32",
                   "strategies": ["baseline", "checkpoint"], "warmup": 3, "iters": 8},
        "source_76": "benchmarks/results/76_real_gpu_memory.json", "trace_root": "benchmarks/results/74",
        "candidates": [row("baseline", 560.0, 410.0, 29800.5), row("checkpoint", 680.0, 500.0, 29470.0)],
        "profile": {"tool": "torch.profiler", "activities": ["CPU", "CUDA"], "status": "collected"},
    })
}

fn adapter() -> Value {
    let side = |name: &str, losses: [f64; 4], val: f64, params: u64, peak: f64, step: f64| {
        json!({"name": name, "status": "ok", "train_losses": losses, "train_loss": losses[3], "val_loss": val,
               "trainable_params": params, "peak_memory_mb": peak, "step_time_ms": step, "tokens_per_s": 500.0})
    };
    let full = side("baseline", [1.5, 5.5, 4.0, 3.5], 4.4, 1_543_714_304, 14900.0, 240.0);
    json!({
        "schema_version": "fine-tuning-project/v1", "project": "60_lora", "stage": "project_decision",
        "config": {"model": "Qwen/Qwen2.5-1.5B-Instruct", "model_path": "/mnt/models/qwen", "dtype": "torch.bfloat16", "batch_size": 1,
                   "seq_len": 256, "steps": 4, "seed": 9},
        "baseline": full, "candidates": [full, side("lora", [1.5, 2.1, 1.7, 1.6], 1.9, 1_089_536, 5100.0, 90.0)],
        "quality": {"train_loss": 1.6, "val_loss": 1.9, "baseline_val_loss": 4.4},
        "artifacts": {"adapter": "/mnt/course/60/adapter", "report": "/mnt/course/60/report.json"},
        "decision": {"decision": "tune", "reason": "one run of each", "next_action": "repeat_with_fixed_validation_and_task_metric"},
        "environment": {"torch": "2.10.0+cu128", "device": "NVIDIA GeForce RTX 5090"},
    })
}

#[test]
fn our_own_reports_of_the_other_shapes_get_the_same_verdicts() {
    let cases = [
        ("73 rewritten", normalised_pair(), &NORMALISED_PAIR),
        ("75 rewritten", normalised_nothing(), &NORMALISED_NOTHING),
        ("74 merge", merge(), &MERGE),
        ("74 profile", profile(), &PROFILE),
        ("60", adapter(), &ADAPTER),
    ];
    for (name, report, verdict) in cases {
        hold(name, &grade(&read(&report), &[]), verdict);
    }
}
