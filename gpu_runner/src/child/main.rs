use std::io::{self, BufRead as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, exit};
use std::{fs, thread};

use labs::run::{RunError, Stage, Watch};
use protocol::FailureKind;

use super::limits;
use super::spec::{Line, MAX_LINE_BYTES, REPORT_FILE, Spec};

/// Ends with 0 after a last line was said, whatever that line is: another status means that the child broke.
pub fn main() -> ExitCode {
    let spec = match read_spec() {
        Ok(spec) => spec,
        Err(message) => {
            say(&Line::Failed { kind: FailureKind::ChildCouldNotStart, message });
            return ExitCode::SUCCESS;
        }
    };
    if let Err(error) = limits::apply(&spec) {
        let message = format!("the limits could not be set: {error}");
        say(&Line::Failed { kind: FailureKind::ChildCouldNotStart, message });
        return ExitCode::SUCCESS;
    }
    end_with_supervisor();
    // A GPU library may panic on what it does not find: that is a crash to report, not a status to guess from.
    let last = catch_unwind(AssertUnwindSafe(|| run(&spec))).unwrap_or_else(|panic| Line::Failed {
        kind: FailureKind::ChildCrashed,
        message: format!("the lab's process panicked: {}", panic_text(panic.as_ref())),
    });
    say(&last);
    ExitCode::SUCCESS
}

fn read_spec() -> Result<Spec, String> {
    let mut line = Vec::new();
    let mut input = io::stdin().lock().take(MAX_LINE_BYTES);
    input.read_until(b'\n', &mut line).map_err(|error| format!("no job on standard input: {error}"))?;
    serde_json::from_slice(&line).map_err(|error| format!("standard input holds no job: {error}"))
}

/// The supervisor keeps the pipe open for as long as it lives.
fn end_with_supervisor() {
    thread::spawn(|| {
        let mut rest = [0; 64];
        let mut input = io::stdin().lock();
        while let Ok(1..) = input.read(&mut rest) {}
        exit(2)
    });
}

fn run(spec: &Spec) -> Line {
    let mut device = match spec.backend.open() {
        Ok(device) => device,
        Err(error) => return Line::Failed { kind: FailureKind::ChildCouldNotStart, message: error.to_string() },
    };
    let report = match labs::run::run(&spec.lab, &spec.params, device.as_mut(), &mut Speaker) {
        Ok(report) => report,
        Err(error) => return Line::Failed { kind: kind(&error), message: error.to_string() },
    };
    let bad = |message: String| Line::Failed { kind: FailureKind::BadReport, message };
    match serde_json::to_vec_pretty(&report) {
        Ok(mut bytes) => {
            bytes.push(b'\n');
            match fs::write(REPORT_FILE, bytes) {
                Ok(()) => Line::Finished,
                Err(error) => bad(format!("the report could not be written: {}", error.kind())),
            }
        }
        Err(error) => bad(format!("the report is no JSON: {error}")),
    }
}

fn kind(error: &RunError) -> FailureKind {
    match error {
        RunError::NoProgram { .. } => FailureKind::UnknownLab,
        RunError::Param(_) => FailureKind::Parameters,
        RunError::Device(labs::run::DeviceError::Backend { .. }) => FailureKind::ChildCrashed,
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
