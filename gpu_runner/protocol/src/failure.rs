//! Why a job ended without a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::Nonce;
use crate::limits::FAILURE_MESSAGE_BYTES;

/// `POST /api/v1/runner/jobs/{id}/failures`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub nonce: Nonce,
    pub kind: FailureKind,
    /// One or a few lines for a person. Never a secret, never a path of the runner's machine.
    #[serde(deserialize_with = "cut_message")]
    pub message: String,
}

impl Failure {
    /// Cuts the message to the limit at a character border and drops control characters except the line feed.
    pub fn new(nonce: Nonce, kind: FailureKind, message: &str) -> Self {
        Self { nonce, kind, message: clean(message) }
    }
}

fn clean(message: &str) -> String {
    let mut text = String::new();
    for c in message.chars().filter(|c| *c == '\n' || !c.is_control()) {
        if text.len() + c.len_utf8() > FAILURE_MESSAGE_BYTES {
            break;
        }
        text.push(c);
    }
    text
}

fn cut_message<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(clean(&String::deserialize(deserializer)?))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The lab refuses the job's parameters.
    Parameters,
    /// The lab's program ended with an error of its own.
    Lab,
    /// This runner has no such lab, or the lab does not run on its backend.
    UnknownLab,
    ChildCouldNotStart,
    ChildCrashed,
    ChildTimedOut,
    ChildOutOfMemory,
    /// The child ended well but what it left is no report.
    BadReport,
    /// The runner was asked to stop while the job ran.
    RunnerStopped,
}

/// Who has to act. Neither costs an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The runner or its machine: the job deserves another try.
    Infrastructure,
    /// The same job would fail again: another try is of no use.
    Lab,
}

impl FailureKind {
    pub const ALL: [Self; 9] = [
        Self::Parameters,
        Self::Lab,
        Self::UnknownLab,
        Self::ChildCouldNotStart,
        Self::ChildCrashed,
        Self::ChildTimedOut,
        Self::ChildOutOfMemory,
        Self::BadReport,
        Self::RunnerStopped,
    ];

    pub const fn class(self) -> FailureClass {
        match self {
            Self::Parameters | Self::Lab => FailureClass::Lab,
            _ => FailureClass::Infrastructure,
        }
    }

    pub const fn id(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Lab => "lab",
            Self::UnknownLab => "unknown_lab",
            Self::ChildCouldNotStart => "child_could_not_start",
            Self::ChildCrashed => "child_crashed",
            Self::ChildTimedOut => "child_timed_out",
            Self::ChildOutOfMemory => "child_out_of_memory",
            Self::BadReport => "bad_report",
            Self::RunnerStopped => "runner_stopped",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
