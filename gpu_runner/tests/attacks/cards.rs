//! Attempts on the compiler for cards. It never decides: whatever it makes of a text, the kernel runs on the processor as without it.

use std::fs;
use std::path::{Path, PathBuf};

use evidence::{KernelResources, Report, Status, TargetResources};

use crate::bench::{HONEST, Outcome, Secret, needs_compiler, run};

/// The folder that Python's package went into; `cargo xtask test` installs it.
fn nvrtc() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc-12.0.140");
    assert!(folder.is_dir(), "NVIDIA's compiler is not installed: run cargo xtask ptx");
    folder
}

/// The kernel is right on the processor, and what the compiler for cards made of it.
fn attack(kernel: &str) -> (KernelResources, String) {
    needs_compiler();
    let outcome = run(Some(kernel), &["--nvrtc", nvrtc().to_str().unwrap()]);
    let stderr = outcome.stderr.clone();
    (resources(&right(outcome)).cloned().unwrap(), stderr)
}

fn right(outcome: Outcome) -> Report {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let report = outcome.report.unwrap();
    assert_eq!(report.candidate("fused").unwrap().status, Status::Ok, "{}", outcome.stderr);
    report
}

fn resources(report: &Report) -> Option<&KernelResources> {
    report.learner_code.as_ref().unwrap().resources.as_ref()
}

/// For NVIDIA's compiler alone, in front of the lab's own kernel.
fn for_cards(text: &str) -> String {
    format!("#ifdef __CUDACC_RTC__\n{text}\n#endif\n{HONEST}")
}

#[test]
fn the_labs_kernel_takes_what_is_recorded_beside_it() {
    let recorded = include_str!("../../../labs/rmsnorm/kernel.resources");
    let (found, stderr) = attack(HONEST);
    assert_eq!((found.compiler.as_str(), found.block_threads, &found.refused), ("NVRTC 12.0", 256, &None));
    for target in &found.targets {
        let TargetResources { capability, registers_per_thread, shared_bytes, .. } = target;
        let line = format!("sm_{capability}  rmsnorm_fused       {registers_per_thread:>9}  {shared_bytes:>6}      0");
        assert!(recorded.contains(&line), "{line:?} is not in\n{recorded}");
        assert_eq!((target.max_threads_per_block, target.occupancy_percent()), (256, Some(100)));
    }
    assert_eq!(found.targets.len(), 2);
    assert!(stderr.contains("compiled for cards, run on none: sm_80: 20 registers"), "{stderr}");
}

#[test]
fn what_does_not_fit_is_told() {
    // Promises so many blocks that each thread has 32 registers.
    let (promise, body) = ("__launch_bounds__(WIDTH) rmsnorm_fused", "const unsigned row = blockIdx.x;");
    let hungry = "float many[64]; for (int n = 0; n < 64; n++) many[n] = x[n * hidden % 7 + threadIdx.x % 2];
                  for (int turn = 0; turn < 2; turn++) for (int n = 0; n < 64; n++) many[n] = many[n] * many[(n + 7) % 64] + 1.0f;
                  float all = 0.0f; for (int n = 0; n < 64; n++) all += many[n];
                  if (all == 0.123f) y[0] = all;";
    let text = HONEST.replacen(promise, "__launch_bounds__(WIDTH, 8) rmsnorm_fused", 1);
    let (found, _) = attack(&text.replacen(body, &format!("{body}\n#ifdef __CUDACC_RTC__\n{hungry}\n#endif\n"), 1));
    for target in found.targets {
        assert!(target.registers_per_thread <= 32 && target.occupancy_percent() == Some(100), "{target:?}");
        assert!(target.spill_store_bytes > 0 && target.spill_load_bytes > 0 && target.local_bytes > 0, "{target:?}");
    }
}

#[test]
fn an_error_for_cards_alone_is_told_with_its_line_and_costs_nothing() {
    let (found, stderr) = attack(&for_cards("__device__ int no = wrong;"));
    let why = found.refused.unwrap();
    assert!(found.targets.is_empty() && why.starts_with("kernel.cu:2: error: identifier \"wrong\""), "{why}");
    assert!(stderr.contains("NVRTC 12.0 does not take the kernel for a card:\nkernel.cu:2:"), "{stderr}");
    let gone = format!("#ifndef __CUDACC_RTC__\n{HONEST}\n#endif\n");
    assert_eq!(attack(&gone).0.refused.unwrap(), "kernel.cu: for a card it has no kernel rmsnorm_fused");
}

#[test]
fn files_of_the_machine_cannot_be_included_here_either() {
    let secret = Secret::new();
    let mut spellings = Vec::new();
    for path in [secret.path(), "/etc/passwd", "/proc/self/environ"] {
        spellings.extend([
            format!("#include \"{path}\""),
            format!("#include <{path}>"),
            format!("#include \"../../../../../../..{path}\""),
            format!("%:include \"{path}\""),
            format!("#inc\\\nlude \"{path}\""),
            format!("#define WHICH \"{path}\"\n#include WHICH"),
        ]);
    }
    for spelling in spellings {
        let (found, stderr) = attack(&for_cards(&spelling));
        let why = found.refused.unwrap_or_default();
        assert!(found.targets.is_empty() && why.contains("not available to a kernel"), "{spelling}: {why}");
        for leak in [Secret::MARK, "root:", "error: expected"] {
            assert!(!why.contains(leak) && !stderr.contains(leak), "{spelling} shows {leak}: {why}");
        }
    }
    // What is not there is told in the same words.
    let told = |path: &str| attack(&for_cards(&format!("#include \"{path}\""))).0.refused.unwrap();
    assert_eq!(told("/nowhere/passwd"), told("/etc/passwd"));
}

#[test]
fn a_bomb_for_cards_ends_with_its_time_or_its_memory() {
    let doubled: String = (1..40).map(|n| format!("#define B{n} B{} B{}\n", n - 1, n - 1)).collect();
    let templates = "template<int D, class A, class B> struct T { static const int v = T<D-1,T<D,A,B>,B>::v + T<D-1,A,T<D,B,A>>::v; };
        template<class A, class B> struct T<0,A,B> { static const int v = 1; };
        __device__ int bomb = T<40,int,char>::v;";
    let unrolled = "__device__ float bomb(float x) {
        #pragma unroll
        for (int a = 0; a < 4096; a++) {
            #pragma unroll
            for (int b = 0; b < 4096; b++) x = x * (float)(a * b + 1) + sqrtf(x);
        }
        return x;
    }
    extern \"C\" __global__ void bombs(float *x) { x[0] = bomb(x[1]); }";
    for (what, text) in [
        ("tokens", format!("#define B0 +1\n{doubled}\n__device__ int bomb = B39;")),
        ("templates", templates.to_owned()),
        ("an unrolled loop", unrolled.to_owned()),
        ("an include of itself", "#include __FILE__".to_owned()),
    ] {
        let (found, stderr) = attack(&for_cards(&text));
        let why = found.refused.unwrap_or_default();
        assert!(found.targets.is_empty() && why.starts_with("kernel.cu:"), "{what}: {why}\n{stderr}");
    }
}

#[test]
fn a_text_that_speaks_like_the_assembler_is_not_believed() {
    let lie = "ptxas info    : Compiling entry function 'rmsnorm_fused' for 'sm_80'\\nptxas info    : Used 1 registers, 1 bytes smem";
    let (found, _) = attack(&for_cards(&format!("#pragma message \"{lie}\"\n#warning {lie}")));
    let registers: Vec<u64> = found.targets.iter().map(|target| target.registers_per_thread).collect();
    assert_eq!(registers, [20, 20]);
    let body = "const unsigned row = blockIdx.x;";
    let inline = format!(
        "{body}\n#ifdef __CUDACC_RTC__\nasm volatile(\".pragma \\\"{}\\\";\");\n#endif\n",
        lie.replace("\\n", " ")
    );
    let (found, _) = attack(&HONEST.replacen(body, &inline, 1));
    assert_eq!(found.targets[0].shared_bytes, 32);
}

#[test]
fn a_library_that_is_none_costs_the_report_this_part_alone() {
    needs_compiler();
    let folder = tempfile::tempdir().unwrap();
    let given = ["--nvrtc", folder.path().to_str().unwrap()];
    let absent = run(Some(HONEST), &given);
    assert!(absent.code == Some(2) && absent.stderr.contains("no libnvrtc.so.12 there"), "{}", absent.stderr);
    fs::write(folder.path().join("libnvrtc.so.12"), "no library").unwrap();
    assert_eq!(resources(&right(run(Some(HONEST), &given))), None);
}
