//! The lab's kernel on the processor under the compiler's sanitizers: what fibers cannot show, a tool that looks on does.

mod forms;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const KERNEL: &str = include_str!("../../../labs/rmsnorm/kernel.cu");
const STARTER: &str = include_str!("../../../labs/rmsnorm/exercise.cu");
const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/host");

#[derive(Debug, Clone, Copy, PartialEq)]
enum Tool {
    /// Steps outside a buffer; on fibers.
    Address,
    /// Data races; each thread of a block is one of the system.
    Thread,
}

/// Compiles a kernel with the driver and runs it.
fn run(kernel: &str, tool: Tool) -> Output {
    let driver = include_str!("driver.cpp");
    run_whole(&format!("#include \"cuda_on_cpu.h\"\n{kernel}\nVRAMLAB_KERNEL(rmsnorm_fused)\n{driver}"), tool)
}

fn run_whole(text: &str, tool: Tool) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("whole.cpp"), folder.path().join("whole"));
    fs::write(&source, gpu_runner::child::compile::rewritten(text)).unwrap();
    let flags: &[&str] = match tool {
        Tool::Address => &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        Tool::Thread => &["-fsanitize=thread", "-DVRAMLAB_THREADS"],
    };
    let compiled = Command::new("g++")
        .args(["-std=c++17", "-O1", "-g", "-I", HOST])
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("this test needs g++; install with: sudo apt-get install -y --no-install-recommends g++");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let first = started(&program, &[]);
    // Some kernels spread addresses wider than the compiler's library of that year expects.
    if String::from_utf8_lossy(&first.stderr).contains("unexpected memory mapping") {
        return started(Path::new("setarch"), &["-R", program.to_str().unwrap()]);
    }
    first
}

fn started(program: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    // A process that is traced cannot look for leaks, and leaks are not what is looked for.
    command.args(args).env("ASAN_OPTIONS", "detect_leaks=0").env("TSAN_OPTIONS", "halt_on_error=1:exitcode=66");
    command.output().unwrap()
}

fn without_barrier() -> String {
    let text = KERNEL.replacen("    __syncthreads();\n", "", 1);
    assert_ne!(text, KERNEL);
    text
}

#[test]
fn the_labs_kernel_and_its_starter_are_clean_and_right() {
    for tool in [Tool::Address, Tool::Thread] {
        for kernel in [KERNEL, STARTER] {
            let output = run(kernel, tool);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{tool:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
            assert!(said.is_empty(), "{tool:?}: {said}");
        }
    }
}

#[test]
fn a_missing_barrier_is_a_data_race() {
    let output = run(&without_barrier(), Tool::Thread);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("data race") && said.contains("together"), "{said}");
}

#[test]
fn a_step_outside_a_buffer_is_found_whether_it_reads_or_writes() {
    for (what, from, to) in [
        ("writes", "y[start + column] = x", "y[start + column + 1] = x"),
        ("reads", "= x[start + column];", "= x[start + column + 1];"),
    ] {
        let kernel = KERNEL.replacen(from, to, 1);
        assert_ne!(kernel, KERNEL);
        let output = run(&kernel, Tool::Address);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("heap-buffer-overflow"), "{what}: {said}");
    }
}

#[test]
fn a_barrier_that_not_all_meet_ends_the_run() {
    let row = "    const unsigned row = blockIdx.x;\n";
    let apart = "    if (threadIdx.x < 8) __syncwarp(0xffff); else if (threadIdx.x < 16) __syncthreads();\n";
    let kernel = KERNEL.replacen(row, &format!("{row}{apart}"), 1);
    assert_ne!(kernel, KERNEL);
    for (tool, code) in [(Tool::Address, 1), (Tool::Thread, 70)] {
        let output = run(&kernel, tool);
        assert_eq!(output.status.code(), Some(code), "{tool:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
