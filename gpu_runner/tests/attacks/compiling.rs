//! Attempts on the compiler.

use crate::bench::{HONEST, Secret, attack, refused};

#[test]
fn files_of_the_machine_cannot_be_included_however_it_is_spelt() {
    let secret = Secret::new();
    let mut spellings = Vec::new();
    for path in [secret.path(), "/etc/passwd"] {
        spellings.extend([
            format!("#include \"{path}\"\n"),
            format!("#include <{path}>\n"),
            format!("#include \"../../../../../../..{path}\"\n"),
            format!("%:include \"{path}\"\n"),
            format!("#inc\\\nlude \"{path}\"\n"),
            format!("#define WHICH \"{path}\"\n#include WHICH\n"),
        ]);
    }
    spellings.extend(["#include \"/proc/self/environ\"\n".to_owned(), "#include \"/proc/self/cmdline\"\n".to_owned()]);
    for spelling in spellings {
        let outcome = attack(&format!("{spelling}{HONEST}"));
        refused(&spelling, &outcome, "kernel.cu:");
        assert!(outcome.report.is_none() && outcome.stderr.contains("not available to a kernel"), "{}", outcome.stderr);
        for leak in [Secret::MARK, "root:", "LC_ALL"] {
            assert!(!outcome.stderr.contains(leak), "{spelling} shows {leak}: {}", outcome.stderr);
        }
    }
    // What is not there is told in the same words: nobody learns which files exist.
    let absent = attack(&format!("#include \"{}.not\"\n{HONEST}", secret.path()));
    refused("absent", &absent, "report.json.not: not available to a kernel");
}

#[test]
fn the_assembler_includes_no_file_either() {
    let secret = Secret::new();
    let text = format!("asm(\".section .rodata\\n.incbin \\\"{}\\\"\\n.text\");\n{HONEST}", secret.path());
    let outcome = attack(&text);
    refused("incbin", &outcome, "does not compile");
    assert!(!outcome.stderr.contains("vramlab-job"), "{}", outcome.stderr);
}

#[test]
fn a_compile_bomb_ends_with_its_time_or_its_memory() {
    let doubled: String = (1..40).map(|n| format!("#define B{n} B{} B{}\n", n - 1, n - 1)).collect();
    for (what, told, text) in [
        ("tokens", "compiling took more than", format!("#define B0 +1\n{doubled}\nint bomb = B39;\n{HONEST}")),
        (
            "templates",
            "compiling took more than",
            format!(
                "template<int D, class A, class B> struct T {{ static const int v = T<D-1,T<D,A,B>,B>::v + T<D-1,A,T<D,B,A>>::v; }};\ntemplate<class A, class B> struct T<0,A,B> {{ static const int v = 1; }};\nint bomb = T<40,int,char>::v;\n{HONEST}"
            ),
        ),
        // More than the runner allows, less than the test.
        ("a large object", "more than 16 MiB", format!("char bomb[40 << 20] = {{1}};\n{HONEST}")),
    ] {
        let outcome = attack(&text);
        refused(what, &outcome, told);
        assert!(outcome.report.is_none(), "{what}");
    }
}

#[test]
fn an_error_is_told_with_the_line_of_the_learners_file_and_no_path() {
    let text = HONEST.replacen("const unsigned row = blockIdx.x;", "const unsigned row = blockIdx.q;", 1);
    let line = text.lines().position(|line| line.contains("blockIdx.q")).unwrap() + 1;
    let outcome = attack(&text);
    refused("a typing error", &outcome, &format!("kernel.cu:{line}:"));
    assert!(!outcome.stderr.contains("/usr/") && !outcome.stderr.contains("/tmp/"), "{}", outcome.stderr);
    refused("no such kernel", &attack("int nothing;\n"), "rmsnorm_fused");
    refused(
        "other parameters",
        &attack("extern \"C\" __global__ void rmsnorm_fused(float *y) {}\n"),
        "other parameters",
    );
    refused("another language", &attack("这不是代码\n"), "kernel.cu:1:");
}
