use std::io::{self, BufRead as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, exit};
use std::{fs, thread};

use labs::run::{DeviceError, RunError, Stage, Watch};
use protocol::FailureKind;

use super::compile;
use super::exercise;
use super::kernel::Started;
use super::limits::{self, Limits};
use super::resources;
use super::sandbox::{self, SandboxError};
use super::spec::{Code, Line, REPORT_FILE, Replaced, Spec, TASK_BYTES, Task};
use crate::backend::wgpu::Wgpu;

/// Ends with 0 after a last line was said, whatever that line is: another status means that the child broke.
pub fn main() -> ExitCode {
    let last = match read_task() {
        // A GPU library may panic on what it does not find: that is a crash to report, not a status to guess from.
        Ok(task) => catch_unwind(AssertUnwindSafe(|| run(&task))).unwrap_or_else(|panic| Line::Failed {
            kind: FailureKind::ChildCrashed,
            message: format!("the lab's process panicked: {}", panic_text(panic.as_ref())),
        }),
        Err(message) => could_not_start(message),
    };
    say(&last);
    ExitCode::SUCCESS
}

fn read_task() -> Result<Task, String> {
    let mut line = Vec::new();
    let mut input = io::stdin().lock().take(TASK_BYTES);
    input.read_until(b'\n', &mut line).map_err(|error| format!("no job on standard input: {error}"))?;
    serde_json::from_slice(&line).map_err(|error| format!("standard input holds no job: {error}"))
}

/// The supervisor keeps the pipe open for as long as it lives. A thread: started after the sandbox, which holds for one thread only.
pub(super) fn end_with_supervisor() {
    thread::spawn(|| {
        let mut rest = [0; 64];
        let mut input = io::stdin().lock();
        while let Ok(1..) = input.read(&mut rest) {}
        exit(2)
    });
}

fn could_not_start(message: String) -> Line {
    Line::Failed { kind: FailureKind::ChildCouldNotStart, message }
}

fn run(task: &Task) -> Line {
    match task {
        Task::Compile(spec) => compile::run(spec),
        Task::Resources(spec) => resources::run(spec),
        Task::Execute(spec) => execute(spec).unwrap_or_else(|failed| failed),
    }
}

fn execute(spec: &Spec) -> Result<Line, Line> {
    let limits = Limits {
        cpu_seconds: spec.cpu_seconds,
        data_bytes: spec.most_memory_bytes(),
        address_bytes: None,
        file_bytes: protocol::limits::REPORT_BYTES as u64 * 2,
        files: 256,
    };
    limits::apply(&limits).map_err(|error| could_not_start(format!("the limits could not be set: {error}")))?;
    // Before the sandbox: nothing may be started from within it.
    let learner = match &spec.replaced {
        Some(replaced @ Replaced { code: Code::Library(library), .. }) => Some(
            Started::start(library, replaced, spec)
                .map_err(|error| could_not_start(format!("the kernel's process: {error}")))?,
        ),
        _ => None,
    };
    let here = std::env::current_dir().map_err(|error| could_not_start(format!("no folder: {}", error.kind())))?;
    match sandbox::enter(&sandbox::lab(spec.backend, &here)) {
        Ok(()) => {}
        // A lab of this build runs on an older kernel too; the supervisor has said so. A learner's code does not.
        Err(SandboxError::NoLandlock | SandboxError::NoSeccomp) if spec.replaced.is_none() => {}
        Err(error) => return Err(could_not_start(error.to_string())),
    }
    end_with_supervisor();
    let no_device = |error: DeviceError| could_not_start(error.to_string());
    let report = match (&spec.replaced, learner) {
        (None, _) => {
            let mut device = spec.backend.open().map_err(no_device)?;
            let report = labs::run::run(&spec.lab, &spec.params, device.as_mut(), &mut Speaker);
            report.map(|report| evidence::Report { conditions: device.conditions(), ..report })
        }
        (Some(replaced), Some(started)) => {
            let process = started.load().map_err(|message| Line::Failed { kind: FailureKind::Lab, message })?;
            exercise::on_the_processor(spec, replaced, process, &mut Speaker)
        }
        (Some(replaced @ Replaced { code: Code::Text(text), .. }), None) => {
            let device = Wgpu::open().map_err(no_device)?;
            exercise::in_wgsl(spec, replaced, text.as_str(), device, &mut Speaker)
        }
        (Some(_), None) => return Err(could_not_start("the kernel's process was not started".to_owned())),
    };
    let report = report.map_err(|error| Line::Failed { kind: kind(&error), message: error.to_string() })?;
    if let Some(conditions) = report.conditions.as_ref().filter(|conditions| !conditions.is_steady()) {
        Speaker.note(&format!(
            "the device was not steady: its clock went from {} to {} MHz; held back by: {}",
            conditions.clock_highest_mhz,
            conditions.clock_fallen_mhz,
            conditions.held_back_by.join(", ")
        ));
    }
    let bad = |message: String| Line::Failed { kind: FailureKind::BadReport, message };
    let mut bytes =
        serde_json::to_vec_pretty(&report).map_err(|error| bad(format!("the report is no JSON: {error}")))?;
    bytes.push(b'\n');
    fs::write(REPORT_FILE, bytes).map_err(|error| bad(format!("the report could not be written: {}", error.kind())))?;
    Ok(Line::Finished)
}

fn kind(error: &RunError) -> FailureKind {
    match error {
        RunError::NoProgram { .. } => FailureKind::UnknownLab,
        RunError::Param(_) => FailureKind::Parameters,
        RunError::Device(DeviceError::Backend { .. } | DeviceError::Lost { .. }) => FailureKind::ChildCrashed,
        _ => FailureKind::Lab,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

struct Speaker;

impl Watch for Speaker {
    fn stage(&mut self, stage: Stage) {
        say(&Line::Stage(stage));
    }

    fn note(&mut self, line: &str) {
        say(&Line::Note(line.to_owned()));
    }
}

fn say(line: &Line) {
    let mut out = io::stdout().lock();
    let written = serde_json::to_writer(&mut out, line)
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if written.is_err() {
        // No one listens any more.
        exit(2);
    }
}
