//! One layer: what its parts have in common.

use super::{AttentionKernel, Implementation, NormKernel, Recompute, Trained};
use crate::{
    Family, Model, Norm,
    formula::{Term, b, n},
    training::Precision,
};

/// The feed-forward half of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    Dense,
    Experts,
}

/// A layer, the tokens that pass through it and how.
#[derive(Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub model: &'a Model,
    pub precision: Precision,
    pub batch: u64,
    pub seq: u64,
    pub how: Implementation,
    pub trained: Trained,
    pub block: Block,
    /// Parts that are left out because they are computed again.
    pub recompute: Recompute,
    /// Numbers per token that adapters save beyond [`Trained`].
    pub extra: u64,
}

impl Layer<'_> {
    /// Bytes that the layer saves.
    pub(crate) fn term(&self) -> Term {
        match self.model.norm {
            Norm::Rms => self.llama(),
            Norm::Layer => self.gpt(),
        }
    }

    /// Bytes per number that a matrix product saves.
    pub(super) fn e(&self) -> u64 {
        self.precision.compute_bytes()
    }

    pub(super) fn tokens(&self) -> Term {
        n(self.batch) * n(self.seq)
    }

    pub(super) fn queries(&self) -> Term {
        n(self.model.heads) * n(self.model.head_dim)
    }

    pub(super) fn keys(&self) -> Term {
        n(self.model.kv_heads) * n(self.model.head_dim)
    }

    pub(super) fn is_fp8(&self) -> bool {
        self.precision == Precision::Fp8
    }

    /// The input of the layer, in the format of the residual stream.
    pub(crate) fn input(&self) -> Term {
        b(self.precision.stream_bytes()) * self.tokens() * n(self.model.hidden)
    }

    pub(super) fn frozen(&self) -> bool {
        self.trained != Trained::All
    }

    /// Bytes per token that one RMSNorm over `width` numbers saves.
    pub(super) fn norm(&self, width: u64) -> Term {
        // Gemma multiplies by its weight before it leaves FP32.
        let gemma = matches!(self.model.family, Family::Gemma2 | Family::Gemma3);
        let per_number = match (self.how.norm, self.frozen()) {
            (NormKernel::Fused, _) => self.e(),
            (_, true) => 4,
            (NormKernel::Composite, false) => 8,
            (NormKernel::Eager, false) if self.precision.is_wide() || gemma => 8,
            (NormKernel::Eager, false) => 6,
        };
        b(per_number) * n(width) + b(4)
    }

    /// What attention keeps per pair or per token besides its inputs and output.
    pub(super) fn attention_statistics(&self) -> Option<Term> {
        let heads = n(self.model.heads);
        if self.recompute.core_attention {
            return None;
        }
        Some(match self.how.attention {
            AttentionKernel::Flash | AttentionKernel::FlashRepeated => b(4) * heads * self.tokens(),
            // An FP32 softmax, and its copy in the format of the values.
            AttentionKernel::Eager => {
                let bytes = if self.e() == 4 { 4 } else { 4 + self.e() };
                b(bytes) * heads * n(self.batch) * n(self.seq) * n(self.seq)
            }
        })
    }
}
