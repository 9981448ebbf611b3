//! Kernels as learners write them, in every form of CUDA C++ that the CPU knows, and numbers of 16 bits in all their values.

use super::{Tool, run_whole};

const KERNELS: &str = include_str!("forms/kernels.cu");

/// `too_small`: bytes that the launch of the kernel with dynamic shared memory lacks.
fn run(kernels: &str, too_small: u32, tool: Tool) -> (Option<i32>, String) {
    let exported: String = ["reverse", "half_sum", "scale_pairs", "count"]
        .iter()
        .map(|name| format!("VRAMLAB_KERNEL({name})\n"))
        .collect();
    let text = format!(
        "#include \"cuda_on_cpu.h\"\n{kernels}\n{exported}#define TOO_SMALL {too_small}\n{}",
        include_str!("forms/driver.cpp")
    );
    let output = run_whole(&text, tool);
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), said.concat())
}

fn replaced(from: &str, to: &str) -> String {
    let text = KERNELS.replacen(from, to, 1);
    assert_ne!(text, KERNELS);
    text
}

#[test]
fn every_form_is_clean_and_right() {
    for tool in [Tool::Address, Tool::Thread] {
        assert_eq!(run(KERNELS, 0, tool), (Some(0), String::new()), "{tool:?}");
    }
}

#[test]
fn dynamic_shared_memory_ends_where_the_launch_says() {
    let (code, said) = run(KERNELS, 4, Tool::Address);
    assert!(code != Some(0) && said.contains("use-after-poison"), "{said}");
}

#[test]
fn races_in_dynamic_shared_memory_and_counting_without_atomics_are_found() {
    for kernels in [replaced("    __syncthreads();\n", ""), replaced("atomicAdd(sum, x[at])", "*sum += x[at]")] {
        let (code, said) = run(&kernels, 0, Tool::Thread);
        assert!(code != Some(0) && said.contains("data race"), "{said}");
    }
}

#[test]
fn numbers_of_16_bits_are_those_of_the_formats_in_all_their_values() {
    let text = format!("#include \"cuda_fp16.h\"\n#include \"cuda_bf16.h\"\n{}", include_str!("forms/sixteen.cpp"));
    let output = run_whole(&text, Tool::Address);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.trim()), (Some(0), "all right"));
}
