//! What a search may choose.

use serde::{Deserialize, Serialize};

use crate::{
    catalogue::Card,
    parallel::{Offload, Place, Schedule, ZeroStage},
    training::{Checkpointing, Optimizer, Precision},
};

/// Equal cards that are at hand.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Offer {
    pub card: &'static Card,
    pub count: u64,
}

/// The choices of a training search. Precision and optimizer decide about what is learned, not only about memory:
/// list those that are acceptable.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    pub precisions: Vec<Precision>,
    pub optimizers: Vec<Optimizer>,
    pub checkpointing: Vec<Checkpointing>,
    pub zero: Vec<ZeroStage>,
    pub offload: Vec<Offload>,
    pub schedules: Vec<Schedule>,
    pub max_tensor: u64,
    pub max_pipeline: u64,
    pub max_expert: u64,
    pub max_context: u64,
    /// Sequences per micro-batch, at most.
    pub max_batch: u64,
    /// Gradients of several micro-batches may be added up.
    pub accumulate: bool,
    /// Plans that the answer lists.
    pub keep: usize,
}

impl Default for Space {
    /// BF16 with FP32 states (autocast or master copy), AdamW fused or with 8-bit states; everything that does not
    /// change what is learned.
    fn default() -> Self {
        let away = |states, weights| Offload { states, weights };
        Self {
            precisions: vec![Precision::Bf16Master, Precision::AmpBf16],
            optimizers: vec![Optimizer::AdamWFused, Optimizer::AdamW8bit],
            // Selective recomputation has little to drop beside the kernels that are searched with: no scores are saved.
            checkpointing: vec![Checkpointing::None, Checkpointing::EveryLayer, Checkpointing::SqrtSegments],
            zero: ZeroStage::ALL.to_vec(),
            offload: vec![
                Offload::NONE,
                away(Place::Host, Place::Device),
                away(Place::Host, Place::Host),
                away(Place::Nvme, Place::Host),
                away(Place::Nvme, Place::Nvme),
            ],
            schedules: vec![Schedule::OneForwardOneBackward, Schedule::Interleaved { chunks: 2 }],
            max_tensor: 8,
            max_pipeline: 64,
            max_expert: 64,
            max_context: 1,
            max_batch: 64,
            accumulate: true,
            keep: 10,
        }
    }
}
