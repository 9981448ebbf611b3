//! Normalised copies, the files of 74, project 60 and a mechanism page without a fault.

use serde_json::{Value, json};

use super::course;
use super::{Measured, baseline, checkpoint, offload};

/// A candidate as the normaliser rewrites it, beside its baseline.
fn rewritten(measured: &Measured, base: &Measured) -> Value {
    let flat = measured.flat();
    json!({
        "name": measured.name, "status": "ok",
        "metrics": {"step_time_ms": flat["step_time_ms"], "samples_per_s": flat["samples_per_s"], "peak_memory_mb": measured.peak,
                    "peak_reserved_mb": measured.reserved, "memory_saving_mb": base.peak - measured.peak,
                    "throughput_ratio": measured.rate() / base.rate(), "oom": false},
        "quality": {"loss": flat["loss"], "eval_loss": flat["eval_loss"], "val_loss": flat["eval_loss"], "quality_status": null},
        "legacy_fields": flat,
    })
}

/// What a normalised copy keeps of a report of 73, 75 or 76.
fn normalised(project: &str, original: &Value, measured: &[Measured]) -> Value {
    let c = course::config();
    let mut report = json!({
        "schema_version": "training-memory-benchmark/v1", "project": project, "stage": original["stage"],
        "config": {"model": c["model_id"], "device": c["device"], "torch": c["torch"], "cuda": c["torch_cuda"], "dtype": "torch.float32",
                   "batch_size": c["batch_size"], "seq_len": c["seq_len"], "warmup": c["warmup"], "iters": c["iters"],
                   "workload": c["workload"], "optimizer": "AdamW", "matmul_precision": "ieee"},
        "budget": {}, "quality_floor": {},
        "candidates": measured.iter().map(|m| rewritten(m, &measured[0])).collect::<Vec<_>>(),
        "summary": original["summary"], "decision": original["decision"],
        "legacy_source": "benchmarks/results/original.json",
    });
    for key in ["budget", "quality_floor", "source_baseline"] {
        if let Some(block) = original.get(key) {
            report[key] = block.clone();
        }
    }
    report
}

/// 73, rewritten.
pub fn normalised_pair() -> Value {
    let tuned = Measured { name: "tuned", steps: [600.0, 603.0, 597.0], ..checkpoint() };
    normalised("73", &course::pair(), &[baseline(), tuned])
}

/// 76, rewritten.
pub fn normalised_strategies() -> Value {
    normalised("76", &course::strategies(), &[baseline(), checkpoint(), offload()])
}

/// 75, rewritten.
pub fn normalised_budget() -> Value {
    normalised("75", &course::budget(), &[baseline(), checkpoint(), offload()])
}

/// A table of operators whose average step is this long.
pub fn operators(step_ms: f64) -> String {
    format!(
        "Name  Self CPU %  Self CPU  CPU total %  CPU total  CPU time avg  Self CUDA  Self CUDA %  CUDA total  CUDA time avg  # of Calls\n\
         ProfilerStep*  4.00%  120.000ms  60.00%  4.000s  {step_ms}ms  0.000us  0.00%  6.000s  1.500s  4\n\
         aten::mm  1.00%  30.000ms  9.00%  300.000ms  200.000us  2.000s  50.00%  2.000s  1.000ms  1740\n"
    )
}

/// 74: a profile of [`course::strategies`], marked as such.
pub fn profile() -> Value {
    let row = |m: Measured, step: f64| {
        json!({"name": m.name, "status": "ok", "step_time_ms": step, "samples_per_s": super::round(2000.0 / step, 3),
               "loss": 3.512, "peak_memory_mb": m.peak, "peak_reserved_mb": m.reserved,
               "trace_dir": format!("benchmarks/results/74/{}", m.name), "top_operators": operators(step - 20.0)})
    };
    let mut config = course::config();
    config["strategies"] = json!(["baseline", "checkpoint"]);
    json!({
        "task": "task3_training_memory_optimization", "stage": "real_profiler_trace", "config": config, "profiled": true,
        "source_76": "benchmarks/results/76_real_gpu_memory.json", "trace_root": "benchmarks/results/74",
        "candidates": [row(baseline(), 850.0), row(checkpoint(), 1060.0)],
        "profile": {"tool": "torch.profiler", "activities": ["CPU", "CUDA"], "status": "collected"},
    })
}

/// 74: the merge of [`course::pair`], [`course::strategies`] and [`course::budget`], with both traces.
pub fn merge() -> Value {
    let (pair, strategies, budget) = (course::pair(), course::strategies(), course::budget());
    let mut first = pair["baseline"].clone();
    first.as_object_mut().expect("an object").remove("runs");
    json!({
        "schema_version": "profiling-project/v1", "project": "74_profiling", "stage": "upstream_report_merge",
        "sources": {"73": "benchmarks/results/73.json", "76": "benchmarks/results/76.json", "75": "benchmarks/results/75.json"},
        "upstream": {
            "73_training_baseline": first,
            "76_strategy_summary": strategies["summary"], "76_decision": strategies["decision"],
            "75_budget_summary": budget["summary"], "75_decision": budget["decision"]},
        "profiling": {"status": "collected", "tool": "torch.profiler", "trace_dir": "benchmarks/results/74",
                      "evidence": ["operator tables"], "expected_strategies": ["baseline", "checkpoint"], "missing_strategies": [],
                      "trace_files_by_strategy": {"baseline": ["benchmarks/results/74/baseline/a.json"],
                                                  "checkpoint": ["benchmarks/results/74/checkpoint/a.json"]}},
        "roofline": {"status": "not_collected", "evidence_level": "no_hardware_counter_evidence"},
        "decision": {"decision": "tune", "reason": "profiler_trace_collected_but_requires_bottleneck_interpretation",
                     "next_action": "interpret_trace_and_validate_one_change"},
        "experiment": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "batch_size": 2, "seq_len": 1536, "dtype": "float32",
                       "optimizer": "AdamW", "device": "NVIDIA GeForce RTX 4080", "torch": "2.9.1+cu128"},
    })
}

/// 74: one change before and after, at a rate at which 5 samples/s can be gained.
pub fn change() -> Value {
    let run = |step: f64| json!({"step_time_ms": step, "samples_per_s": super::round(2000.0 / step, 3), "peak_memory_mb": 4000.0});
    let side = |steps: [f64; 3]| {
        let mean = steps.iter().sum::<f64>() / 3.0;
        let mut side = run(mean);
        side["status"] = json!("ok");
        side["peak_reserved_mb"] = json!(4400.0);
        side["runs"] = json!(steps.map(run));
        side
    };
    json!({
        "schema_version": "profiling-optimization/v1", "project": "74", "config": course::config(),
        "candidates": {"baseline": side([60.0, 60.1, 59.9]), "tuned": side([45.0, 45.1, 44.9])},
        "profile": {"status": "collected", "tool": "torch.profiler"}, "bottleneck": "launch", "validation": {"repeats": 3},
        "decision": {"decision": "accept", "reason": "time_and_throughput_gain_reach_thresholds", "next_action": "promote_to_training_run"},
    })
}

/// 60: an adapter and a baseline whose losses depend on the seed.
pub fn fine_tuning_of(seed: u64) -> Value {
    let losses = |start: f64, end: f64| -> Vec<f64> {
        (0..8_u32).map(|i| start + (end - start) * f64::from(i) / 7.0 + seed as f64 * 1e-3 * f64::from(i)).collect()
    };
    let side = |name: &str, losses: Vec<f64>, val: f64, params: u64, peak: f64, step: f64| {
        json!({"name": name, "status": "ok", "train_loss": losses[7], "train_losses": losses, "val_loss": val,
               "trainable_params": params, "peak_memory_mb": peak, "step_time_ms": step, "tokens_per_s": 700.0})
    };
    let full = side("baseline", losses(2.4, 1.9), 2.05, 494_032_768, 4790.0, 106.0);
    let lora = side("lora", losses(2.4, 2.0), 2.01, 540_672, 1742.0, 42.0);
    json!({
        "schema_version": "fine-tuning-project/v1", "project": "60_lora_fine_tuning", "stage": "project_decision",
        "config": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "dtype": "torch.bfloat16", "batch_size": 1, "seq_len": 256, "steps": 8,
                   "optimizer": "AdamW", "seed": seed, "learning_rate": {"baseline": 1e-5, "lora": 2e-4}},
        "baseline": full, "candidates": [lora],
        "artifacts": {"adapter": format!("benchmarks/results/60/{seed}/adapter"), "report": format!("benchmarks/results/60/{seed}.json")},
        "decision": {"decision": "tune", "reason": "one run of each", "next_action": "repeat_with_fixed_validation_and_task_metric"},
        "environment": {"torch": "2.9.1+cu128", "device": "NVIDIA GeForce RTX 4080"},
    })
}

pub fn fine_tuning() -> Value {
    fine_tuning_of(1)
}

/// The runs of two other seeds.
pub fn other_seeds() -> Vec<Value> {
    vec![fine_tuning_of(2), fine_tuning_of(3)]
}

/// 19: a block with and without checkpointing, both from the same start.
pub fn mechanism() -> Value {
    json!({
        "schema_version": 1, "experiment": "activation_checkpointing", "created_at_utc": "2026-01-05T10:00:00Z",
        "environment": {"torch": "2.9.1+cu128", "device": "NVIDIA GeForce RTX 4080"},
        "config": {"dtype": "float16", "batch_size": 2, "seq_len": 1024, "dim": 1024, "layers": 12},
        "paths": {"baseline": {"step_ms": 30.0, "peak_allocated_mb": 1800.0, "peak_reserved_mb": 2000.0, "allocated_before_mb": 400.0},
                  "candidate": {"step_ms": 38.0, "peak_allocated_mb": 700.0, "peak_reserved_mb": 900.0, "allocated_before_mb": 400.0}},
        "correctness": {"output_max_abs_diff": 0.0, "input_grad_max_abs_diff": 0.0002},
    })
}

/// The umbrella's record of one run.
pub fn record() -> Value {
    json!({
        "schema_version": "project-evidence/v1", "record_type": "run_result", "project": "76_memory", "status": "ok",
        "strategy": "baseline", "evidence_level": "gpu_smoke", "config": course::config(),
        "metrics": {"step_time_ms": 800.0, "samples_per_s": 2.5, "peak_memory_mb": 12160.5, "peak_reserved_mb": 12720.0},
        "quality": {"loss": 3.51, "eval_loss": 3.403}, "decision": "pending",
    })
}

/// A training lab in the own schema: the same candidates as [`course::strategies`].
pub fn own(lab: &str) -> Value {
    let candidate = |m: Measured| {
        let rates = m.rates();
        let bytes = |mib: f64| (mib * 1_048_576.0).round() as u64;
        let metrics = |step: f64, rate: f64| {
            json!({"step_time_ms": step, "samples_per_s": rate, "peak_allocated_bytes": bytes(m.peak),
                   "peak_reserved_bytes": bytes(m.reserved)})
        };
        let runs: Vec<Value> = (0..3).map(|i| metrics(m.steps[i], rates[i])).collect();
        json!({"name": m.name, "status": "ok", "metrics": metrics(m.steps.iter().sum::<f64>() / 3.0, m.rate()),
               "quality": {"eval_loss": m.eval()}, "runs": runs})
    };
    json!({
        "schema": "vramlab-report/v1", "lab": lab, "level": "gpu_smoke",
        "workload": {"training": {"model": "Qwen2.5-0.5B-Instruct", "batch": 2, "seq": 1536, "param_dtype": "fp32",
                                  "compute_dtype": "fp32", "matmul_precision": "ieee", "optimizer": "AdamW", "warmup": 2, "iters": 5}},
        "device": {"backend": "reported", "name": "NVIDIA GeForce RTX 4080"},
        "candidates": [candidate(baseline()), candidate(checkpoint()), candidate(offload())],
        "budget": {"memory_cap_bytes": 13_631_488_000_u64, "min_samples_per_s": 1.0, "min_memory_saving_bytes": 536_870_912_u64,
                   "min_throughput_ratio": 0.7, "max_eval_loss": 3.47106},
        "decision": {"decision": "accept", "reason": "strategy_is_best_feasible_option", "next_action": "promote_to_training_run"},
    })
}
