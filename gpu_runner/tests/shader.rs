//! A learner's kernel in WGSL, from its file to the report, through the runner's own processes. Without a GPU Mesa's
//! lavapipe computes it, as CPU evidence.

use std::fs;
use std::process::Command;

use evidence::{Backend, DeviceKind, EvidenceClass, Report};

const RIGHT: &str = include_str!("../../labs/rmsnorm/exercise.wgsl");

/// What the runner gives for a text, or says.
fn run(text: &str) -> Result<Report, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.wgsl");
    fs::write(&path, text).unwrap();
    let small = ["--param", "rows=4", "--param", "hidden=64", "--out", "-"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu_runner"));
    command.args(["run", "rmsnorm", "--backend", "wgpu", "--kernel"]).arg(&path).args(small);
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        assert!(!said.contains("no adapter"), "these tests need a Vulkan driver: mesa-vulkan-drivers: {said}");
        return Err(said);
    }
    serde_json::from_slice(&out.stdout).map_err(|error| format!("{error}: {said}"))
}

/// The starter with another body for each row.
fn with(from: &str, to: &str) -> Result<Report, String> {
    assert!(RIGHT.contains(from), "the exercise holds {from:?}");
    run(&RIGHT.replacen(from, to, 1))
}

#[test]
fn the_starter_is_right_on_every_shape_and_says_whose_it_is() {
    let report = run(RIGHT).unwrap();
    let code = report.learner_code.as_ref().unwrap();
    assert_eq!((code.kernel.as_str(), code.language.as_str()), ("rmsnorm_fused", "wgsl"));
    let device = report.device.as_ref().unwrap();
    assert_eq!(device.backend, Backend::Wgpu);
    // Whatever adapter there is says what its evidence is.
    assert_eq!(report.evidence_class(), device.evidence_class());
    assert_eq!(device.kind == DeviceKind::Cpu, report.evidence_class() == EvidenceClass::Cpu);
    let lab = labs::lab("rmsnorm").unwrap();
    let grade = evidence::grade(
        &evidence::read(&serde_json::to_vec(&report).unwrap()).unwrap(),
        &lab.rubric,
        &evidence::GradeContext::default(),
    );
    assert!(grade.points.earned > 0, "{:?}", grade.points);
}

#[test]
fn a_mistake_is_told_by_its_line() {
    let line = RIGHT.lines().position(|line| line.contains("var sum = 0.0;")).unwrap() + 1;
    let said = with("var sum = 0.0;", "var sum = zero;").unwrap_err();
    assert!(said.contains(&format!("kernel.wgsl:{line}:")), "{said}");
    let said = with("fn rmsnorm_fused(", "fn rmsnorm_fussed(").unwrap_err();
    assert!(said.contains("rmsnorm_fused"), "the missing entry point is named: {said}");
}

#[test]
fn what_is_wrong_passes_nowhere() {
    for (from, to) in [
        // Nothing written, a row left out, an element left out, a constant, half precision's error, a neighbour overwritten.
        ("y[start + column] =", "_ ="),
        ("row >= numbers.rows", "row + 1u >= numbers.rows"),
        (
            "for (var column = 0u; column < numbers.hidden; column += 1u) {\n        y",
            "for (var column = 1u; column < numbers.hidden; column += 1u) {\n        y",
        ),
        ("x[start + column] * inverse", "1.0"),
        ("* inverse * weight", "* inverse * 1.0005 * weight"),
        ("y[start + column] =", "y[start + column + 1u] ="),
        ("+ numbers.eps", ""),
    ] {
        match with(from, to) {
            Err(said) => assert!(!said.contains("panicked"), "{from:?} → {to:?}: {said}"),
            Ok(report) => {
                let wrong = report.candidates.iter().any(|candidate| candidate.status != evidence::Status::Ok);
                assert!(wrong, "{from:?} → {to:?} passed");
            }
        }
    }
}

#[test]
fn bindings_that_are_not_the_launchs_are_the_learners_to_mend() {
    for (from, to) in [
        ("@binding(2) var<storage, read_write> y", "@binding(7) var<storage, read_write> y"),
        ("@group(0) @binding(0) var<storage, read> x", "@group(1) @binding(0) var<storage, read> x"),
        ("eps: f32 }", "eps: f32, more: array<vec4<f32>, 64> }"),
    ] {
        let said = with(from, to).unwrap_err();
        assert!(said.contains("rmsnorm_fused"), "{to}: {said}");
        assert!(!said.contains("panicked"), "{to}: {said}");
    }
}

/// Each ends the run with a word about it, and leaves the machine as it was.
#[test]
fn what_would_break_the_machine_does_not() {
    let row = "if (row >= numbers.rows || lane != 0u) { return; }";
    for (what, with_row) in [
        (
            "memory of another",
            "if (row < numbers.rows) { y[row + 4000000000u] = 1.0; y[0u - lane] = x[4294967295u]; } return;",
        ),
        ("a group's memory beyond the limit", "shared_by_all[lane] = 1.0; y[row] = shared_by_all[0];"),
    ] {
        let text = RIGHT.replacen(row, with_row, 1) + "\nvar<workgroup> shared_by_all: array<f32, 1000000000>;\n";
        let result = run(&text);
        let refused = match &result {
            Err(said) => !said.contains("panicked"),
            Ok(report) => report.candidates.iter().any(|candidate| candidate.status != evidence::Status::Ok),
        };
        assert!(refused, "{what}: {result:?}");
    }
    let greedy = "var sum = 0.0; var big: array<f32, 50000000>; big[numbers.rows] = 1.0; sum = big[numbers.hidden];";
    let said = with("var sum = 0.0;", greedy).unwrap_err();
    assert!(said.contains("while your kernel ran") || said.contains("rmsnorm_fused"), "{said}");
    // As deep as a text of the longest kind goes.
    let deep = format!("{}1.0{}", "(".repeat(20_000), ")".repeat(20_000));
    let said = with("var sum = 0.0;", &format!("var sum = {deep};")).unwrap_err();
    assert!(!said.contains("panicked"), "{said}");
}
