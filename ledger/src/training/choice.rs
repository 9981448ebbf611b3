//! Choices that are named by a slug in URLs, forms and expressions.

use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Serialize};

use super::Recompute;
use crate::LedgerError;

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
///
/// ```
/// use ledger::training::{Checkpointing, Recompute};
/// assert_eq!("segments_4".parse(), Ok(Checkpointing::Segments(4)));
/// let parts = Recompute { norms: true, mlp: true, ..Recompute::NOTHING };
/// assert_eq!(Checkpointing::Parts(parts).slug(), "recompute_norms+mlp");
/// assert_eq!("recompute_norms+mlp".parse(), Ok(Checkpointing::Parts(parts)));
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Checkpointing {
    /// Everything that the backward formulas read.
    None,
    /// Everything but what lies between query, key, value and the output of attention (Megatron's selective
    /// recomputation, Korthikanti et al. 2022).
    Selective,
    /// The input of each layer; the layer is computed again in its backward.
    EveryLayer,
    /// `⌈√layers⌉` segments: the input of each segment; its layers are computed again together.
    SqrtSegments,
    /// So many segments of `⌊layers ÷ segments⌋` layers, the last with the rest and not checkpointed, as PyTorch's
    /// `checkpoint_sequential` cuts them.
    Segments(u64),
    /// Everything but these parts of each layer.
    Parts(Recompute),
}

impl Checkpointing {
    /// The choices without a number or a list of their own.
    pub const ALL: &'static [Checkpointing] =
        &[Checkpointing::None, Checkpointing::Selective, Checkpointing::EveryLayer, Checkpointing::SqrtSegments];

    /// The name of the choice without its number or list.
    pub const fn id(self) -> &'static str {
        match self {
            Checkpointing::None => "none",
            Checkpointing::Selective => "selective",
            Checkpointing::EveryLayer => "every_layer",
            Checkpointing::SqrtSegments => "sqrt_segments",
            Checkpointing::Segments(_) => "segments",
            Checkpointing::Parts(_) => "recompute",
        }
    }

    /// The name with number or list, as [`FromStr`] reads it.
    pub fn slug(self) -> Cow<'static, str> {
        match self {
            Checkpointing::Segments(segments) => Cow::Owned(format!("segments_{segments}")),
            Checkpointing::Parts(parts) => Cow::Owned(format!("recompute_{}", parts.slug())),
            other => Cow::Borrowed(other.id()),
        }
    }

    /// The parts of a layer that are computed again while the rest of it is kept; `None` where whole layers are.
    pub(super) const fn recompute(self) -> Option<Recompute> {
        match self {
            Checkpointing::None | Checkpointing::Segments(1) => Some(Recompute::NOTHING),
            Checkpointing::Selective => Some(Recompute::CORE_ATTENTION),
            Checkpointing::Parts(parts) => Some(parts),
            _ => None,
        }
    }

    pub(super) const fn is_segmented(self) -> bool {
        matches!(self, Checkpointing::SqrtSegments | Checkpointing::Segments(_))
    }

    pub(super) fn check(self, layers: u64) -> Result<(), LedgerError> {
        match self {
            Checkpointing::Segments(0) => Err(LedgerError::Zero { field: "segments" }),
            Checkpointing::Segments(segments) if segments > layers => Err(LedgerError::Contradiction {
                field: "segments",
                value: segments,
                other: "layers",
                other_value: layers,
                why: "a segment has at least one layer",
            }),
            _ => Ok(()),
        }
    }

    /// Layers whose saved tensors are alive together in the backward pass.
    pub(super) fn segment_layers(self, layers: u64) -> u64 {
        match self {
            Checkpointing::SqrtSegments => layers.div_ceil(self.checkpoints(layers).max(1)),
            Checkpointing::Segments(segments) if segments > 1 => (layers / segments).max(1),
            _ => 1,
        }
    }

    /// Layers at the end that are not checkpointed though the others are.
    pub(super) fn plain_layers(self, layers: u64) -> u64 {
        match self {
            Checkpointing::Segments(segments) if segments > 1 => {
                layers - self.segment_layers(layers).saturating_mul(segments - 1).min(layers)
            }
            _ => 0,
        }
    }

    /// Inputs that are kept.
    pub(super) fn checkpoints(self, layers: u64) -> u64 {
        match self {
            Checkpointing::EveryLayer => layers,
            Checkpointing::Segments(segments) => segments.saturating_sub(1),
            Checkpointing::SqrtSegments => {
                let root = layers.isqrt();
                if root.saturating_mul(root) < layers { root + 1 } else { root }
            }
            _ => 0,
        }
    }
}

impl FromStr for Checkpointing {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let plain = || Self::ALL.iter().copied().find(|choice| choice.id() == name);
        let segments = || name.strip_prefix("segments_")?.parse().ok().map(Checkpointing::Segments);
        let parts = || name.strip_prefix("recompute_").and_then(Recompute::from_slug).map(Checkpointing::Parts);
        let known = Self::ALL.iter().map(|choice| choice.id()).chain(["segments_4", "recompute_norms+mlp"]);
        plain().or_else(segments).or_else(parts).ok_or_else(|| UnknownChoice::new("checkpointing", name, known))
    }
}
