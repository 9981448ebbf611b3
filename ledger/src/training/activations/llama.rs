//! Layers with RMSNorm, rotary positions and a gated feed-forward block.

use super::{
    AttentionKernel, MlpKernel, Trained,
    layer::{Block, Layer},
};
use crate::{
    Family,
    formula::{Term, b, n},
};

impl Layer<'_> {
    pub(super) fn llama(&self) -> Term {
        let model = self.model;
        let norms = self.tokens() * n(model.norms_per_layer) * self.norm(model.hidden);
        let products = b(self.e()) * self.tokens() * self.products();
        let mut sum = match &model.latent {
            Some(latent) => products + norms + self.latent_norms(latent),
            None => products + norms,
        };
        if model.qk_norm {
            let heads = n(model.heads) + n(model.kv_heads);
            sum = sum + self.tokens() * heads * self.norm(model.head_dim);
        }
        sum = sum + self.attention_statistics();
        match (self.block, &model.experts) {
            (Block::Experts, Some(experts)) => sum + self.experts(experts),
            _ => sum,
        }
    }

    /// Numbers per token that matrix products, attention and the activation function save, experts apart.
    fn products(&self) -> Term {
        let attention = match &self.model.latent {
            Some(latent) => self.latent_products(latent),
            None => self.attention_products(),
        };
        let inner = match self.block {
            Block::Dense => attention + n(self.widths()) * n(self.model.intermediate),
            Block::Experts => attention,
        };
        let hidden = n(self.model.hidden);
        match self.trained {
            // Autocast casts the shared input of query, key and value and of gate and up once for each.
            Trained::All if self.precision.is_autocast() => n(5) * hidden + inner,
            Trained::All => n(2) * hidden + inner,
            Trained::Nothing => inner,
            Trained::LoraQueryValue { rank } => hidden + n(2) * n(rank) + inner,
            Trained::LoraAll { rank } => n(2) * hidden + n(self.model.intermediate) + n(7) * n(rank) + inner,
        }
    }

    /// Tensors of the block's width: gate, its activation, up and their product, the last only where the down
    /// projection is trained.
    pub(super) fn widths(&self) -> u64 {
        let all = match self.how.mlp {
            MlpKernel::Eager => 4,
            MlpKernel::Fused => 3,
        };
        if self.frozen() { all - 1 } else { all }
    }

    fn attention_products(&self) -> Term {
        let grouped = n(2) * self.queries() + n(2) * self.keys();
        let saved = match self.how.attention {
            AttentionKernel::Flash => grouped,
            // Queries and three tensors of their size: keys, values, output.
            AttentionKernel::FlashRepeated => n(4) * self.queries(),
            AttentionKernel::Eager if self.frozen() && !self.adapts_output() => n(3) * self.queries(),
            AttentionKernel::Eager => n(4) * self.queries(),
        };
        if self.model.family == Family::Phi3 && self.how.attention == AttentionKernel::Flash {
            // Values are a view of the fused projection's output, which they keep alive as a whole.
            return saved + self.queries() + self.keys();
        }
        saved
    }

    fn adapts_output(&self) -> bool {
        matches!(self.trained, Trained::LoraAll { .. })
    }
}
