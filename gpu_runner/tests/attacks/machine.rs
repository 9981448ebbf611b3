//! A machine whose kernel lacks a half of the sandbox: labs of the build run, a learner's code does not.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::bench::{HONEST, needs_compiler, run};

/// Runs `what` as on an older kernel: one that answers "no such call", to this thread and all it starts.
fn without<T: Send>(call: libc::c_long, what: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let older = scope.spawn(|| {
            let absent = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
            let rules = BTreeMap::from([(call, Vec::new())]);
            let arch = std::env::consts::ARCH.try_into().unwrap();
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, absent, arch).unwrap();
            apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
            what()
        });
        older.join().unwrap()
    })
}

#[test]
fn an_older_kernel_runs_the_labs_and_refuses_learner_code_by_name() {
    needs_compiler();
    for (call, name) in [(libc::SYS_landlock_create_ruleset, "landlock"), (libc::SYS_seccomp, "seccomp")] {
        let (lab, learner) = without(call, || (run(None, &[]), run(Some(HONEST), &[])));
        assert!(lab.code == Some(0) && lab.report.is_some(), "{name}: {}", lab.stderr);
        assert!(learner.code == Some(1) && learner.report.is_none(), "{name}: {}", learner.stderr);
        // The machine's fault: another runner may take the job.
        let told = "no report (child_could_not_start): learner code is not run on this machine";
        assert!(learner.stderr.contains(told) && learner.stderr.contains(name), "{}", learner.stderr);
    }
}
