//! The labs `memory-bandwidth` and `kv-quant`, and what is common to all: on the CPU device and on whatever Vulkan adapter
//! this machine has.

use evidence::{Event, EvidenceClass, Report, Status};
use gpu_runner::backend::cpu::Cpu;
use gpu_runner::backend::wgpu::Wgpu;
use labs::run::{Device, Params, RunError, Silent, Value, run};

fn params(pairs: &[(&str, u64)]) -> Params {
    let few = [("samples", 6), ("seconds", 1)];
    pairs.iter().chain(&few).map(|(name, value)| ((*name).to_owned(), Value::Integer(*value))).collect()
}

fn cpu() -> Cpu {
    Cpu::with(1 << 30, 0)
}

fn wgpu() -> Wgpu {
    Wgpu::open().expect("a Vulkan adapter; cargo xtask test installs Mesa's where it may")
}

fn report(lab: &str, pairs: &[(&str, u64)], device: &mut dyn Device) -> Report {
    run(lab, &params(pairs), device, &mut Silent).unwrap_or_else(|error| panic!("{lab} {pairs:?}: {error}"))
}

fn all_right(report: &Report, of: &str) {
    for candidate in &report.candidates {
        assert_eq!(candidate.status, Status::Ok, "{of}: {} {:?}", candidate.name, candidate.error);
        assert!(candidate.metrics.spread.is_some() && candidate.metrics.timer.is_some(), "{of}: {}", candidate.name);
    }
}

const CACHES: [&[(&str, u64)]; 4] = [
    &[("tokens", 1), ("heads", 1), ("head_dim", 8)],
    &[("tokens", 129), ("heads", 3), ("head_dim", 24)],
    &[("tokens", 7), ("heads", 5), ("head_dim", 264), ("outliers", 0)],
    &[("tokens", 300), ("heads", 2), ("head_dim", 64), ("factor", 1000)],
];

#[test]
fn on_the_processor_every_byte_is_the_predicted_one() {
    for elements in [1, 2, 3, 5, 255, 4097] {
        let report = report("memory-bandwidth", &[("elements", elements)], &mut cpu());
        all_right(&report, &format!("{elements}"));
        assert_eq!(report.candidates.len(), 7);
        for line in &report.ledger {
            assert_eq!(line.measured_bytes, Some(line.bytes), "{} of {elements}", line.part);
        }
        let moved = |name: &str| report.candidate(name).and_then(|it| it.metrics.bytes_moved).expect(name);
        assert_eq!(moved("baseline"), 8 * elements);
        assert_eq!(moved("fp32_to_bf16"), 4 * (elements + elements.div_ceil(2)));
        assert_eq!(moved("copy_fp8"), 8 * elements.div_ceil(4));
    }
    for shape in CACHES {
        let report = report("kv-quant", shape, &mut cpu());
        all_right(&report, &format!("{shape:?}"));
        assert_eq!(report.candidates.len(), 10);
        for line in &report.ledger {
            assert_eq!(line.measured_bytes, Some(line.bytes), "{} of {shape:?}", line.part);
        }
        let (t, h, d) = (shape[0].1, shape[1].1, shape[2].1);
        let stored = |name: &str| {
            let metrics = &report.candidate(name).expect(name).metrics;
            (metrics.quantised.as_ref().and_then(|it| it.state_bytes), metrics.peak_allocated_bytes)
        };
        let beside = 4 * (2 * t * h + 2 * h * d);
        for (name, bytes) in [
            ("baseline", 4 * t * h * d),
            ("int8_tensor", 2 * (t * h * d + 4)),
            ("fp8_token", 2 * (t * h * d + 4 * t)),
            ("int4_head", 2 * (t * h * d / 2 + 4 * h)),
        ] {
            assert_eq!(stored(name), (Some(bytes), Some(bytes + beside)), "{name} of {shape:?}");
        }
    }
}

#[test]
fn fewer_bits_lose_more_and_outliers_hurt_the_coarse_scale_most() {
    let lost = |report: &Report, name: &str| {
        report.candidate(name).and_then(|it| it.metrics.quantised.as_ref()?.error).expect(name)
    };
    let shape = [("tokens", 256), ("heads", 8), ("head_dim", 64), ("outliers", 1), ("factor", 50)];
    let report = report("kv-quant", &shape, &mut cpu());
    assert!(lost(&report, "baseline") < 0.005);
    for per in ["tensor", "token", "head"] {
        assert!(lost(&report, &format!("int8_{per}")) < lost(&report, &format!("int4_{per}")), "{per}");
    }
    assert!(lost(&report, "int8_head") < lost(&report, "int8_tensor"), "one head has the outlier, seven have not");
}

#[test]
fn on_an_adapter_the_same_numbers_come_out() {
    let class = wgpu().facts().evidence_class();
    for elements in [1, 7, 4097] {
        all_right(&report("memory-bandwidth", &[("elements", elements)], &mut wgpu()), &format!("{elements}"));
    }
    for shape in CACHES {
        let mut device = wgpu();
        let report = report("kv-quant", shape, &mut device);
        all_right(&report, &format!("{shape:?}"));
        assert_eq!(report.evidence_class(), class);
        assert_eq!(device.memory().allocated_bytes, 0, "everything is freed");
        assert!(report.candidates.iter().all(|it| it.metrics.bytes_moved.is_none()), "nothing here counts bytes");
    }
}

fn graded(report: &Report) -> evidence::Grade {
    let lab = labs::lab(&report.lab).expect("in the catalogue");
    let bytes = serde_json::to_vec(report).expect("JSON");
    let provenance = evidence::Provenance::Runner { runner: "r".into() };
    let context = evidence::GradeContext { provenance, ..Default::default() };
    evidence::grade(&evidence::read(&bytes).expect("a report"), &lab.rubric, &context)
}

#[test]
fn a_run_on_the_cpu_earns_all_that_a_cpu_can_prove_and_nothing_more() {
    for (lab, shape) in [
        ("memory-bandwidth", &[("elements", 10_001)][..]),
        ("kv-quant", &[("tokens", 65), ("heads", 2), ("head_dim", 16)]),
    ] {
        let grade = graded(&report(lab, shape, &mut cpu()));
        assert_eq!(grade.class, EvidenceClass::Cpu);
        let (cpu, gpu) = (grade.points.cpu, grade.points.gpu);
        assert!(cpu.possible > 0 && cpu.earned == cpu.possible, "{lab}: {:#?}", grade.items);
        assert!(gpu.possible > 0 && gpu.earned == 0, "{lab}: {:#?}", grade.items);
        assert_eq!(grade.decision.said, grade.decision.recomputed, "{lab}");
        assert!(grade.reconciliation.iter().all(|line| line.unexplained_bytes().unwrap_or(0) == 0), "{lab}");
    }
}

#[test]
fn an_adapter_that_counts_no_bytes_leaves_that_item_closed() {
    let grade = graded(&report("memory-bandwidth", &[("elements", 1000)], &mut wgpu()));
    for item in grade.items.iter().filter(|item| item.part == evidence::Part::Cpu) {
        assert_eq!(item.earned == item.possible, item.id != "bytes", "{item:?}");
    }
}

#[test]
fn the_timeline_names_the_objects_of_the_ledger_and_ends_empty() {
    let report = report("kv-quant", &[("tokens", 9), ("heads", 1), ("head_dim", 8)], &mut cpu());
    for candidate in &report.candidates {
        let steps = &candidate.timeline;
        assert_eq!(steps.last().map(|step| step.allocated_bytes), Some(0), "{}", candidate.name);
        for step in steps.iter().filter(|step| step.event == Event::Allocate) {
            let line = report.ledger.iter().find(|line| line.part == step.part).expect("a line of the ledger");
            assert_eq!((line.object, line.from, line.bytes), (step.object, step.phase, step.bytes), "{}", step.part);
        }
        let freed = steps.iter().find(|step| step.event == Event::Free).expect("something is freed");
        assert_eq!((freed.part.as_str(), freed.phase), ("k_source", ledger::Phase::Prefill));
    }
}

#[test]
fn the_roofline_is_measured_and_the_share_is_not_held_below_one() {
    let report = report("memory-bandwidth", &[("elements", 1000)], &mut cpu());
    let line = report.roofline.as_ref().expect("a roofline");
    assert!(line.copy_bytes_per_s > 1e7 && line.fma_flops_per_s > 1e7, "{line:?}");
    for candidate in &report.candidates {
        let metrics = &candidate.metrics;
        let (reached, spread) =
            (metrics.reached.as_ref().expect("a share"), metrics.spread.as_ref().expect("a spread"));
        let least = reached.bytes as f64 / line.copy_bytes_per_s * 1e3;
        let expected = least / spread.median_ms;
        let found = reached.fraction.expect("a fraction");
        assert!((found - expected).abs() <= expected * 1e-9, "{}: {found} {expected}", candidate.name);
    }
    // A device too small for it still runs the lab, and gives no share.
    let small = self::report("memory-bandwidth", &[("elements", 1000)], &mut Cpu::with(1 << 20, 0));
    assert!(small.roofline.is_none());
    assert!(small.candidates.iter().all(|it| it.metrics.reached.as_ref().is_some_and(|it| it.fraction.is_none())));
}

#[test]
fn every_program_runs_its_smoke_preset() {
    for lab in labs::run::programs().filter_map(labs::lab) {
        let preset = lab.presets.get("smoke").expect("a smoke preset");
        let params = preset.iter().map(|(name, value)| (name.clone(), Value::Integer(*value))).collect();
        let report = run(&lab.id, &params, &mut cpu(), &mut Silent).expect("a report");
        all_right(&report, &lab.id);
    }
}

#[test]
fn parameters_outside_their_limits_are_refused_by_name() {
    for (lab, pair, expected) in [
        ("memory-bandwidth", ("elements", 0), "integer from 1"),
        ("memory-bandwidth", ("rows", 1), "this lab knows: elements, seed, samples, seconds"),
        ("kv-quant", ("head_dim", 12), "parameter head_dim: expected a multiple of 8, found 12"),
        ("kv-quant", ("tokens", 1 << 20), "elements together"),
    ] {
        let error = run(lab, &params(&[pair]), &mut cpu(), &mut Silent).expect_err(lab);
        assert!(matches!(error, RunError::Param(_)) && error.to_string().contains(expected), "{error}");
    }
}
