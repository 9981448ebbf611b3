//! What is read, what is refused, and what is said about it.

mod support;

use evidence::{EvidenceClass, EvidenceLevel, Lang, MAX_BYTES, Outcome, ReadError, Shape, Why, read};
use serde_json::{Value, json};
use support::course::{budget, dry_run, pair, probe, strategies};
use support::own::kernel;
use support::training::{change, fine_tuning, mechanism, merge, profile, record};
use support::{grade, remove, set};

fn changed(mut report: Value, change: fn(&mut Value)) -> Value {
    change(&mut report);
    report
}

#[test]
fn shapes_are_told_by_schema_stage_and_keys() {
    let cases: Vec<(Value, Shape)> = vec![
        (kernel(), Shape::V1),
        (pair(), Shape::Lab73Paired),
        (probe(), Shape::Lab73Probe),
        (strategies(), Shape::Lab76),
        (budget(), Shape::Lab75),
        (dry_run(), Shape::DryRun),
        // Without a stage the keys tell.
        (changed(pair(), |r| remove(r, "/stage")), Shape::Lab73Paired),
        (changed(probe(), |r| remove(r, "/stage")), Shape::Lab73Probe),
        (changed(strategies(), |r| remove(r, "/stage")), Shape::Lab76),
        (changed(budget(), |r| remove(r, "/stage")), Shape::Lab75),
        // A dry run of any shape is one.
        (changed(strategies(), |r| set(r, "/run_mode", json!("dry_run"))), Shape::DryRun),
        (changed(pair(), |r| set(r, "/dry_run", json!(true))), Shape::DryRun),
        (json!({"project": "41", "decision": "ready_to_measure", "config": {"iters": 3}}), Shape::DryRun),
        // The word alone makes no dry run of measured numbers.
        (changed(strategies(), |r| set(r, "/decision", json!("ready_to_measure"))), Shape::Lab76),
        // Others of the course are known by name.
        (json!({"schema_version": "training-memory-benchmark/v1", "project": "76"}), Shape::TrainingMemoryV1),
        (json!({"schema_version": "profiling-project/v1"}), Shape::Lab74Merge),
        (json!({"stage": "real_profiler_trace", "candidates": []}), Shape::Lab74Profile),
        // Their keys tell as well as their names.
        (changed(merge(), |r| remove(r, "/schema_version")), Shape::Lab74Merge),
        (changed(change(), |r| remove(r, "/schema_version")), Shape::Lab74Merge),
        (changed(profile(), |r| remove(r, "/stage")), Shape::Lab74Profile),
        (changed(fine_tuning(), |r| remove(r, "/schema_version")), Shape::FineTuning),
        (mechanism(), Shape::TrainingMechanism),
        (record(), Shape::ProjectEvidence),
        (json!({"schema_version": "inference-benchmark/v1"}), Shape::InferenceBenchmark),
        (json!({"base_url": "http://127.0.0.1:8000", "metrics": {"ttft_ms": {"p50": 30.0}}}), Shape::Lab66Raw),
        (json!({"schema_version": "fine-tuning-project/v1", "project": "60_x"}), Shape::FineTuning),
        (json!({"schema_version": "quantization-mechanism-gpu/v2"}), Shape::Quantization),
        (json!({"schema_version": "distributed-benchmark/v1"}), Shape::Distributed),
        (json!({"project": "27", "metrics": {"step_time_ms_per_rank": [1.0]}}), Shape::Distributed),
        (json!({"schema_version": "architecture-evaluation/v1"}), Shape::Architecture),
        (json!({"schema_version": "project-evidence/v1"}), Shape::ProjectEvidence),
    ];
    for (report, shape) in cases {
        let doc = read(report.to_string().as_bytes()).unwrap_or_else(|error| panic!("{shape:?}: {error}"));
        assert_eq!(doc.shape, shape, "{report}");
        assert_eq!(Shape::from_id(shape.id()), Some(shape));
        if !shape.is_graded() {
            let why = if shape == Shape::DryRun { Why::DryRun } else { Why::ShapeNotGraded };
            let grade = grade(&report, &[]);
            assert_eq!(grade.outcome, Outcome::NotEvidence { why }, "{report}");
            assert_eq!(grade.points.earned, 0, "{report}");
            assert_eq!(grade.class, EvidenceClass::Unproven, "{report}");
        }
    }
}

#[test]
fn a_refused_file_names_place_expectation_finding_and_next_step() {
    let whole = strategies().to_string();
    let cases: Vec<(Vec<u8>, &str, &str)> = vec![
        (vec![b' '; MAX_BYTES + 1], "TooLarge", ""),
        (b"".to_vec(), "Empty", ""),
        (b" \n\t".to_vec(), "Empty", ""),
        (vec![b'{', 0xff, 0xfe, b'}'], "Encoding", ""),
        (b"[1, 2]".to_vec(), "Field", ""),
        (b"\"tune\"".to_vec(), "Field", ""),
        (b"null".to_vec(), "Field", ""),
        (b"{}".to_vec(), "UnknownShape", ""),
        (whole.as_bytes()[..whole.len() / 2].to_vec(), "Truncated", ""),
        (b"{\"quality_floor\": {\"max_val_loss\": Infinity}}".to_vec(), "NonFinite", "/quality_floor/max_val_loss"),
        (b"{\"candidates\": [{\"loss\": NaN}]}".to_vec(), "NonFinite", "/candidates/0/loss"),
        (b"{\"stage\": 'x'}".to_vec(), "Syntax", "/stage"),
        (
            changed(strategies(), |r| set(r, "/candidates", json!({"baseline": 1}))).to_string().into_bytes(),
            "Field",
            "/candidates",
        ),
        (
            changed(strategies(), |r| set(r, "/candidates/1", json!("checkpoint"))).to_string().into_bytes(),
            "Field",
            "/candidates/1",
        ),
        (
            changed(strategies(), |r| set(r, "/candidates/1/runs", json!(3))).to_string().into_bytes(),
            "Field",
            "/candidates/1/runs",
        ),
        (changed(strategies(), |r| set(r, "/config", json!("fp32"))).to_string().into_bytes(), "Field", "/config"),
        (changed(pair(), |r| set(r, "/baseline", json!(7))).to_string().into_bytes(), "Field", "/baseline"),
        (changed(pair(), |r| set(r, "/summary", json!([]))).to_string().into_bytes(), "Field", "/summary"),
        (changed(budget(), |r| set(r, "/sensitivity", json!("all"))).to_string().into_bytes(), "Field", "/sensitivity"),
        (
            changed(budget(), |r| set(r, "/planning_context", json!(12))).to_string().into_bytes(),
            "Field",
            "/planning_context",
        ),
        (
            changed(strategies(), |r| set(r, "/candidates/0/stability", json!(3))).to_string().into_bytes(),
            "Field",
            "/candidates/0/stability",
        ),
        (changed(kernel(), |r| set(r, "/speed", json!(1))).to_string().into_bytes(), "Schema", "/speed"),
        (
            changed(kernel(), |r| set(r, "/candidates/1/metrics/time_s", json!(1))).to_string().into_bytes(),
            "Schema",
            "/candidates/1/metrics/time_s",
        ),
        (
            changed(kernel(), |r| set(r, "/candidates/0/metrics/bytes_moved", json!(1.5))).to_string().into_bytes(),
            "Schema",
            "/candidates/0/metrics/bytes_moved",
        ),
        (
            changed(kernel(), |r| set(r, "/workload/kernel/dtype", json!(4))).to_string().into_bytes(),
            "Schema",
            "/workload/kernel/dtype",
        ),
        (changed(kernel(), |r| set(r, "/level", json!("excellent"))).to_string().into_bytes(), "Schema", "/level"),
    ];
    for (bytes, kind, pointer) in cases {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        let error = read(&bytes).err().unwrap_or_else(|| panic!("{text} was read"));
        assert!(format!("{error:?}").starts_with(kind), "{text}: {error:?}");
        if kind != "Truncated" {
            assert_eq!(error.pointer(), pointer, "{text}: {error:?}");
        }
        for lang in Lang::ALL {
            assert!(!error.message(lang).starts_with([':', '：']), "{error:?}");
            assert!(!error.message(lang).is_empty() && !error.fix().get(lang).is_empty());
            assert!(!error.expected().get(lang).is_empty() && !error.found().get(lang).is_empty(), "{error:?}");
        }
    }
}

#[test]
fn truncated_text_is_told_with_line_and_column() {
    let error = read(b"{\n  \"stage\": \"measurement_baseline\",\n  \"baseline\": {\"loss\": 3.").err();
    let Some(ReadError::Truncated { pointer, line, column }) = error else { panic!("{error:?}") };
    assert_eq!((pointer.as_str(), line), ("/baseline/loss", 3));
    assert!(column > 20);
}

#[test]
fn a_byte_order_mark_and_an_older_report_without_optional_parts_are_read() {
    let text = format!("\u{feff}{}", strategies());
    assert_eq!(read(text.as_bytes()).expect("a report").shape, Shape::Lab76);
    let older = changed(strategies(), |r| {
        for key in
            ["environment_preflight", "experiment", "standard_metrics", "repeat_summary", "task", "evidence_level"]
        {
            remove(r, &format!("/{key}"));
        }
        for index in 0..3 {
            for key in ["runs", "stability", "successful_runs", "oom_runs"] {
                remove(r, &format!("/candidates/{index}/{key}"));
            }
        }
    });
    let grade = grade(&older, &[]);
    assert_eq!(grade.decision.recomputed.as_deref(), Some("accept"));
    let found = support::failures(&grade);
    assert_eq!(found, [("runs_recorded".to_owned(), "/candidates/0/runs".to_owned())]);
}

#[test]
fn mib_of_the_course_become_exact_bytes() {
    let doc = support::read(&pair());
    let baseline = doc.report.baseline().expect("a baseline");
    assert_eq!(baseline.metrics.peak_allocated_bytes, Some(12_751_208_448)); // 12,160.5 × 1,048,576
    assert_eq!(baseline.runs.len(), 3);
    assert_eq!(doc.sha256.len(), 64);
}

#[test]
fn the_class_comes_from_the_device_and_needs_a_measurement() {
    let named = |name: &'static str| {
        let mut report = strategies();
        set(&mut report, "/config/device", json!(name));
        remove(&mut report, "/experiment");
        report
    };
    let cases = [
        (named("NVIDIA GeForce RTX 5070 Ti Laptop GPU"), EvidenceClass::Gpu),
        (named("NVIDIA H200"), EvidenceClass::Gpu),
        (named("AMD Radeon RX 7900 XTX"), EvidenceClass::Gpu),
        (named("cpu"), EvidenceClass::Cpu),
        (named("CPU (machine owns an NVIDIA RTX 4090)"), EvidenceClass::Cpu),
        (named("llvmpipe (LLVM 15.0.6, 256 bits)"), EvidenceClass::Cpu),
        (named("Google SwiftShader"), EvidenceClass::Cpu),
        (named("NVIDIA H100 (test double)"), EvidenceClass::Cpu),
        (named("cuda:0"), EvidenceClass::Unproven),
        (named("gpu"), EvidenceClass::Unproven),
        (named("no GPU"), EvidenceClass::Unproven),
        (named("NVIDIA driver not available"), EvidenceClass::Unproven),
        // Another place names the card.
        (changed(strategies(), |r| set(r, "/config/device", json!("cuda"))), EvidenceClass::Gpu),
        (named("research machine"), EvidenceClass::Unproven),
        (named(""), EvidenceClass::Unproven),
    ];
    for (report, class) in cases {
        assert_eq!(support::read(&report).report.evidence_class(), class, "{}", report["config"]["device"]);
    }
    let mut idle = named("NVIDIA H200");
    set(&mut idle, "/candidates", json!([{"name": "baseline", "status": "ok"}]));
    assert_eq!(support::read(&idle).report.evidence_class(), EvidenceClass::Unproven);
}

#[test]
fn device_facts_of_a_driver_decide_the_class() {
    use evidence::{Backend, DeviceFacts, DeviceKind};
    let cases = [
        (Backend::Cpu, DeviceKind::DiscreteGpu, "NVIDIA H200", EvidenceClass::Cpu),
        (Backend::CudaTestDouble, DeviceKind::DiscreteGpu, "NVIDIA H200", EvidenceClass::Cpu),
        (Backend::Wgpu, DeviceKind::Cpu, "llvmpipe", EvidenceClass::Cpu),
        (Backend::Wgpu, DeviceKind::DiscreteGpu, "SwiftShader Device", EvidenceClass::Cpu),
        (Backend::Wgpu, DeviceKind::DiscreteGpu, "NVIDIA GeForce RTX 4080", EvidenceClass::Gpu),
        (Backend::Wgpu, DeviceKind::IntegratedGpu, "Apple M3", EvidenceClass::Gpu),
        (Backend::Wgpu, DeviceKind::Other, "something", EvidenceClass::Unproven),
        (Backend::Wgpu, DeviceKind::VirtualGpu, "virtio", EvidenceClass::Unproven),
        (Backend::Cuda, DeviceKind::DiscreteGpu, "NVIDIA H200", EvidenceClass::Gpu),
        (Backend::Cuda, DeviceKind::DiscreteGpu, "", EvidenceClass::Unproven),
    ];
    for (backend, kind, name, class) in cases {
        let uuid = Some("GPU-5a1f0000-0000-0000-0000-000000000001".to_owned());
        let driver = Some("NVIDIA 550.54.14".to_owned());
        let facts = DeviceFacts { backend, kind, uuid, driver, ..DeviceFacts::reported(name) };
        assert_eq!(facts.evidence_class(), class, "{backend:?} {kind:?} {name}");
    }
}

#[test]
fn levels_are_a_closed_list_that_the_device_caps() {
    let cases = [
        ("fixed_workload_strategy_smoke", "NVIDIA H200", EvidenceLevel::GpuSmoke),
        ("gpu_benchmark", "NVIDIA H200", EvidenceLevel::GpuBenchmark),
        ("unheard_of", "NVIDIA H200", EvidenceLevel::GpuSmoke),
        ("gpu_benchmark", "cpu", EvidenceLevel::CpuSimulation),
        ("cpu_theoretical_estimate", "cpu", EvidenceLevel::Theoretical),
        ("gpu_benchmark", "some machine", EvidenceLevel::Preflight),
    ];
    for (word, device, level) in cases {
        let mut report = strategies();
        set(&mut report, "/evidence_level", json!(word));
        set(&mut report, "/config/device", json!(device));
        remove(&mut report, "/experiment");
        assert_eq!(support::read(&report).report.level, level, "{word} on {device}");
    }
    // Our own schema is held to the same.
    let claimed = changed(kernel(), |r| set(r, "/level", json!("gpu_benchmark")));
    let grade = grade(&claimed, &[]);
    assert_eq!((grade.class, grade.level), (EvidenceClass::Cpu, EvidenceLevel::CpuSimulation));
    assert_eq!(support::failures(&grade), [("level_matches_device".to_owned(), "/level".to_owned())]);
}

#[test]
fn the_published_schema_is_strict_and_knows_our_fields() {
    let schema = evidence::report_v1_schema();
    assert_eq!(schema["title"], "vramlab-report/v1");
    assert_eq!(schema["additionalProperties"], json!(false));
    let properties = schema["properties"].as_object().expect("properties");
    for key in kernel().as_object().expect("an object").keys() {
        assert!(properties.contains_key(key), "{key}");
    }
    let report = evidence::Report::from_value(&kernel()).expect("a report");
    let again = serde_json::to_value(&report).expect("JSON");
    assert_eq!(evidence::Report::from_value(&again).expect("a report"), report);
}

#[test]
fn a_document_of_very_many_values_is_refused_where_it_goes_too_far() {
    let document = |count: usize| format!("{{\"pad\": [{}0]}}", "0,".repeat(count));
    assert_eq!(read(document(1_000).as_bytes()).expect("read").shape, Shape::Unrecognised);
    let many = document(200_000);
    assert!(many.len() < MAX_BYTES);
    match read(many.as_bytes()) {
        Err(ReadError::TooMany { pointer, limit, .. }) => {
            assert!(pointer.starts_with("/pad/"), "{pointer}");
            assert_eq!(limit, 100_000);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_preflight_belongs_to_the_lab_whose_stage_it_names() {
    let cases = [
        ("measurement_baseline", "73"),
        ("bf16_capacity_probe", "73"),
        ("activation_checkpoint_offload_benchmark", "76"),
        ("memory_budget_decision", "75"),
    ];
    for (stage, lab) in cases {
        let doc = support::read(&json!({"stage": stage, "environment_preflight": {"status": "blocked"}}));
        assert_eq!((doc.shape, doc.lab()), (Shape::DryRun, lab), "{stage}");
    }
}

#[test]
fn a_file_of_no_known_shape_is_kept_and_told_what_it_lacks() {
    let report = json!({
        "stage": "my_own_stage",
        "config": {"model_id": "Qwen/Qwen2.5-0.5B-Instruct"},
        "candidate": {"step_time_ms": 290.0},
        "decision": "keep",
    });
    let doc = read(report.to_string().as_bytes()).expect("kept");
    assert_eq!(doc.shape, Shape::Unrecognised);
    let grade = evidence::grade(&doc, &evidence::Rubric::empty(), &evidence::GradeContext::default());
    assert_eq!(grade.outcome, evidence::Outcome::NotEvidence { why: Why::NotRecognised });
    assert_eq!(grade.class, evidence::EvidenceClass::Unproven);
    let check = grade.checks.iter().find(|check| check.id == "shape_recognised").expect("the check");
    assert!(check.failed() && check.message.en.contains("lab73_probe"), "{}", check.message.en);
    assert_eq!(check.expected.en, "/candidate/peak_mem_mb");
    assert_eq!(check.found.en, "candidate, config, decision, stage");
}
