//! Multi-head latent attention (DeepSeek V2 and V3, Kimi K2).

use super::{NormKernel, layer::Layer};
use crate::{
    Latent,
    formula::{Term, b, n},
};

impl Layer<'_> {
    /// The attention half of the layer, without its input.
    pub(super) fn latent_attention(&self, latent: &Latent) -> Term {
        let sum = b(self.e()) * self.tokens() * self.latent_products(latent) + self.latent_norms(latent);
        match self.attention_statistics() {
            Some(statistics) => sum + statistics,
            None => sum,
        }
    }

    /// Numbers per token: outputs of the two inner norms, queries and keys after rotation, the up-projected keys and
    /// values, values and output of attention.
    pub(super) fn latent_products(&self, latent: &Latent) -> Term {
        let heads = || n(self.model.heads);
        let whole_key = n(latent.nope_dim) + n(latent.rope_dim);
        let inner = n(2) * heads() * whole_key
            + heads() * (n(latent.nope_dim) + n(latent.value_dim))
            + n(2) * heads() * n(latent.value_dim);
        let sum = match latent.q_rank {
            // Products save the outputs of the inner norms in FP8.
            _ if self.is_fp8() => inner,
            Some(rank) => n(rank) + n(latent.kv_rank) + inner,
            None => n(latent.kv_rank) + inner,
        };
        // A norm that keeps its input keeps the rotary key beside it: both are one tensor.
        let keeps_input = self.how.norm == NormKernel::Fused || self.precision.is_wide();
        if keeps_input { sum + n(latent.rope_dim) } else { sum }
    }

    /// The norms over the compressed queries and the compressed keys and values.
    pub(super) fn latent_norms(&self, latent: &Latent) -> Term {
        let sum = self.norm(latent.kv_rank);
        let sum = match latent.q_rank {
            Some(rank) => self.norm(rank) + sum,
            None => sum,
        };
        self.tokens() * sum
    }
}
