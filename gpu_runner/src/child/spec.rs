//! What supervisor and child say to each other, one JSON document per line.

use std::ffi::OsString;
use std::path::PathBuf;

use evidence::KernelResources;
use labs::run::{Params, Stage};
use protocol::FailureKind;
use serde::{Deserialize, Serialize};

use super::compile::CompileSpec;
use super::resources::ResourcesSpec;
use crate::backend::BackendName;

/// What a child says: longer lines are not read further.
pub const MAX_LINE_BYTES: u64 = 16 * 1024;
/// What a child is told: a learner's text as a JSON string is at most twice as long as the text.
pub const TASK_BYTES: u64 = MAX_LINE_BYTES + 2 * protocol::limits::KERNEL_BYTES as u64;
/// Beside a learner's shader.
const THEIR_MEMORY_BYTES: u64 = 4 << 30;
/// In the child's working directory, which is private to the job.
pub const REPORT_FILE: &str = "report.json";

/// The child's whole task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    Compile(CompileSpec),
    Resources(ResourcesSpec),
    Execute(Spec),
}

impl Task {
    /// What the process that does it keeps of ours.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        match self {
            Self::Compile(_) | Self::Resources(_) => Vec::new(),
            Self::Execute(spec) => spec.backend.environment().collect(),
        }
    }
}

/// A run of a lab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub lab: String,
    pub params: Params,
    pub backend: BackendName,
    pub cpu_seconds: u64,
    pub memory_bytes: Option<u64>,
    /// A kernel of the lab whose place a learner's code takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Replaced>,
}

impl Spec {
    /// Of the lab's process. A learner's shader may ask for any amount; a device's library and the largest shape need far less.
    pub fn most_memory_bytes(&self) -> Option<u64> {
        if !self.runs_theirs_beside_the_judge() {
            return self.memory_bytes;
        }
        Some(self.memory_bytes.map_or(THEIR_MEMORY_BYTES, |bytes| bytes.min(THEIR_MEMORY_BYTES)))
    }

    /// Whether a learner's code runs on a device that the lab's own process opened: what ends that process is theirs then.
    pub fn runs_theirs_beside_the_judge(&self) -> bool {
        self.replaced.as_ref().is_some_and(|replaced| matches!(replaced.code, Code::Text(_)))
    }
}

/// A learner's code. Its hash goes into the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replaced {
    /// The kernel's name in the lab.
    pub kernel: String,
    pub language: protocol::KernelLanguage,
    pub sha256: String,
    pub code: Code,
    /// For the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<KernelResources>,
}

/// In the form in which it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The shared object, in a folder where no process of a learner writes.
    Library(PathBuf),
    /// WGSL, which the device's library checks and compiles.
    Text(protocol::KernelText),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Stage(#[serde(with = "stage")] Stage),
    Note(String),
    /// The last line of a run without a report.
    Failed {
        kind: FailureKind,
        message: String,
    },
    /// The last line of a child that was asked what a kernel takes.
    Resources(KernelResources),
    /// The last line of a run whose report is in its file.
    Finished,
}

mod stage {
    use labs::run::Stage;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(stage: &Stage, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(stage.id())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stage, D::Error> {
        let text = String::deserialize(deserializer)?;
        Stage::ALL.into_iter().find(|stage| stage.id() == text).ok_or_else(|| D::Error::custom("unknown stage"))
    }
}
