//! Runs: the baseline, the candidates, and the edges they found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryStep, PrefixCache, Quantised, Ranks, Reached, Serving, Speculative, Spread};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Ok,
    /// Out of memory: a boundary record.
    Oom,
    /// Some of its repeats ran out of memory.
    PartialOom,
    /// Did not finish for another reason.
    Failed,
}

impl Status {
    pub const fn id(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Oom => "oom",
            Status::PartialOom => "partial_oom",
            Status::Failed => "failed",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        [Status::Ok, Status::Oom, Status::PartialOom, Status::Failed].into_iter().find(|status| status.id() == id)
    }
}

/// Who took the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timer {
    /// The host's clock around synchronised work.
    Host,
    /// Events or timestamps recorded on the device.
    DeviceEvents,
}

/// Measured numbers of one run, or the mean of several. Absent means not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// One optimizer step of training, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_time_ms: Option<f64>,
    /// One launch of a kernel lab's operation, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
    /// Who took the times, those of the runs as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Timer>,
    /// How far the runs' times lie apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// How near the time comes to what the device reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// Samples per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples_per_s: Option<f64>,
    /// Peak of what the allocator had handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_allocated_bytes: Option<u64>,
    /// Peak of what the allocator held from the driver: never below the allocated peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_reserved_bytes: Option<u64>,
    /// What was already allocated when the timed region began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_before_bytes: Option<u64>,
    /// Bytes read and written by one operation, as the device counted them; absent where it counts none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_moved: Option<u64>,
    /// Requests answered by a server, or by a simulator of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving: Option<Serving>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speculative: Option<Speculative>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_cache: Option<PrefixCache>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantised: Option<Quantised>,
    /// One number for each rank of a step over several devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Ranks>,
}

impl Metrics {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a run says about being right.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Quality {
    /// Training loss of the last step, nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Loss on held-out data, nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_loss: Option<f64>,
    /// Largest absolute difference from the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_abs_error: Option<f64>,
    /// Largest difference relative to the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rel_error: Option<f64>,
    /// The tolerance that the errors are held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

impl Quality {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A run that is compared: the baseline, or one that changes one thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// `baseline` for the reference; otherwise the strategy's name.
    pub name: String,
    #[serde(default)]
    pub status: Status,
    /// Means over the repeats that finished.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub metrics: Metrics,
    #[serde(default, skip_serializing_if = "Quality::is_empty")]
    pub quality: Quality,
    /// The single repeats, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Metrics>,
    /// Its allocations in their order, alone on the device. The allocated peak is that of the last phase, which is timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<MemoryStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Candidate {
    /// The name of the reference run.
    pub const BASELINE: &'static str = "baseline";

    pub fn is_baseline(&self) -> bool {
        self.name == Self::BASELINE
    }
}

/// Which edge was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryKind {
    Oom,
}

/// A capacity boundary: what was tried when the memory ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    pub kind: BoundaryKind,
    /// The candidate that met it.
    pub candidate: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
