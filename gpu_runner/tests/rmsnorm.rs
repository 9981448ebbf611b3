//! The lab RMSNorm on the CPU device, and on devices that misbehave on purpose.

use evidence::{Decision, EvidenceClass, Report, Status, Word};
use gpu_runner::backend::cpu::Cpu;
use labs::run::{
    Arg, Buffer, Device, DeviceError, HostArg, HostKernel, Kernel, KernelFault, Memory, Params, RunError, Silent,
    Timing, Traffic, Value, run,
};
use proptest::prelude::*;

fn params(rows: u64, hidden: u64) -> Params {
    let pairs = [("rows", rows), ("hidden", hidden), ("samples", 3)];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::Integer(value))).collect()
}

fn cpu() -> Cpu {
    Cpu::with(1 << 30, 0)
}

fn report(rows: u64, hidden: u64, device: &mut dyn Device) -> Report {
    run("rmsnorm", &params(rows, hidden), device, &mut Silent).unwrap()
}

fn moved(report: &Report, variant: &str) -> u64 {
    let prefix = format!("moved_{variant}_");
    report.ledger.iter().filter(|line| line.part.starts_with(&prefix)).map(|line| line.bytes).sum()
}

#[test]
fn bytes_are_those_of_the_formulas_on_every_kind_of_shape() {
    for (rows, hidden) in [(1, 1), (1, 17), (17, 1), (3, 15), (4, 16), (5, 33), (64, 128), (2, 4096)] {
        let mut device = cpu();
        let report = report(rows, hidden, &mut device);
        let (r, h) = (rows, hidden);
        assert_eq!(moved(&report, "unfused"), 4 * (5 * r * h + 4 * r + h), "{r} × {h}");
        assert_eq!(moved(&report, "fused"), 4 * (2 * r * h + h), "{r} × {h}");
        for line in &report.ledger {
            assert_eq!(line.measured_bytes, Some(line.bytes), "{} at {r} × {h}", line.part);
        }
        let peaks = report.candidates.iter().map(|candidate| candidate.metrics.peak_allocated_bytes);
        assert!(peaks.eq([Some(4 * (3 * r * h + h + 2 * r)), Some(4 * (2 * r * h + h))]), "{r} × {h}");
        assert!(report.candidates.iter().all(|candidate| candidate.metrics.allocated_before_bytes == Some(0)));
        assert_eq!(device.memory().allocated_bytes, 0, "everything is freed");
    }
}

#[test]
fn both_variants_are_right_and_every_sample_is_kept() {
    let report = report(32, 256, &mut cpu());
    for candidate in &report.candidates {
        assert_eq!(candidate.status, Status::Ok);
        let error = candidate.quality.max_rel_error.unwrap();
        assert!(error > 0.0 && error < 1e-6, "{error}: fp32 is neither exact nor this far off");
        let times: Vec<f64> = candidate.runs.iter().map(|run| run.time_ms.unwrap()).collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert_eq!(times.len(), 3);
        assert!((candidate.metrics.time_ms.unwrap() - mean).abs() <= mean * 1e-12);
    }
}

#[test]
fn the_decision_follows_from_the_numbers_of_the_report() {
    let report = report(64, 512, &mut cpu());
    let least = report.budget.as_ref().unwrap().min_speedup.unwrap();
    assert!(least >= 1.05);
    let time = |name: &str| report.candidate(name).unwrap().metrics.time_ms.unwrap();
    let speedup = time("baseline") / time("fused");
    let expected = match speedup {
        s if s >= least => Word::Accept,
        s if s * least <= 1.0 => Word::Reject,
        _ => Word::Tune,
    };
    assert_eq!(report.decision.as_ref().unwrap().decision, expected);
}

#[test]
fn the_cpu_backend_is_cpu_evidence_on_any_machine() {
    let report = report(2, 2, &mut cpu());
    assert_eq!(report.evidence_class(), EvidenceClass::Cpu);
    assert_eq!(Cpu::open().facts().evidence_class(), EvidenceClass::Cpu);
}

#[test]
fn the_report_is_one_that_the_reader_takes() {
    let report = report(8, 8, &mut cpu());
    let bytes = serde_json::to_vec(&report).unwrap();
    let document = evidence::read(&bytes).unwrap();
    assert_eq!(document.report.lab, "rmsnorm");
    assert!(labs::lab("rmsnorm").unwrap().takes(document.shape));
}

#[test]
fn a_run_on_the_cpu_earns_all_that_a_cpu_can_prove_and_nothing_more() {
    let lab = labs::lab("rmsnorm").unwrap();
    let bytes = serde_json::to_vec(&report(64, 256, &mut cpu())).unwrap();
    let provenance = evidence::Provenance::Runner { runner: "r".into() };
    let context = evidence::GradeContext { provenance, ..Default::default() };
    let grade = evidence::grade(&evidence::read(&bytes).unwrap(), &lab.rubric, &context);
    assert_eq!(grade.class, EvidenceClass::Cpu);
    let (cpu, gpu) = (grade.points.cpu, grade.points.gpu);
    assert!(cpu.possible > 0 && cpu.earned == cpu.possible, "{:#?}", grade.items);
    assert!(gpu.possible > 0 && gpu.earned == 0, "{:#?}", grade.items);
    assert_eq!(grade.decision.said, grade.decision.recomputed);
    assert_eq!(grade.reconciliation.len(), 13);
    assert!(grade.reconciliation.iter().all(|line| line.unexplained_bytes() == Some(0)));
}

#[test]
fn parameters_outside_their_limits_are_refused_by_name() {
    for (name, value, expected) in [
        ("rows", Value::Integer(0), "integer from 1"),
        ("hidden", Value::Integer(65_537), "65536, found 65537"),
        ("hidden", Value::Text("wide".into()), "found \"wide\""),
        ("rows", Value::Integer(1 << 20), "elements together"),
        ("dtype", Value::Text("fp64".into()), "one of fp32"),
        ("colour", Value::Integer(1), "this lab knows: rows, hidden"),
    ] {
        let params: Params = [(name.to_owned(), value)].into_iter().collect();
        let error = run("rmsnorm", &params, &mut cpu(), &mut Silent).unwrap_err();
        assert!(matches!(error, RunError::Param(_)) && error.to_string().contains(expected), "{error}");
    }
    assert!(matches!(run("nope", &params(1, 1), &mut cpu(), &mut Silent), Err(RunError::NoProgram { .. })));
}

#[test]
fn a_device_too_small_is_a_boundary_and_not_a_failure() {
    // 64 × 64: the fused variant keeps 33,024 B, the unfused one 49,920 B.
    for (capacity, edges, word) in
        [(40_000, vec!["baseline"], Word::Tune), (1_000, vec!["baseline", "fused"], Word::Reject)]
    {
        let report = report(64, 64, &mut Cpu::with(capacity, 0));
        let found: Vec<&str> = report.boundaries.iter().map(|edge| edge.candidate.as_str()).collect();
        assert_eq!(found, edges);
        assert_eq!(report.candidate("baseline").unwrap().status, Status::Oom);
        assert_eq!(report.decision.unwrap().decision, word);
        assert!(report.boundaries.iter().all(|edge| edge.requested_bytes.is_some_and(|bytes| bytes > 0)));
    }
}

/// The CPU device with one kernel replaced, or with launches that do nothing from some point on.
struct Meddling {
    inner: Cpu,
    replaced: Option<(&'static str, HostKernel)>,
    idle: Option<(&'static str, usize)>,
    launched: usize,
}

impl Meddling {
    fn replacing(kernel: &'static str, with: HostKernel) -> Self {
        Self { inner: cpu(), replaced: Some((kernel, with)), idle: None, launched: 0 }
    }

    fn idle(kernel: &'static str, after: usize) -> Self {
        Self { inner: cpu(), replaced: None, idle: Some((kernel, after)), launched: 0 }
    }
}

impl Device for Meddling {
    fn facts(&self) -> evidence::DeviceFacts {
        self.inner.facts()
    }
    fn compile(&mut self, kernels: &[Kernel]) -> Result<(), DeviceError> {
        let mut kernels = kernels.to_vec();
        if let Some((name, host)) = self.replaced {
            kernels.iter_mut().filter(|kernel| kernel.name == name).for_each(|kernel| kernel.host = host);
        }
        self.inner.compile(&kernels)
    }
    fn allocate(&mut self, label: &str, elements: usize) -> Result<Buffer, DeviceError> {
        self.inner.allocate(label, elements)
    }
    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        self.inner.free(buffer)
    }
    fn upload(&mut self, buffer: Buffer, data: &[f32]) -> Result<(), DeviceError> {
        self.inner.upload(buffer, data)
    }
    fn download(&mut self, buffer: Buffer, into: &mut [f32]) -> Result<(), DeviceError> {
        self.inner.download(buffer, into)
    }
    fn fill(&mut self, buffer: Buffer, value: f32) -> Result<(), DeviceError> {
        self.inner.fill(buffer, value)
    }
    fn launch(&mut self, kernel: &'static str, threads: u32, args: &[Arg]) -> Result<(), DeviceError> {
        if let Some((idle, after)) = self.idle
            && idle == kernel
        {
            self.launched += 1;
            if self.launched > after {
                return Ok(());
            }
        }
        self.inner.launch(kernel, threads, args)
    }
    fn synchronise(&mut self) -> Result<(), DeviceError> {
        self.inner.synchronise()
    }
    fn flush_cache(&mut self) -> Result<(), DeviceError> {
        self.inner.flush_cache()
    }
    fn start_timer(&mut self) -> Result<(), DeviceError> {
        self.inner.start_timer()
    }
    fn stop_timer(&mut self) -> Result<Timing, DeviceError> {
        self.inner.stop_timer()
    }
    fn memory(&self) -> Memory {
        self.inner.memory()
    }
    fn reset_peak(&mut self) {
        self.inner.reset_peak();
    }
    fn traffic(&self) -> Option<Traffic> {
        self.inner.traffic()
    }
}

/// RMSNorm with a flaw: `inverse` gets the row's number, its values and eps; `column` may spare columns.
fn flawed(
    args: &mut [HostArg<'_>],
    inverse: impl Fn(usize, &[f32], f32) -> f32,
    output: impl Fn(usize, f32, f32, f32) -> Option<f32>,
) -> Result<(), KernelFault> {
    let [HostArg::In(x), HostArg::In(w), HostArg::Out(y), HostArg::U32(_), HostArg::U32(hidden), HostArg::F32(eps)] =
        args
    else {
        return labs::run::arguments("those of rmsnorm_fused");
    };
    let (hidden, weight) = (*hidden as usize, w.all());
    for (index, (row, out)) in x.rows(hidden).zip(y.rows(hidden)).enumerate() {
        let inverse = inverse(index, row, *eps);
        for (column, ((value, weight), out)) in row.iter().zip(weight).zip(out).enumerate() {
            if let Some(result) = output(column, *value, inverse, *weight) {
                *out = result;
            }
        }
    }
    Ok(())
}

fn root(row: &[f32], eps: f32) -> f32 {
    1.0 / (row.iter().map(|v| v * v).sum::<f32>() / row.len() as f32 + eps).sqrt()
}

#[test]
fn a_wrong_kernel_is_caught_rejected_and_not_timed() {
    let wrong: [(&str, HostKernel); 6] = [
        ("writes nothing", |_| Ok(())),
        ("leaves out the last column", |args| {
            flawed(args, |_, row, eps| root(row, eps), |c, v, i, w| (c < 63).then_some(v * i * w))
        }),
        ("forgets the weight", |args| flawed(args, |_, row, eps| root(row, eps), |_, v, i, _| Some(v * i))),
        ("forgets eps", |args| flawed(args, |_, row, _| root(row, 0.0), |_, v, i, w| Some(v * i * w))),
        ("one row takes a constant", |args| {
            flawed(args, |r, row, eps| if r == 7 { 1.0 } else { root(row, eps) }, |_, v, i, w| Some(v * i * w))
        }),
        ("one element is off by a thousandth", |args| {
            flawed(args, |_, row, eps| root(row, eps), |c, v, i, w| Some(v * i * w * if c == 9 { 1.001 } else { 1.0 }))
        }),
    ];
    for (what, kernel) in wrong {
        let report = report(64, 64, &mut Meddling::replacing("rmsnorm_fused", kernel));
        let fused = report.candidate("fused").unwrap();
        assert_eq!(fused.status, Status::Failed, "{what}");
        assert!(fused.error.is_some() && fused.runs.is_empty() && fused.metrics.time_ms.is_none(), "{what}");
        let Some(Decision { decision, reason, .. }) = report.decision else { panic!("{what}: no decision") };
        assert_eq!((decision, reason.as_str()), (Word::Reject, "wrong_result"), "{what}");
    }
}

#[test]
fn a_kernel_that_stops_working_while_it_is_timed_is_caught() {
    // The check and two warm-up rounds are fine; the second timed run writes nothing and would look very fast.
    let report = report(16, 16, &mut Meddling::idle("rmsnorm_fused", 4));
    let fused = report.candidate("fused").unwrap();
    assert_eq!(fused.status, Status::Failed);
    assert!(fused.error.as_ref().unwrap().contains("was not written"));
    assert_eq!(report.decision.unwrap().reason, "wrong_result");
}

#[test]
fn a_wrong_baseline_compares_nothing() {
    let error = run("rmsnorm", &params(4, 4), &mut Meddling::idle("inverse_root", 0), &mut Silent).unwrap_err();
    assert!(matches!(error, RunError::WrongBaseline { .. }), "{error}");
}

#[test]
fn a_kernel_that_reads_twice_shows_in_the_ledger() {
    fn twice(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
        if let [HostArg::In(x), ..] = args {
            x.all();
        }
        flawed(args, |_, row, eps| root(row, eps), |_, v, i, w| Some(v * i * w))
    }
    let report = report(8, 32, &mut Meddling::replacing("rmsnorm_fused", twice));
    let line = report.ledger.iter().find(|line| line.part == "moved_fused_rmsnorm_fused").unwrap();
    assert_eq!(line.measured_bytes, Some(line.bytes + 8 * 32 * 4));
    assert_eq!(report.candidate("fused").unwrap().metrics.bytes_moved, line.measured_bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_shape_is_right_and_reconciles(rows in 1u64..40, hidden in 1u64..80, seed in any::<u64>()) {
        let pairs = [("rows", rows), ("hidden", hidden), ("samples", 3), ("seed", seed)];
        let params = pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::Integer(value))).collect();
        let report = run("rmsnorm", &params, &mut cpu(), &mut Silent).unwrap();
        prop_assert!(report.candidates.iter().all(|candidate| candidate.status == Status::Ok));
        prop_assert!(report.ledger.iter().all(|line| line.measured_bytes == Some(line.bytes)));
    }
}
