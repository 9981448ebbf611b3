//! How a child's run ended, and how that is read from what it left behind.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use evidence::Report;
use protocol::{FailureKind, limits};

use crate::child::{Line, Spec};

#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The exact bytes that the child wrote, a report of this lab from this backend.
    Report(Vec<u8>),
    Failed {
        kind: FailureKind,
        message: String,
    },
    /// The lease is lost or the job cancelled: nothing is to be said to the server.
    Withdrawn {
        why: String,
    },
    /// This runner was asked to stop.
    Stopped,
}

impl Ending {
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::Failed { kind, message: message.into() }
    }

    /// For a run in which a learner's kernel can end the lab's process, by its time or its memory: another try would end the same way.
    pub fn theirs_to_mend(self) -> Self {
        use FailureKind::{ChildCrashed, ChildOutOfMemory, ChildTimedOut};
        match self {
            Self::Failed { kind: ChildCrashed | ChildOutOfMemory | ChildTimedOut, message } => {
                Self::failed(FailureKind::Lab, format!("while your kernel ran: {message}"))
            }
            other => other,
        }
    }
}

/// Signal numbers are the same on every Linux we build for.
const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// For a child that ended by itself. `report` is what lies in its file.
pub fn read(spec: &Spec, last: Option<Line>, status: ExitStatus, stderr: &str, report: Option<Vec<u8>>) -> Ending {
    match last {
        Some(Line::Failed { kind, message }) => return Ending::Failed { kind, message },
        Some(Line::Finished) if status.success() => return check(spec, report),
        _ => {}
    }
    broken(status, stderr, spec.cpu_seconds)
}

/// Whether it was ended for its processor time.
pub fn used_up(status: ExitStatus) -> bool {
    status.signal() == Some(SIGXCPU)
}

/// For a child that said no last word.
pub fn broken(status: ExitStatus, stderr: &str, cpu_seconds: u64) -> Ending {
    let crashed = |what: String| Ending::failed(FailureKind::ChildCrashed, format!("the lab's process {what}"));
    match (status.signal(), status.code()) {
        (Some(SIGXCPU), _) => {
            Ending::failed(FailureKind::ChildTimedOut, format!("more than {cpu_seconds} s of processor time"))
        }
        // We did not send it, so the kernel did.
        (Some(SIGKILL), _) => Ending::failed(
            FailureKind::ChildOutOfMemory,
            "the lab's process was killed by the system, most likely for want of memory",
        ),
        (Some(SIGABRT), _) if stderr.contains("memory allocation of") => {
            Ending::failed(FailureKind::ChildOutOfMemory, "the lab's process could not get the memory it asked for")
        }
        (Some(signal), _) => crashed(format!("was ended by signal {signal}")),
        (None, Some(code)) => crashed(format!("ended with status {code} and no last word")),
        (None, None) => crashed("ended in an unknown way".to_owned()),
    }
}

/// The supervisor signs only what it understands: a report of this lab, whose device is of the backend that was asked for.
fn check(spec: &Spec, report: Option<Vec<u8>>) -> Ending {
    let bad = |message: String| Ending::failed(FailureKind::BadReport, message);
    let Some(bytes) = report else { return bad("the lab's process left no report".to_owned()) };
    if bytes.len() > limits::REPORT_BYTES {
        return bad(format!("the report has more than {} bytes", limits::REPORT_BYTES));
    }
    let parsed: Report = match serde_json::from_slice(&bytes) {
        Ok(report) => report,
        Err(error) => return bad(format!("the report is not of the schema: {error}")),
    };
    if parsed.lab != spec.lab {
        return bad("the report is about another lab".to_owned());
    }
    // Reports with learner code say so, and no others.
    let found = parsed.learner_code.as_ref().map(|code| (&code.kernel, &code.sha256));
    if found != spec.replaced.as_ref().map(|replaced| (&replaced.kernel, &replaced.sha256)) {
        return bad("the report does not say whose code ran".to_owned());
    }
    match parsed.device {
        Some(device) if spec.backend.makes(device.backend) => Ending::Report(bytes),
        _ => bad(format!("the report's device is not of the backend {}", spec.backend.id())),
    }
}
