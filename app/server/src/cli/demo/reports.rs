//! Reports of the demo class: the shapes of labs 73 and 76 with numbers of our own.

use serde_json::{Map, Value, json};

/// Three runs of one candidate; memory in MiB as the labs write it.
#[derive(Clone, Copy)]
struct Measured {
    name: &'static str,
    step_ms: [f64; 3],
    peak: f64,
    reserved: f64,
    loss: [f64; 3],
    eval_loss: [f64; 3],
}

/// What all candidates of a report share.
#[derive(Clone, Copy)]
struct Setting {
    device: &'static str,
    batch: u32,
    seq: u32,
    torch: &'static str,
}

const LAPTOP: Setting =
    Setting { device: "NVIDIA GeForce RTX 4070 Laptop GPU", batch: 1, seq: 512, torch: "2.9.1+cu128" };
const DESKTOP: Setting = Setting { device: "NVIDIA GeForce RTX 4090", batch: 4, seq: 1024, torch: "2.9.1+cu128" };
const PROCESSOR: Setting = Setting { device: "cpu", batch: 1, seq: 128, torch: "2.9.1+cpu" };

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

fn mean(values: [f64; 3]) -> f64 {
    round(values.iter().sum::<f64>() / 3.0, 3)
}

fn range(values: [f64; 3]) -> f64 {
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    round(high - low, 3)
}

impl Measured {
    fn rates(&self, setting: Setting) -> [f64; 3] {
        self.step_ms.map(|step| round(f64::from(setting.batch) * 1000.0 / step, 3))
    }

    fn rate(&self, setting: Setting) -> f64 {
        mean(self.rates(setting))
    }

    /// `peak_key`: lab 73 writes `peak_mem_mb`, lab 76 `peak_memory_mb`.
    fn json(&self, setting: Setting, peak_key: &str) -> Value {
        let rates = self.rates(setting);
        let row = |step: f64, rate: f64, loss: f64, eval: f64| {
            let mut row = Map::new();
            let values = [("step_time_ms", step), ("samples_per_s", rate), ("loss", loss), ("eval_loss", eval)];
            row.extend(values.map(|(key, value)| (key.to_owned(), json!(value))));
            row.insert(peak_key.to_owned(), json!(self.peak));
            row.insert("peak_reserved_mb".to_owned(), json!(self.reserved));
            row
        };
        let runs: Vec<Value> =
            (0..3).map(|i| row(self.step_ms[i], rates[i], self.loss[i], self.eval_loss[i]).into()).collect();
        let mut whole = row(mean(self.step_ms), self.rate(setting), mean(self.loss), mean(self.eval_loss));
        whole.insert("runs".to_owned(), runs.into());
        whole.into()
    }

    fn candidate(&self, setting: Setting) -> Value {
        let mut whole = self.json(setting, "peak_memory_mb");
        whole["name"] = self.name.into();
        whole["status"] = "ok".into();
        whole["successful_runs"] = 3.into();
        whole["oom_runs"] = 0.into();
        whole["stability"] = json!({
            "step_time_range_ms": range(self.step_ms),
            "throughput_range_samples_per_s": range(self.rates(setting)),
            "peak_memory_range_mb": 0.0, "successful_runs": 3, "oom_runs": 0,
        });
        if let Some(runs) = whole["runs"].as_array_mut() {
            for run in runs {
                run["name"] = self.name.into();
                run["status"] = "ok".into();
            }
        }
        whole
    }
}

fn config(setting: Setting) -> Value {
    json!({
        "model_id": "Qwen/Qwen2.5-0.5B-Instruct", "workload": "long", "batch_size": setting.batch,
        "seq_len": setting.seq, "dtype": "float32", "optimizer": "AdamW", "warmup": 3, "iters": 8, "seed": 11,
        "repeats": 3, "torch": setting.torch, "torch_cuda": if setting.device == "cpu" { Value::Null } else { "12.8".into() },
        "device": setting.device, "matmul_precision": "ieee",
    })
}

/// 73: FP32 against BF16 autocast.
fn pair(setting: Setting, baseline: Measured, tuned: Measured, decision: &str, reason: &str) -> Value {
    let (time, memory) = (mean(baseline.step_ms) - mean(tuned.step_ms), round(baseline.peak - tuned.peak, 2));
    let rate = tuned.rate(setting) - baseline.rate(setting);
    let gpu = setting.device != "cpu";
    let mut config = config(setting);
    for (key, value) in [
        ("mode", json!("paired")),
        ("amp_dtype", json!("torch.bfloat16")),
        ("param_dtype", json!("float32")),
        ("compute_dtype", json!("bfloat16")),
        ("native_bf16", json!(gpu)),
    ] {
        config[key] = value;
    }
    json!({
        "task": "task3_training_memory_optimization",
        "environment_preflight": {
            "status": "ok", "ready": true, "runtime": {"cuda_available": gpu}, "native_bf16_supported": gpu,
            "reasons": [], "next_actions": [],
        },
        "stage": "measurement_baseline",
        "config": config,
        "baseline": baseline.json(setting, "peak_mem_mb"),
        "tuned": tuned.json(setting, "peak_mem_mb"),
        "summary": {
            "step_time_delta_ms": round(time, 2), "peak_mem_delta_mb": memory, "throughput_delta": round(rate, 2),
            "time_improved": time > 0.0, "memory_improved": memory > 0.0, "throughput_improved": rate > 0.0,
            "time_improvement_pct": round(time / mean(baseline.step_ms) * 100.0, 2),
            "memory_improvement_pct": round(memory / baseline.peak * 100.0, 2),
            "meaningful_memory_improved": memory >= 512.0,
        },
        "loss_delta_tuned_minus_baseline": round(mean(tuned.loss) - mean(baseline.loss), 6),
        "evidence_level": "fixed_workload_performance_smoke",
        "decision": {"decision": decision, "reason": reason},
    })
}

/// 76: a baseline, checkpointing and an offload that is too slow. `cap` in MiB.
fn strategies(setting: Setting, all: [Measured; 3], cap: f64, decision: Value) -> Value {
    let [baseline, best, slow] = all;
    let floor = round(slow.rate(setting) * 1.2, 2);
    let saving = round(baseline.peak - best.peak, 2);
    let mut config = config(setting);
    config["mode"] = "fp32".into();
    config["strategies"] = json!([baseline.name, best.name, slow.name]);
    json!({
        "task": "task3_training_memory_optimization",
        "environment_preflight": {"status": "ok", "ready": true, "runtime": {"cuda_available": true}},
        "stage": "activation_checkpoint_offload_benchmark",
        "source_baseline": "benchmarks/results/73_training.json",
        "baseline_validation": {"status": "matched", "config": {
            "model_id": config["model_id"], "batch_size": setting.batch, "seq_len": setting.seq,
            "dtype": "float32", "optimizer": "AdamW", "workload": "long", "warmup": 3, "iters": 8,
        }},
        "evidence_level": "fixed_workload_strategy_smoke",
        "config": config,
        "candidates": all.map(|measured| measured.candidate(setting)),
        "budget": {"memory_cap_mb": cap, "min_samples_per_s": floor, "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7},
        "quality_floor": {"max_val_loss": round(mean(baseline.eval_loss) * 1.02, 5)},
        "summary": {
            "candidate_count": 3, "measured_count": 3, "oom_count": 0, "invalid_count": 0, "feasible_count": 2,
            "quality_failed_count": 0, "best_candidate": best.name, "feasible_names": [best.name, baseline.name],
            "baseline_available": true, "baseline_peak_memory_mb": baseline.peak, "best_peak_memory_mb": best.peak,
            "memory_saving_mb": saving, "throughput_ratio": best.rate(setting) / baseline.rate(setting),
            "min_memory_saving_mb": 512.0, "min_throughput_ratio": 0.7,
            "evaluations": [
                {"name": baseline.name, "status": "feasible", "reasons": []},
                {"name": best.name, "status": "feasible", "reasons": []},
                {"name": slow.name, "status": "rejected", "reasons": ["throughput_below_floor"]},
            ],
        },
        "decision": decision,
    })
}

const LAPTOP_BASELINE: Measured = Measured {
    name: "baseline",
    step_ms: [244.1, 245.6, 243.7],
    peak: 9712.4,
    reserved: 10338.0,
    loss: [2.9412, 2.9403, 2.9421],
    eval_loss: [2.884, 2.885, 2.883],
};

/// 73 on a laptop: faster, but AdamW's states leave nothing to save.
pub fn laptop_pair() -> Value {
    let tuned = Measured {
        name: "tuned",
        step_ms: [171.9, 172.8, 171.2],
        peak: 9640.8,
        reserved: 10196.0,
        loss: [2.9431, 2.9420, 2.9444],
        eval_loss: [2.886, 2.887, 2.885],
    };
    pair(LAPTOP, LAPTOP_BASELINE, tuned, "tune", "gain_below_thresholds")
}

/// 76 on the same laptop: the saving cannot reach the threshold, and the report says so.
pub fn laptop_strategies() -> Value {
    let checkpoint = Measured {
        name: "checkpoint",
        step_ms: [283.0, 284.4, 282.3],
        peak: 9451.6,
        reserved: 10012.0,
        loss: [2.9413, 2.9404, 2.9420],
        eval_loss: [2.888, 2.889, 2.887],
    };
    let offload = Measured {
        name: "offload",
        step_ms: [913.5, 918.2, 910.9],
        peak: 9449.3,
        reserved: 10008.0,
        loss: [2.9411, 2.9405, 2.9422],
        eval_loss: [2.890, 2.891, 2.889],
    };
    let decision = json!({"decision": "tune", "reason": "memory_saving_below_meaningful_threshold",
                          "next_action": "test_pressure_or_offload_scope"});
    strategies(LAPTOP, [LAPTOP_BASELINE, checkpoint, offload], 10000.0, decision)
}

/// 76 on a desktop card with a longer batch: checkpointing earns its place.
pub fn desktop_strategies() -> Value {
    let baseline = Measured {
        name: "baseline",
        step_ms: [702.4, 704.9, 701.1],
        peak: 17486.2,
        reserved: 18320.0,
        loss: [2.8127, 2.8119, 2.8133],
        eval_loss: [2.771, 2.772, 2.770],
    };
    let checkpoint = Measured {
        name: "checkpoint",
        step_ms: [866.0, 868.3, 864.8],
        peak: 14210.7,
        reserved: 15036.0,
        loss: [2.8126, 2.8121, 2.8134],
        eval_loss: [2.774, 2.775, 2.773],
    };
    let offload = Measured {
        name: "offload",
        step_ms: [2941.2, 2950.6, 2933.8],
        peak: 14105.9,
        reserved: 14912.0,
        loss: [2.8128, 2.8120, 2.8132],
        eval_loss: [2.776, 2.777, 2.775],
    };
    let decision = json!({"decision": "accept", "reason": "strategy_is_best_feasible_option",
                          "next_action": "promote_to_training_run"});
    strategies(DESKTOP, [baseline, checkpoint, offload], 20000.0, decision)
}

/// 73 on a processor: CPU evidence, whatever else the machine has. Autocast gains nothing there.
pub fn processor_pair() -> Value {
    let baseline = Measured {
        name: "baseline",
        step_ms: [5210.0, 5246.0, 5193.0],
        peak: 9488.1,
        reserved: 9488.1,
        loss: [3.1044, 3.1031, 3.1052],
        eval_loss: [3.052, 3.053, 3.051],
    };
    let tuned = Measured {
        name: "tuned",
        step_ms: [5873.0, 5912.0, 5851.0],
        peak: 9530.4,
        reserved: 9530.4,
        loss: [3.1061, 3.1049, 3.1070],
        eval_loss: [3.054, 3.055, 3.053],
    };
    pair(PROCESSOR, baseline, tuned, "reject", "no_gain_in_time_or_memory")
}

/// A preflight that measured nothing: no evidence, and the page says why.
pub fn dry_run() -> Value {
    json!({
        "task": "task3_training_memory_optimization",
        "stage": "environment_preflight",
        "run_mode": "dry_run",
        "evidence_level": "environment_preflight",
        "config": config(LAPTOP),
        "environment_preflight": {"status": "ok", "ready": true, "runtime": {"cuda_available": true}},
        "decision": {"decision": "ready_to_measure", "reason": "environment_is_ready"},
    })
}

#[cfg(test)]
mod tests {
    use evidence::{Document, EvidenceClass, GradeContext, Outcome, Provenance};

    use super::*;

    fn read(report: &Value) -> Document {
        evidence::read(report.to_string().as_bytes()).expect("a report of a known shape")
    }

    #[test]
    fn each_report_is_graded_as_it_says() {
        use EvidenceClass::{Cpu, Gpu};
        let linked = read(&laptop_pair());
        for (name, report, class) in [
            ("laptop 73", laptop_pair(), Gpu),
            ("laptop 76", laptop_strategies(), Gpu),
            ("desktop 76", desktop_strategies(), Gpu),
            ("processor 73", processor_pair(), Cpu),
        ] {
            let document = read(&report);
            assert_eq!(document.report.evidence_class(), class, "{name}");
            let context = GradeContext { provenance: Provenance::Upload, linked: &[&linked] };
            let grade = labs::grade(&document, &context);
            assert!(matches!(grade.outcome, Outcome::Graded), "{name}");
            let failed: Vec<_> =
                grade.checks.iter().filter(|check| check.failed()).map(|c| (&c.id, &c.pointer)).collect();
            println!("{name}: {:?} {failed:?} {:?}", grade.points, grade.decision);
            assert_eq!(grade.decision.said, grade.decision.recomputed, "{name}");
            assert!(grade.points.cpu.earned > 0, "{name}");
            assert_eq!(grade.points.gpu.earned > 0, class == Gpu, "{name}");
        }
    }

    #[test]
    fn the_dry_run_is_no_evidence() {
        assert!(read(&dry_run()).is_dry_run());
    }
}
