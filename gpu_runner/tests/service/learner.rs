//! Jobs with a learner's kernel, from claim to report.

use evidence::{EvidenceClass, Report};
use protocol::{FailureClass, FailureKind, KernelLanguage, KernelSource, KernelText, Stage};

use crate::server::{JobState, Server};
use crate::support::{Home, TOKEN, until};

const KERNEL: &str = include_str!("../../../labs/rmsnorm/kernel.cu");
const SMALL: &[(&str, u64)] = &[("rows", 8), ("hidden", 16)];

fn queue(server: &Server, text: &str) {
    server.queue("job-1", SMALL);
    let text = KernelText::try_from(text.to_owned()).unwrap();
    server.lock().job_mut("job-1").kernel = Some(KernelSource { language: KernelLanguage::Cuda, text });
}

#[test]
fn a_learners_kernel_becomes_a_signed_report_that_says_so() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    queue(&server, KERNEL);
    let output = home.spawn(&server, &["--once"]).output();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "these tests need g++: {stderr}");
    assert!(stderr.contains("learner code is taken"), "{stderr}");

    let inner = server.lock();
    let JobState::Reported { report } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    let parsed: Report = serde_json::from_slice(&report.report).unwrap();
    assert_eq!(parsed.learner_code.as_ref().unwrap().kernel, "rmsnorm_fused");
    assert_eq!(parsed.evidence_class(), EvidenceClass::Cpu);
    let stages: Vec<Stage> = report.times.iter().map(|time| time.stage).collect();
    assert_eq!(stages, [Stage::Claimed, Stage::Compiling, Stage::Checking, Stage::Reporting]);
}

#[test]
fn a_kernel_that_does_not_compile_is_the_learners_to_mend_and_its_text_stays_out_of_the_log() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    queue(&server, &KERNEL.replacen("sqrtf(", "my_own_root(", 1));
    let output = home.spawn(&server, &["--once"]).output();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let inner = server.lock();
    let JobState::Failed { failure } = &inner.job("job-1").state else { panic!("{inner:#?}") };
    assert_eq!((failure.kind, failure.kind.class()), (FailureKind::Lab, FailureClass::Lab));
    assert!(failure.message.contains("kernel.cu:48:"), "{}", failure.message);
    assert!(stderr.contains("kernel.cu:48:"), "the refusal is logged: {stderr}");
    assert!(!stderr.contains("Four passes with their results"), "{stderr}");
}

#[test]
fn a_runner_that_stops_leaves_no_endless_kernel_behind() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    let endless = "const unsigned row = blockIdx.x; for (volatile int turn = 0;; turn = turn + 1) {}";
    queue(&server, &KERNEL.replacen("const unsigned row = blockIdx.x;", endless, 1));
    let runner = home.spawn(&server, &[]);
    drop(server.wait("checking", |inner| inner.job("job-1").stages.contains(&Stage::Checking)));
    let all = || {
        crate::support::children(runner.id())
            .into_iter()
            .flat_map(|child| {
                let grand = crate::support::children(child);
                std::iter::once(child).chain(grand)
            })
            .collect::<Vec<u32>>()
    };
    let pids = until("lab and kernel", || Some(all()).filter(|pids| pids.len() == 2));
    runner.terminate();
    runner.output();
    for pid in pids {
        until("the process ends", || crate::support::is_gone(pid).then_some(()));
    }
}

#[test]
fn a_killed_runner_takes_an_endless_kernel_with_it_and_the_next_one_removes_what_it_left() {
    let (server, home) = (Server::start(&[TOKEN]), Home::new(TOKEN));
    let endless = "const unsigned row = blockIdx.x; for (volatile int turn = 0;; turn = turn + 1) {}";
    queue(&server, &KERNEL.replacen("const unsigned row = blockIdx.x;", endless, 1));
    let mut runner = home.spawn(&server, &[]);
    drop(server.wait("checking", |inner| inner.job("job-1").stages.contains(&Stage::Checking)));
    let pids = until("the kernel's process", || {
        let lab = crate::support::children(runner.id()).first().copied()?;
        Some([lab, crate::support::children(lab).first().copied()?])
    });
    runner.kill();
    for pid in pids {
        until("the process ends", || crate::support::is_gone(pid).then_some(()));
    }
    assert_eq!(home.folders(), ["job", "kernel"]);

    let next = home.spawn(&server, &[]);
    drop(server.wait("nothing to claim", |inner| inner.calls("/claims 204") > 0));
    assert_eq!(home.folders(), Vec::<String>::new());
    next.terminate();
    let output = next.output();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
