//! Attempts to take the machine.

use crate::bench::{attack, refused, with};

#[test]
fn an_endless_kernel_is_ended() {
    refused(
        "endless",
        &attack(&with("", "for (volatile int turn = 0;; turn = turn + 1) {}")),
        "rmsnorm_fused did not end within",
    );
}

#[test]
fn code_that_never_finishes_loading_is_ended() {
    let before = "__attribute__((constructor)) static void hang() { for (volatile int turn = 0;; turn = turn + 1) {} }";
    refused("endless at loading", &attack(&with(before, "")), "rmsnorm_fused did not end within");
}

#[test]
fn a_hundred_gigabytes_are_not_to_be_had() {
    // Whoever gets the memory goes on honestly; it is never touched, so that a missing limit costs the machine nothing. Four are less
    // than the test's own limit: they are refused by the runner's.
    for size in ["100l << 30", "4l << 30"] {
        refuse_memory(size);
    }
}

fn refuse_memory(size: &str) {
    let mapped = format!("mmap(nullptr, {size}, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | KIND, -1, 0)");
    for ask in [format!("malloc({size})"), mapped.replace("KIND", "MAP_PRIVATE"), mapped.replace("KIND", "MAP_SHARED")]
    {
        let body = format!(
            "static void *volatile got = {ask};
             if (got == nullptr || got == MAP_FAILED) return;"
        );
        refused(&ask, &attack(&with("#include <cstdlib>", &body)), "was not written");
    }
}

#[test]
fn no_process_is_started() {
    // Children end at once: a bomb of one generation.
    let calls = [
        ("fork", "for (int n = 0; n < 32; n++) if (fork() == 0) _exit(0);"),
        ("vfork", "if (vfork() == 0) _exit(0);"),
        ("system", "if (system(\"exit 0\") == -1) return;"),
        ("execve", "char *none[] = {nullptr}; execve(\"/bin/true\", none, none); return;"),
        ("a thread", "std::thread([] {}).join();"),
    ];
    for (what, call) in calls {
        let text = with("#include <cstdlib>\n#include <thread>", call);
        refused(what, &attack(&text), "something that a kernel may not do");
    }
    let before =
        "__attribute__((constructor)) static void early() { for (int n = 0; n < 32; n++) if (fork() == 0) _exit(0); }";
    refused("fork at loading", &attack(&with(before, "")), "something that a kernel may not do");
}

#[test]
fn other_processes_are_out_of_reach() {
    for (what, call) in [
        ("a signal to the lab's process", "kill(getppid(), SIGKILL);"),
        ("a signal to all", "kill(-1, 0);"),
        ("its group left", "setsid();"),
        ("its parent's memory", "ptrace(PTRACE_ATTACH, getppid(), 0, 0);"),
        (
            "its limits",
            "struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}; if (setrlimit(RLIMIT_AS, &all) != 0) return;",
        ),
    ] {
        let headers = "#include <csignal>\n#include <sys/ptrace.h>\n#include <sys/resource.h>";
        let told = if what == "its limits" { "was not written" } else { "something that a kernel may not do" };
        refused(what, &attack(&with(headers, call)), told);
    }
}
