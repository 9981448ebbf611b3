//! Choices that are named by a slug in URLs, forms and expressions.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The slug names no choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {field} {found:?}: expected one of {known}")]
pub struct UnknownChoice {
    pub field: &'static str,
    pub found: String,
    /// The slugs that exist, separated by commas.
    pub known: String,
}

impl UnknownChoice {
    pub(crate) fn new(field: &'static str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self { field, found: found.chars().take(60).collect(), known }
    }
}

/// What of the forward pass is kept for the backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Checkpointing {
    /// Everything that the backward formulas read.
    None,
    /// The input of each layer; the layer is computed again in its backward.
    EveryLayer,
    /// `⌈√layers⌉` segments: the input of each segment; its layers are computed again together.
    SqrtSegments,
}

impl Checkpointing {
    pub const ALL: &'static [Checkpointing] =
        &[Checkpointing::None, Checkpointing::EveryLayer, Checkpointing::SqrtSegments];

    pub const fn id(self) -> &'static str {
        match self {
            Checkpointing::None => "none",
            Checkpointing::EveryLayer => "every_layer",
            Checkpointing::SqrtSegments => "sqrt_segments",
        }
    }

    /// Layers whose saved tensors are alive together in the backward pass.
    pub(super) fn segment_layers(self, layers: u64) -> u64 {
        match self {
            Checkpointing::None | Checkpointing::EveryLayer => 1,
            Checkpointing::SqrtSegments => layers.div_ceil(self.checkpoints(layers).max(1)),
        }
    }

    /// Inputs that are kept.
    pub(super) fn checkpoints(self, layers: u64) -> u64 {
        match self {
            Checkpointing::None => 0,
            Checkpointing::EveryLayer => layers,
            Checkpointing::SqrtSegments => {
                let root = layers.isqrt();
                if root.saturating_mul(root) < layers { root + 1 } else { root }
            }
        }
    }
}

impl FromStr for Checkpointing {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.id() == name)
            .ok_or_else(|| UnknownChoice::new("checkpointing", name, Self::ALL.iter().map(|choice| choice.id())))
    }
}
