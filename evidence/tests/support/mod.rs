//! Reports written for the tests: shapes of the public course with numbers of our own. Each builder gives a report on
//! which every check is silent; a test breaks one thing in it.
#![allow(dead_code)]

pub mod course;
pub mod own;
pub mod parallel;
pub mod serving;
pub mod training;

use serde_json::{Value, json};

/// Rounds as the course's scripts do.
pub fn round(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

fn mean(values: &[f64]) -> f64 {
    round(values.iter().sum::<f64>() / values.len() as f64, 3)
}

fn range(values: &[f64]) -> f64 {
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    round(high - low, 3)
}

pub const BATCH: f64 = 2.0;

/// Three runs of one candidate.
pub struct Measured {
    pub name: &'static str,
    pub steps: [f64; 3],
    pub peak: f64,
    pub reserved: f64,
    pub losses: [f64; 3],
    pub evals: [f64; 3],
}

impl Measured {
    pub fn rates(&self) -> [f64; 3] {
        self.steps.map(|step| round(BATCH * 1000.0 / step, 3))
    }

    pub fn rate(&self) -> f64 {
        mean(&self.rates())
    }

    pub fn eval(&self) -> f64 {
        mean(&self.evals)
    }

    /// As labs 75 and 76 write it.
    pub fn flat(&self) -> Value {
        let rates = self.rates();
        let runs: Vec<Value> = (0..3)
            .map(|i| {
                json!({"name": self.name, "status": "ok", "step_time_ms": self.steps[i], "samples_per_s": rates[i],
                       "loss": self.losses[i], "eval_loss": self.evals[i], "peak_memory_mb": self.peak,
                       "peak_reserved_mb": self.reserved})
            })
            .collect();
        json!({"name": self.name, "status": "ok", "step_time_ms": mean(&self.steps), "samples_per_s": self.rate(),
               "loss": mean(&self.losses), "eval_loss": self.eval(), "peak_memory_mb": self.peak,
               "peak_reserved_mb": self.reserved, "runs": runs, "successful_runs": 3, "oom_runs": 0,
               "stability": {"step_time_range_ms": range(&self.steps),
                             "throughput_range_samples_per_s": range(&rates), "peak_memory_range_mb": 0.0,
                             "successful_runs": 3, "oom_runs": 0}})
    }

    /// As lab 73 writes it.
    pub fn side(&self) -> Value {
        let rates = self.rates();
        let runs: Vec<Value> = (0..3)
            .map(|i| {
                json!({"step_time_ms": self.steps[i], "samples_per_s": rates[i], "loss": self.losses[i],
                       "eval_loss": self.evals[i], "peak_mem_mb": self.peak, "peak_reserved_mb": self.reserved})
            })
            .collect();
        json!({"step_time_ms": mean(&self.steps), "samples_per_s": self.rate(), "loss": mean(&self.losses),
               "eval_loss": self.eval(), "peak_mem_mb": self.peak, "peak_reserved_mb": self.reserved, "runs": runs})
    }
}

pub fn baseline() -> Measured {
    Measured {
        name: "baseline",
        steps: [800.0, 806.5, 793.5],
        peak: 12160.5,
        reserved: 12720.0,
        losses: [3.5123, 3.5107, 3.5141],
        evals: [3.402, 3.404, 3.403],
    }
}

pub fn checkpoint() -> Measured {
    Measured {
        name: "checkpoint",
        steps: [1000.0, 1003.0, 997.0],
        peak: 11040.25,
        reserved: 11600.0,
        losses: [3.5124, 3.5109, 3.5143],
        evals: [3.41, 3.412, 3.411],
    }
}

pub fn offload() -> Measured {
    Measured {
        name: "offload",
        steps: [3200.0, 3210.0, 3190.0],
        peak: 10950.75,
        reserved: 11480.0,
        losses: [3.5125, 3.5108, 3.5142],
        evals: [3.421, 3.423, 3.422],
    }
}

/// A report of every shape that is written here.
pub fn reports() -> Vec<Value> {
    vec![
        course::pair(),
        course::probe(),
        course::strategies(),
        course::budget(),
        course::dry_run(),
        own::kernel(),
        training::normalised_pair(),
        training::normalised_strategies(),
        training::normalised_budget(),
        training::profile(),
        training::merge(),
        training::change(),
        training::fine_tuning(),
        training::mechanism(),
        training::record(),
        serving::load(),
        serving::load_baseline(),
        serving::normalised(),
        serving::speculative(),
        serving::prefix(),
        serving::prefix_simulated(),
        serving::scheduler(),
        serving::load_sweep(),
        serving::quantised(),
        serving::quantised_summary(),
        serving::layer(),
        serving::artifacts(),
        serving::pool(),
        parallel::states(),
        parallel::zero("zero2", 8.0, 1000.0),
        parallel::division(),
        parallel::experts(),
        parallel::dispatch(),
        parallel::replicas(),
        parallel::cache_table(),
        parallel::counts(),
        parallel::audit(&"0".repeat(64)),
    ]
}

/// Sets a value at a pointer whose parent is there.
pub fn set(report: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match report.pointer_mut(parent).expect(pointer) {
        Value::Object(map) => {
            map.insert(key.to_owned(), value);
        }
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{pointer}: {other} holds nothing"),
    }
}

/// Removes a key.
pub fn remove(report: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    report.pointer_mut(parent).and_then(Value::as_object_mut).expect(pointer).remove(key);
}

pub fn read(report: &Value) -> evidence::Document {
    evidence::read(report.to_string().as_bytes()).expect("a report of a known shape")
}

/// A rubric with a rule and no items but one, for tests that look at checks alone.
pub fn rubric(rule: &str) -> evidence::Rubric {
    serde_json::from_value(json!({
        "rule": rule,
        "gpu_provenance": ["runner", "upload"],
        "thresholds": {"min_memory_saving_bytes": 536_870_912_u64, "min_throughput_ratio": 0.7, "min_step_time_saving_ms": 10.0},
        "items": [{"id": "any", "points": 1, "part": "cpu", "title": {"zh": "任意", "en": "any"}, "checks": ["metric_not_a_number"]}],
    }))
    .expect("a rubric")
}

/// The rule that a shape is decided by.
pub fn rubric_of(doc: &evidence::Document) -> evidence::Rubric {
    if let evidence::Workload::Kernel(kernel) = &doc.report.workload
        && kernel.operation != "rmsnorm"
    {
        let thresholds = evidence::Budget::default();
        return evidence::Rubric { thresholds, ..rubric("kernel_memory") };
    }
    use evidence::Shape::{FineTuning, Lab73Paired, Lab73Probe, Lab74Merge, Lab74Profile, TrainingMechanism};
    let mut rubric = rubric(match (&doc.shape, &doc.report.workload) {
        (Lab73Paired | Lab73Probe, _) => "training_pair",
        (Lab74Merge | Lab74Profile, _) => "profiling",
        (FineTuning, _) => "fine_tuning",
        (TrainingMechanism, _) => "none",
        (evidence::Shape::TrainingMemoryV1, _) if doc.lab() == "73" => "training_pair",
        (_, evidence::Workload::Kernel(_)) => "kernel_pair",
        (_, evidence::Workload::Inference(_) | evidence::Workload::Distributed(_)) => rule_of(doc.lab()),
        _ => "memory_strategy",
    });
    if doc.lab() == "27" {
        rubric.items[0].needs.push("numbers_compared".to_owned());
    }
    rubric
}

/// The rule of a lab about inference or several devices.
fn rule_of(lab: &str) -> &'static str {
    match lab {
        "66" => "serving_load",
        "67" => "quantised",
        "25" | "40" | "41" => "quantised_layer",
        "68" => "speculative",
        "69" => "prefix_cache",
        "70" => "scheduler",
        "71" => "cache_ledger",
        "61" => "model_audit",
        "79" => "state_parallel",
        "80" => "expert_parallel",
        "81" => "replicas",
        _ => "none",
    }
}

/// Grades a report beside others.
pub fn grade(report: &Value, linked: &[Value]) -> evidence::Grade {
    let doc = read(report);
    let linked: Vec<evidence::Document> = linked.iter().map(read).collect();
    let linked: Vec<&evidence::Document> = linked.iter().collect();
    let ctx = evidence::GradeContext { provenance: evidence::Provenance::Upload, linked: &linked };
    evidence::grade(&doc, &rubric_of(&doc), &ctx)
}

/// Ids and pointers of the failed checks.
pub fn failures(grade: &evidence::Grade) -> Vec<(String, String)> {
    grade.checks.iter().filter(|check| check.failed()).map(|check| (check.id.clone(), check.pointer.clone())).collect()
}
