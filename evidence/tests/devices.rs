//! What ran, and whether it ran at all: signs of a processor, of a dry run and of a projection.

mod support;

use evidence::{EvidenceClass, Outcome, Part, Why};
use serde_json::{Value, json};
use support::{course, failures, grade, parallel, read, serving, set};

fn with(mut report: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        if report.pointer(parent).is_none() {
            set(&mut report, parent, json!({}));
        }
        set(&mut report, pointer, value.clone());
    }
    report
}

fn class(report: &Value) -> EvidenceClass {
    grade(report, &[]).class
}

#[test]
fn a_sign_of_the_processor_outweighs_the_name_of_a_card() {
    let signs = [
        ("/config/torch", json!("2.5.1+cpu")),
        ("/environment", json!({"torch": "2.5.1+cpu"})),
        ("/environment", json!({"cuda_available": false})),
        ("/config/use_cuda", json!(false)),
        ("/config/accelerator", json!("cpu")),
        ("/experiment", json!({"device_type": "cpu"})),
        ("/environment_preflight/runtime", json!({"device": {"type": "cpu"}})),
        ("/baseline/device", json!("cpu")),
        ("/tuned/device", json!({"type": "cpu"})),
        ("/config/device", json!({"type": "cpu"})),
        ("/config/device", json!(["NVIDIA L4", "cpu"])),
    ];
    assert_eq!(class(&course::pair()), EvidenceClass::Gpu);
    for sign in signs {
        let report = with(course::pair(), std::slice::from_ref(&sign));
        assert_eq!(class(&report), EvidenceClass::Cpu, "{sign:?}");
    }
    let listed = with(course::strategies(), &[("/candidates/1/device", json!("cpu"))]);
    assert_eq!(class(&listed), EvidenceClass::Cpu);
    // Where the accelerator is another, CUDA is rightly missing.
    let apple = [
        ("/config/device", json!("Apple M3 Max")),
        ("/config/accelerator", json!("mps")),
        ("/config/use_cuda", json!(false)),
    ];
    assert_eq!(class(&with(course::pair(), &apple)), EvidenceClass::Gpu);
}

#[test]
fn gloo_needs_a_gpu_named_for_each_rank() {
    let gloo = with(parallel::zero("zero2", 8.0, 1000.0), &[("/backend", json!("gloo"))]);
    assert_eq!(class(&gloo), EvidenceClass::Cpu);
    let named = with(gloo.clone(), &[("/hardware", json!(["NVIDIA L4", "NVIDIA L4"]))]);
    assert_eq!(class(&named), EvidenceClass::Gpu);
    let nccl = with(gloo, &[("/backend", json!("nccl"))]);
    assert_eq!(class(&nccl), EvidenceClass::Gpu);
}

#[test]
fn a_card_may_be_described_listed_or_named_by_the_preflight() {
    for device in [json!({"name": "NVIDIA L4", "type": "cuda"}), json!(["NVIDIA L4", "NVIDIA L4"])] {
        let found = grade(&with(course::strategies(), &[("/config/device", device.clone())]), &[]);
        assert_eq!(found.class, EvidenceClass::Gpu, "{device}");
        assert!(!failures(&found).iter().any(|(_, pointer)| pointer == "/config/device"), "{device}");
    }
    for key in ["device", "device_name", "cuda_device_name", "gpu", "gpu_name", "name"] {
        let runtime = json!({key: "NVIDIA L4", "cuda_available": true});
        let changes = [("/config/device", json!("cuda")), ("/environment_preflight/runtime", runtime)];
        assert_eq!(class(&with(course::strategies(), &changes)), EvidenceClass::Gpu, "{key}");
    }
    let unnamed = with(course::strategies(), &[("/config/device", json!({"memory_gb": 24}))]);
    assert!(failures(&grade(&unnamed, &[])).contains(&("field_type".to_owned(), "/config/device".to_owned())));
}

#[test]
fn a_file_that_says_it_did_not_run_is_no_evidence() {
    let mut says: Vec<(String, Value)> = Vec::new();
    for word in ["dry run", "Dry-Run ", "preflight", "simulated", "simulation", "mock"] {
        says.extend(["/run_mode", "/config/run_mode"].map(|at| (at.to_owned(), json!(word))));
    }
    for key in ["dry_run", "is_dry_run", "dryRun", "simulated", "mock"] {
        for value in [json!(true), json!(1), json!("yes")] {
            says.extend(["", "/config"].map(|home| (format!("{home}/{key}"), value.clone())));
        }
    }
    says.push(("/status".to_owned(), json!("dry_run")));
    for (pointer, value) in says {
        let report = with(course::pair(), &[(pointer.as_str(), value.clone())]);
        let outcome = grade(&report, &[]).outcome;
        assert_eq!(outcome, Outcome::NotEvidence { why: Why::DryRun }, "{pointer} {value}");
    }
    for (pointer, value) in [("/dry_run", json!(false)), ("/run_mode", json!("real")), ("/status", json!("ok"))] {
        assert_eq!(grade(&with(course::pair(), &[(pointer, value)]), &[]).outcome, Outcome::Graded, "{pointer}");
    }
    // The simulators of the inference labs are evidence of their own kind.
    let simulated = with(serving::speculative(), &[("/run_mode", json!("simulated")), ("/simulated", json!(true))]);
    assert_eq!(grade(&simulated, &[]).outcome, Outcome::Graded);
}

#[test]
fn a_projection_is_no_measurement_wherever_it_says_so() {
    for report in [course::pair(), course::probe(), course::budget(), course::strategies()] {
        for word in ["projected", "Projected", "projection", "estimated", "theoretical"] {
            for pointer in ["/evidence_mode", "/config/evidence_mode", "/planning_context/evidence_mode"] {
                let found = grade(&with(report.clone(), &[(pointer, json!(word))]), &[]);
                assert_eq!(found.outcome, Outcome::NotEvidence { why: Why::Projection }, "{pointer} {word}");
                assert_eq!(found.class, EvidenceClass::Theory);
            }
        }
        let measured = with(report, &[("/evidence_mode", json!("Measured"))]);
        assert_eq!(grade(&measured, &[]).outcome, Outcome::Graded);
    }
}

#[test]
fn a_level_below_a_gpu_earns_no_gpu_points() {
    let gpu_items = |report: &Value| -> Vec<Option<evidence::Blocked>> {
        let mut rubric = support::rubric("training_pair");
        rubric.items.iter_mut().for_each(|item| item.part = Part::Gpu);
        let context = evidence::GradeContext { provenance: evidence::Provenance::Upload, linked: &[] };
        let items = evidence::grade(&read(report), &rubric, &context).items;
        items.into_iter().map(|item| item.blocked).collect()
    };
    let pair = course::pair();
    assert!(!gpu_items(&pair).is_empty());
    assert!(!gpu_items(&pair).contains(&Some(evidence::Blocked::NeedsGpu)));
    for word in ["cpu_simulation", "cpu_theoretical_estimate", "theoretical", "preflight", "environment_preflight"] {
        let capped = gpu_items(&with(pair.clone(), &[("/evidence_level", json!(word))]));
        assert!(capped.iter().all(|blocked| *blocked == Some(evidence::Blocked::NeedsGpu)), "{word}");
    }
}
