//! What a compile stage leaves behind is taken only when it is a plain file of a bounded length.

use std::sync::mpsc;
use std::time::Duration;

use gpu_runner::backend::BackendName;
use gpu_runner::child::{Line, Spec};
use gpu_runner::supervisor::process::ChildProgram;
use gpu_runner::supervisor::{Ending, Run, Stop};
use protocol::{FailureKind, KernelLanguage, KernelSource, KernelText};

/// A child that is a script: what a compiler taken over would do.
fn run(script: &str) -> (Ending, Vec<Line>) {
    let spec = Spec {
        lab: "rmsnorm".to_owned(),
        params: Default::default(),
        backend: BackendName::Cpu,
        cpu_seconds: 10,
        memory_bytes: None,
        replaced: None,
    };
    let program = ChildProgram { program: "/bin/sh".into(), args: vec!["-c".into(), script.into()] };
    let text = KernelText::try_from("int nothing;".to_owned()).unwrap();
    let source = KernelSource { language: KernelLanguage::Cuda, text };
    let (sender, events) = mpsc::channel();
    let (stop, timeout) = (Stop::new(), Duration::from_secs(60));
    let run = Run { program: &program, spec: &spec, kernel: Some(&source), nvrtc: None, timeout, stop: &stop };
    let mut lines = Vec::new();
    (run.watch(&sender, &events, &mut |line| lines.push(line.clone())), lines)
}

#[test]
fn a_link_a_pipe_a_folder_or_too_much_is_not_taken() {
    let finished = "echo '\"finished\"'";
    for (what, make) in [
        ("a link to a file", "mkdir out; ln -s /etc/passwd out/kernel.so"),
        ("a folder that is a link", "mkdir elsewhere; ln -s elsewhere out; echo x > elsewhere/kernel.so"),
        ("a pipe", "mkdir out; mkfifo out/kernel.so"),
        ("a folder", "mkdir -p out/kernel.so"),
        ("nothing", "true"),
        ("too long", "mkdir out; truncate -s 17M out/kernel.so"),
    ] {
        // Only a second stage would read this one's words.
        let (ending, lines) =
            run(&format!("read -r task; case $task in *execute*) echo reached;; esac; {make}; {finished}"));
        let Ending::Failed { kind, message } = ending else { panic!("{what}: {ending:?}") };
        assert_eq!(kind, FailureKind::Lab, "{what}: {message}");
        assert!(message.contains("is no plain file"), "{what}: {message}");
        assert_eq!(lines.iter().filter(|line| **line == Line::Finished).count(), 1, "{what}: one stage only");
    }
}

#[test]
fn a_lab_without_an_exercise_takes_no_code() {
    let (mut spec_lab, text) = ("19".to_owned(), KernelText::try_from("x".to_owned()).unwrap());
    for language in [KernelLanguage::Cuda, KernelLanguage::Wgsl] {
        let spec = Spec {
            lab: spec_lab.clone(),
            params: Default::default(),
            backend: BackendName::Cpu,
            cpu_seconds: 10,
            memory_bytes: None,
            replaced: None,
        };
        let program = ChildProgram { program: "/bin/false".into(), args: Vec::new() };
        let source = KernelSource { language, text: text.clone() };
        let (sender, events) = mpsc::channel();
        let (stop, timeout) = (Stop::new(), Duration::from_secs(60));
        let run = Run { program: &program, spec: &spec, kernel: Some(&source), nvrtc: None, timeout, stop: &stop };
        let Ending::Failed { message, .. } = run.watch(&sender, &events, &mut |_| {}) else { panic!("taken") };
        let expected = if language == KernelLanguage::Cuda {
            "lets no kernel be replaced"
        } else {
            "takes cuda on cpu and wgsl on wgpu"
        };
        assert!(message.contains(expected), "{message}");
        spec_lab = "rmsnorm".to_owned();
    }
}
