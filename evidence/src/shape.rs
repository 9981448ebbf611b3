//! Which kind of file a report is.

use serde::{Deserialize, Serialize};

/// The shape of a report file, told by its keys and stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `vramlab-report/v1`.
    V1,
    /// Lab 73, FP32 and AMP as a pair.
    #[serde(rename = "lab73_paired")]
    Lab73Paired,
    /// Lab 73, one BF16 run without comparison.
    #[serde(rename = "lab73_probe")]
    Lab73Probe,
    /// Lab 76, strategies against a baseline.
    Lab76,
    /// Lab 75, a budget decision on the numbers of 76.
    Lab75,
    /// A preflight or dry run of any lab: nothing was measured.
    DryRun,
    /// `training-memory-benchmark/v1`: 73, 75 or 76 rewritten by the course's normaliser.
    TrainingMemoryV1,
    /// Lab 74, a profiler run.
    #[serde(rename = "lab74_profile")]
    Lab74Profile,
    /// Lab 74, a merge of other reports.
    #[serde(rename = "lab74_merge")]
    Lab74Merge,
    /// Lab 66, what the load generator writes.
    #[serde(rename = "lab66_raw")]
    Lab66Raw,
    /// `inference-benchmark/v1` and its kin.
    InferenceBenchmark,
    /// `fine-tuning-project/v1`.
    FineTuning,
    /// Quantisation reports of labs 67, 82, 83 and page 25.
    Quantization,
    /// Reports of labs 79–81 and their producers.
    Distributed,
    /// `architecture-evaluation/v1` of labs 61 and 71.
    Architecture,
    /// `project-evidence/v1`.
    ProjectEvidence,
    /// No known shape: kept as it came.
    Unrecognised,
    /// Mechanism pages of the training side: 12, 19, 42.
    TrainingMechanism,
}

impl Shape {
    pub const ALL: [Shape; 18] = [
        Shape::V1,
        Shape::Lab73Paired,
        Shape::Lab73Probe,
        Shape::Lab76,
        Shape::Lab75,
        Shape::DryRun,
        Shape::TrainingMemoryV1,
        Shape::Lab74Profile,
        Shape::Lab74Merge,
        Shape::Lab66Raw,
        Shape::InferenceBenchmark,
        Shape::FineTuning,
        Shape::Quantization,
        Shape::Distributed,
        Shape::Architecture,
        Shape::ProjectEvidence,
        Shape::Unrecognised,
        Shape::TrainingMechanism,
    ];

    /// The shapes that are graded; the others are recognised and answered as not evidence.
    pub const GRADED: [Shape; 16] = [
        Shape::V1,
        Shape::Lab73Paired,
        Shape::Lab73Probe,
        Shape::Lab76,
        Shape::Lab75,
        Shape::TrainingMemoryV1,
        Shape::Lab74Profile,
        Shape::Lab74Merge,
        Shape::FineTuning,
        Shape::TrainingMechanism,
        Shape::ProjectEvidence,
        Shape::Lab66Raw,
        Shape::InferenceBenchmark,
        Shape::Quantization,
        Shape::Distributed,
        Shape::Architecture,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Shape::V1 => "v1",
            Shape::Lab73Paired => "lab73_paired",
            Shape::Lab73Probe => "lab73_probe",
            Shape::Lab76 => "lab76",
            Shape::Lab75 => "lab75",
            Shape::DryRun => "dry_run",
            Shape::TrainingMemoryV1 => "training_memory_v1",
            Shape::Lab74Profile => "lab74_profile",
            Shape::Lab74Merge => "lab74_merge",
            Shape::Lab66Raw => "lab66_raw",
            Shape::InferenceBenchmark => "inference_benchmark",
            Shape::FineTuning => "fine_tuning",
            Shape::Quantization => "quantization",
            Shape::Distributed => "distributed",
            Shape::Architecture => "architecture",
            Shape::ProjectEvidence => "project_evidence",
            Shape::Unrecognised => "unrecognised",
            Shape::TrainingMechanism => "training_mechanism",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.id() == id)
    }

    pub fn is_graded(self) -> bool {
        Self::GRADED.contains(&self)
    }
}
