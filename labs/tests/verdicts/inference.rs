//! Points of the labs about inference and several devices: a supported accept, tune or reject earns everything, a
//! simulation and a ledger earn the CPU-provable part.

use evidence::{EvidenceClass, GradeContext, Provenance};
use serde_json::{Value, json};

use super::points::support::{course, parallel, serving};
use super::read;

fn graded(report: &Value, linked: &[Value]) -> evidence::Grade {
    let linked: Vec<evidence::Document> = linked.iter().map(read).collect();
    let linked: Vec<&evidence::Document> = linked.iter().collect();
    labs::grade(&read(report), &GradeContext { provenance: Provenance::Upload, linked: &linked })
}

fn changed(mut report: Value, change: impl Fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

/// Earned and possible, CPU then GPU.
fn points(report: &Value, linked: &[Value]) -> [u32; 4] {
    let points = graded(report, linked).points;
    [points.cpu.earned, points.cpu.possible, points.gpu.earned, points.gpu.possible]
}

fn full(report: &Value, linked: &[Value]) -> bool {
    let [cpu, all_cpu, gpu, all_gpu] = points(report, linked);
    cpu == all_cpu && gpu == all_gpu && all_gpu > 0
}

fn concluding(report: Value, word: &str, reason: &str, next: &str) -> Value {
    changed(report, |r| r["decision"] = json!({"decision": word, "reason": reason, "next_action": next}))
}

#[test]
fn a_supported_accept_tune_or_reject_of_66_earns_full_marks() {
    let beside = [serving::load_baseline()];
    let tune = concluding(
        changed(serving::load(), |r| r["metrics"]["ttft_ms"] = json!({"mean": 60.0, "p50": 58.0, "p99": 90.0})),
        "tune",
        "ttft_regression_exceeds_budget",
        "tune_the_bottleneck_and_measure_again",
    );
    // The means stay as they were together with their TPOT.
    let tune = changed(tune, |r| r["metrics"]["tpot_ms"]["mean"] = json!((610.0 - 60.0) / 63.0));
    let reject = concluding(
        changed(serving::load(), |r| {
            r["metrics"]["output_token_throughput_per_s"] = json!(320.0);
            r["metrics"]["request_throughput_per_s"] = json!(5.0);
            r["metrics"]["duration_s"] = json!(24.0);
        }),
        "reject",
        "no_gain_worth_its_ttft",
        "keep_baseline",
    );
    for (name, report) in [("accept", serving::load()), ("tune", tune.clone()), ("reject", reject)] {
        assert!(full(&report, &beside), "{name}: {:?}", graded(&report, &beside).items);
    }
    // An accept that the numbers do not carry loses the conclusion in both parts.
    let wrong = changed(tune, |r| r["decision"]["decision"] = json!("accept"));
    let [cpu, all_cpu, gpu, all_gpu] = points(&wrong, &beside);
    assert_eq!((all_cpu - cpu, all_gpu - gpu), (4, 2));
    // Alone it is not compared; without a device it is no GPU's.
    assert!(!full(&serving::load(), &[]));
    let anonymous = changed(serving::load(), |r| r["experiment_contract"]["hardware"] = Value::Null);
    let found = graded(&anonymous, &beside);
    assert_eq!((found.class, found.points.gpu.earned, found.points.cpu.earned), (EvidenceClass::Unproven, 0, 7));
}

#[test]
fn full_marks_can_be_had_in_every_lab_that_measures() {
    let on_card = |mut report: Value| {
        for (key, value) in [
            ("device", json!("NVIDIA GeForce RTX 4090")),
            ("backend", json!("vllm")),
            ("backend_version", json!("0.11.0")),
            ("dtype", json!("bfloat16")),
            ("model_revision", json!("8faed761")),
            // A server's two runs are alike only where both say what they were asked.
            ("generated_tokens", json!(64)),
        ] {
            report["config"][key] = value;
        }
        report["evidence_level"] = json!("serving_backend");
        report
    };
    // As a server would write it: nothing of the simulator's own.
    let speculative = changed(on_card(serving::speculative()), |r| {
        r["candidate"].as_object_mut().expect("an object").remove("round_trace");
        for side in ["baseline", "candidate"] {
            r[side]["peak_memory_mb"] = json!(9000.0);
        }
    });
    let scheduler = changed(on_card(serving::scheduler()), |r| {
        r["config"].as_object_mut().expect("an object").remove("batch_speedup");
        for side in ["baseline", "candidate"] {
            r[side]["peak_memory_mb"] = json!(9000.0);
        }
    });
    let tuned = concluding(
        changed(speculative.clone(), |r| r["candidate"]["verify_cost_ms"] = json!(12.0)),
        "tune",
        "verify_cost_too_high",
        "refine_draft_or_verify",
    );
    let cases = [
        ("67", serving::quantised()),
        ("68", speculative),
        ("68 tune", tuned),
        ("69", serving::prefix()),
        ("70", scheduler),
        ("70 sweep", serving::load_sweep()),
        ("79", parallel::states()),
        ("25", serving::layer()),
        ("40", serving::artifacts()),
        ("27", parallel::zero("zero2", 8.0, 1000.0)),
    ];
    for (name, report) in cases {
        assert!(full(&report, &[]), "{name}: {:#?}", graded(&report, &[]).items);
    }
}

#[test]
fn a_simulation_earns_the_cpu_part_and_no_more() {
    for (name, report) in [
        ("68", serving::speculative()),
        ("70", serving::scheduler()),
        ("67", serving::quantised_summary()),
        ("80", parallel::experts()),
        ("81", parallel::replicas()),
        ("71", parallel::cache_table()),
        ("22", serving::pool()),
    ] {
        let found = graded(&report, &[]);
        let [cpu, all_cpu, gpu, _] = points(&report, &[]);
        assert_eq!((cpu, gpu), (all_cpu, 0), "{name}: {:#?}", found.items);
        assert!(matches!(found.class, EvidenceClass::Cpu | EvidenceClass::Theory), "{name}");
    }
    let audit = graded(&parallel::audit_of_table(), &[parallel::cache_table()]);
    assert_eq!(audit.points.cpu.earned, audit.points.cpu.possible, "{:#?}", audit.items);
}

#[test]
fn training_and_inference_stay_apart() {
    let pair = course::pair();
    let beside = graded(&serving::load(), std::slice::from_ref(&pair));
    assert_eq!(beside.decision.recomputed, None);
    let trained = graded(&pair, &[serving::load_baseline(), serving::load()]);
    assert_eq!(trained.points, graded(&pair, &[]).points);
}
