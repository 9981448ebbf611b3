//! Optimizers, their states and what they need for a moment during `step()`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::UnknownChoice;

/// An optimizer and its implementation: the implementation decides about the peak.
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
    /// Lion, tensor by tensor: one state.
    Lion,
    /// Adafactor without a first moment: a second moment factored into rows and columns.
    Adafactor,
    /// Plain SGD: no state.
    Sgd,
    /// SGD with momentum: one state.
    Momentum,
}

impl Optimizer {
    pub const ALL: &'static [Optimizer] = &[
        Optimizer::AdamWForeach,
        Optimizer::AdamWFused,
        Optimizer::AdamWInBackward,
        Optimizer::AdamW8bit,
        Optimizer::Lion,
        Optimizer::Adafactor,
        Optimizer::Sgd,
        Optimizer::Momentum,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Optimizer::AdamWForeach => "adamw_foreach",
            Optimizer::AdamWFused => "adamw_fused",
            Optimizer::AdamWInBackward => "adamw_in_backward",
            Optimizer::AdamW8bit => "adamw_8bit",
            Optimizer::Lion => "lion",
            Optimizer::Adafactor => "adafactor",
            Optimizer::Sgd => "sgd",
            Optimizer::Momentum => "momentum",
        }
    }

    /// The states kept per parameter, by slug.
    pub const fn states(self) -> &'static [&'static str] {
        match self {
            Optimizer::AdamWForeach | Optimizer::AdamWFused | Optimizer::AdamWInBackward | Optimizer::AdamW8bit => {
                &["adam_m", "adam_v"]
            }
            Optimizer::Lion => &["lion_m"],
            Optimizer::Adafactor => &["factored_v"],
            Optimizer::Sgd => &[],
            Optimizer::Momentum => &["momentum"],
        }
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
