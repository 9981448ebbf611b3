//! The script for machines with a GPU, on one without: what it says, and what it must not say.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use evidence::Backend;
use gpu_runner::backend::cpu::Cpu;
use labs::run::{Silent, Value};

use crate::double::{Double, LIES};

/// The status and what was said.
fn check(runner: &Path, libraries: Option<&Path>) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/gpu/check.sh");
    let mut command = Command::new("bash");
    command.arg(script).arg(runner).env("BACKEND", "cuda").env_remove("LD_LIBRARY_PATH");
    if let Some(libraries) = libraries {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    let out = command.output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}

#[test]
fn without_a_gpu_it_is_skipped_and_never_passed() {
    let runner = Path::new(env!("CARGO_BIN_EXE_gpu_runner"));
    let double = Double::new(&LIES);
    let mut machines = vec![Some(double.folder())];
    // A machine with a GPU of its own would rightly run the labs.
    if !Path::new("/proc/driver/nvidia/version").exists() {
        machines.push(None);
    }
    for libraries in machines {
        let (status, said) = check(runner, libraries);
        assert!(said.contains("skipped: no CUDA device here gives GPU evidence"), "{said}");
        assert_eq!((status, said.contains("passed")), (Some(77), false), "{said}");
    }
    let (status, said) = check(Path::new("/nowhere/gpu_runner"), None);
    assert!(status == Some(2) && said.contains("no program at"), "{said}");
}

/// A program that answers like the runner of a machine with a GPU, always with the same report.
fn answering(folder: &Path, report: &evidence::Report) -> std::path::PathBuf {
    fs::write(folder.join("report"), serde_json::to_vec_pretty(report).unwrap()).unwrap();
    let program = folder.join("answers");
    let text = format!(
        "#!/bin/sh
case $1 in
devices) echo 'cuda  NVIDIA H100 80GB HBM3, NVIDIA 550.54.14: GPU evidence' ;;
labs) printf 'rmsnorm  on cuda: RMSNorm\\n    --param seed=42  (0 to 9)\\nother  on cpu: no\\n' ;;
run) while [ $# -gt 1 ]; do [ $1 = --out ] && cp {}/report $2; shift; done ;;
esac
",
        folder.display()
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn its_table_and_its_last_word_are_those_of_the_reports() {
    let params = [("rows", 2), ("hidden", 8), ("samples", 3)];
    let params = params.into_iter().map(|(name, value)| (name.to_owned(), Value::Integer(value))).collect();
    let mut report = labs::run::run("rmsnorm", &params, &mut Cpu::with(1 << 20, 0), &mut Silent).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let said = |report: &evidence::Report| check(&answering(folder.path(), report), None);

    let (status, of_cpu) = said(&report);
    assert!(status == Some(1) && of_cpu.contains("failed: 7 of 7 cases are not right"), "{of_cpu}");
    report.device.as_mut().unwrap().backend = Backend::Cuda;
    let (status, right) = said(&report);
    assert!(status == Some(0) && right.contains("passed: 7 cases in"), "{right}");
    assert_eq!(right.lines().filter(|line| line.contains(" fused ") && line.contains(" ok ")).count(), 7, "{right}");
    report.candidates[1].status = evidence::Status::Failed;
    let (status, wrong) = said(&report);
    assert!(status == Some(1) && !wrong.contains("passed"), "{wrong}");
}
