//! The one report schema, `vramlab-report/v1`: a JSON document about one lab.
//!
//! Units are in the names: `_bytes` are integers, `_ms` are milliseconds, `_per_s` are rates, losses are in nats.
//! A value that was not measured is absent, never zero.

mod candidate;
mod conditions;
mod decision;
mod device;
mod level;
mod limits;
mod naming;
mod provenance;
mod ranks;
mod resources;
mod serving;
pub(crate) mod spread;
mod traced;
mod workload;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use candidate::{Boundary, BoundaryKind, Candidate, Metrics, Quality, Status, Timer};
pub use conditions::Conditions;
pub use decision::{Budget, Decision, Meaning, Word};
pub use device::{Backend, DeviceFacts, DeviceKind, EvidenceClass};
pub use level::EvidenceLevel;
pub use limits::ServingLimits;
pub use provenance::Provenance;
pub use ranks::Ranks;
pub use resources::{Compiled, KernelResources, TargetResources};
pub use serving::{PrefixCache, Quantised, Serving, Speculative, Times};
pub use spread::{Interval, IntervalMethod, Spread};
pub use traced::{Event, MemoryStep, Reached, Roofline};
pub use workload::{Distributed, Inference, Kernel, Training, Workload};

/// The schema's name, the value of `schema` in every report.
pub const SCHEMA: &str = "vramlab-report/v1";

/// The name of the schema as a type with one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum SchemaId {
    #[default]
    #[serde(rename = "vramlab-report/v1")]
    V1,
}

/// A predicted entry of a ledger, as a report carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerLine {
    /// Which kind of thing, one of the ledger's objects (`parameter`, `gradient`, `kv_cache`, …).
    #[schemars(with = "String")]
    pub object: ledger::Object,
    /// Which thing of that kind, as a slug (`weights`, `adam_m`, …).
    pub part: String,
    /// First and last phase in which it is alive, both included.
    #[schemars(with = "String")]
    pub from: ledger::Phase,
    #[schemars(with = "String")]
    pub to: ledger::Phase,
    pub bytes: u64,
    /// The arithmetic with its numbers filled in.
    pub formula: String,
    /// What a run measured for the same thing, if the lab can measure it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_bytes: Option<u64>,
}

impl From<ledger::Entry> for LedgerLine {
    fn from(entry: ledger::Entry) -> Self {
        Self {
            object: entry.object,
            part: entry.part.into_owned(),
            from: entry.span.from,
            to: entry.span.to,
            bytes: entry.bytes,
            formula: entry.formula,
            measured_bytes: None,
        }
    }
}

/// Where a report in this schema was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The shape of the file that was read, as in [`crate::Shape::id`].
    pub shape: String,
    /// SHA-256 of its exact bytes, lower-case hex.
    pub sha256: String,
}

/// Code that a learner wrote and a runner ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnerCode {
    /// The kernel of the lab whose place it took.
    pub kernel: String,
    /// `cuda` or `wgsl`.
    pub language: String,
    /// SHA-256 of its text, lower-case hex.
    pub sha256: String,
    /// What it would take of a card. Absent where the runner had no compiler for cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<KernelResources>,
}

/// One report about one lab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub schema: SchemaId,
    /// The lab's id: the name of its folder.
    pub lab: String,
    pub workload: Workload,
    /// What ran it. Absent when the report names no device: then it proves nothing about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceFacts>,
    pub level: EvidenceLevel,
    /// What the device reaches at all, measured in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// The predicted ledger of the baseline, and of what other candidates hold besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<LedgerLine>,
    /// The reference run is called `baseline`; the others each change one thing.
    pub candidates: Vec<Candidate>,
    /// Runs that found the edge of the memory: a record, not a failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boundaries: Vec<Boundary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Set when a learner's own code took the place of one of the lab's kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learner_code: Option<LearnerCode>,
    /// Absent where the device has no monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
}

impl Report {
    /// The class of this report's evidence: what [`DeviceFacts::evidence_class`] says about its device, provided that
    /// something was measured on it. Without a measured number a device proves nothing; a ledger without one is theory,
    /// and a simulation is the processor's work whatever card stands beside it.
    pub fn evidence_class(&self) -> EvidenceClass {
        if self.is_calculated() {
            return EvidenceClass::Theory;
        }
        match &self.device {
            Some(device) if self.has_measurement() => match device.evidence_class() {
                EvidenceClass::Gpu if self.level == EvidenceLevel::CpuSimulation => EvidenceClass::Cpu,
                class => class,
            },
            _ => EvidenceClass::Unproven,
        }
    }

    /// Whether it holds a ledger, says so, and claims no measurement.
    pub fn is_calculated(&self) -> bool {
        self.level == EvidenceLevel::Theoretical && !self.ledger.is_empty() && !self.has_measurement()
    }

    /// Whether any candidate carries a measured number, or the edge of the memory was found.
    pub fn has_measurement(&self) -> bool {
        !self.boundaries.is_empty()
            || self.candidates.iter().any(|candidate| candidate.status == Status::Oom || !candidate.metrics.is_empty())
    }

    pub fn candidate(&self, name: &str) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }

    pub fn baseline(&self) -> Option<&Candidate> {
        self.candidate(Candidate::BASELINE)
    }
}
