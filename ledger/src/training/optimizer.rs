//! Optimizers, their states and what they need for a moment during `step()`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::UnknownChoice;

/// An optimizer and its implementation: the implementation decides about the peak.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Optimizer {
    /// AdamW, multi-tensor (`foreach=True`, PyTorch's default on CUDA): one temporary as large as all parameters.
    #[serde(rename = "adamw_foreach")]
    AdamWForeach,
    /// AdamW, `fused=True`: no temporary.
    #[serde(rename = "adamw_fused")]
    AdamWFused,
    /// AdamW run per parameter in a hook of its backward: gradients never exist together.
    #[serde(rename = "adamw_in_backward")]
    AdamWInBackward,
    /// Blockwise 8-bit AdamW (bitsandbytes).
    #[serde(rename = "adamw_8bit")]
    AdamW8bit,
    /// AdamW with FP32 states in managed memory (bitsandbytes): they live on the host, pages of one tensor at a time
    /// are on the device. The driver may leave more there as long as nobody needs the room; this is the least.
    #[serde(rename = "paged_adamw")]
    PagedAdamW,
    /// As `PagedAdamW` with 8-bit states; their block maxima stay on the device.
    #[serde(rename = "paged_adamw_8bit")]
    PagedAdamW8bit,
    /// Lion, tensor by tensor: one state.
    Lion,
    /// Adafactor without a first moment: a second moment factored into rows and columns.
    Adafactor,
    /// Plain SGD: no state.
    Sgd,
    /// SGD with momentum: one state.
    Momentum,
    /// Momentum orthogonalised by Newton–Schulz iterations for the matrices of the layers, fused AdamW for embeddings,
    /// norms, biases and the head (`torch.optim.Muon` beside AdamW, whose step counters are left out). Stacked experts
    /// are updated matrix by matrix.
    Muon,
}

impl Optimizer {
    pub const ALL: &'static [Optimizer] = &[
        Optimizer::AdamWForeach,
        Optimizer::AdamWFused,
        Optimizer::AdamWInBackward,
        Optimizer::AdamW8bit,
        Optimizer::PagedAdamW,
        Optimizer::PagedAdamW8bit,
        Optimizer::Lion,
        Optimizer::Adafactor,
        Optimizer::Sgd,
        Optimizer::Momentum,
        Optimizer::Muon,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Optimizer::AdamWForeach => "adamw_foreach",
            Optimizer::AdamWFused => "adamw_fused",
            Optimizer::AdamWInBackward => "adamw_in_backward",
            Optimizer::AdamW8bit => "adamw_8bit",
            Optimizer::PagedAdamW => "paged_adamw",
            Optimizer::PagedAdamW8bit => "paged_adamw_8bit",
            Optimizer::Lion => "lion",
            Optimizer::Adafactor => "adafactor",
            Optimizer::Sgd => "sgd",
            Optimizer::Momentum => "momentum",
            Optimizer::Muon => "muon",
        }
    }

    /// The states, by slug.
    pub const fn states(self) -> &'static [&'static str] {
        match self {
            Optimizer::AdamWForeach
            | Optimizer::AdamWFused
            | Optimizer::AdamWInBackward
            | Optimizer::AdamW8bit
            | Optimizer::PagedAdamW
            | Optimizer::PagedAdamW8bit => &["adam_m", "adam_v"],
            Optimizer::Muon => &["muon_momentum", "adam_m", "adam_v"],
            Optimizer::Lion => &["lion_m"],
            Optimizer::Adafactor => &["factored_v"],
            Optimizer::Sgd => &[],
            Optimizer::Momentum => &["momentum"],
        }
    }

    /// Every state has one number per parameter, in the format of the master weights.
    pub(super) const fn has_plain_states(self) -> bool {
        matches!(
            self,
            Optimizer::AdamWForeach
                | Optimizer::AdamWFused
                | Optimizer::AdamWInBackward
                | Optimizer::Lion
                | Optimizer::Sgd
                | Optimizer::Momentum
        )
    }
}

impl FromStr for Optimizer {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.id() == name)
            .ok_or_else(|| UnknownChoice::new("optimizer", name, Self::ALL.iter().map(|choice| choice.id())))
    }
}
