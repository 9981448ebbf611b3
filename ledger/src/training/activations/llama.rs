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
        let norms = if self.recompute.norms {
            n(model.norms_per_layer) * self.input()
        } else {
            self.tokens() * n(model.norms_per_layer) * self.norm(model.hidden)
        };
        let mut sum = b(self.e()) * self.tokens() * self.products() + norms;
        if let Some(inputs) = self.fp8_inputs() {
            sum = sum + b(1) * self.tokens() * inputs;
        }
        if let Some(latent) = &model.latent {
            sum = sum + self.latent_norms(latent);
        }
        if model.qk_norm {
            let heads = n(model.heads) + n(model.kv_heads);
            sum = sum + self.tokens() * heads * self.norm(model.head_dim);
        }
        if let Some(statistics) = self.attention_statistics() {
            sum = sum + statistics;
        }
        match (self.block, &model.experts) {
            (Block::Experts, Some(experts)) if !self.recompute.mlp => sum + self.experts(experts),
            _ => sum,
        }
    }

    /// Numbers per token that matrix products, attention and the activation function save, experts apart.
    fn products(&self) -> Term {
        let attention = match &self.model.latent {
            Some(latent) => self.latent_products(latent),
            None => self.attention_products(),
        };
        let inner = match (self.block, self.widths()) {
            (Block::Dense, widths) if widths > 0 => attention + n(widths) * n(self.model.intermediate),
            _ => attention,
        };
        let inner = if self.extra > 0 { inner + n(self.extra) } else { inner };
        let hidden = n(self.model.hidden);
        match self.trained {
            Trained::All => match self.hidden_inputs() {
                0 => inner,
                times => n(times) * hidden + inner,
            },
            Trained::Nothing => inner,
            Trained::LoraQueryValue { rank } => hidden + n(2) * n(rank) + inner,
            Trained::LoraAll { rank } => n(2) * hidden + n(self.model.intermediate) + n(7) * n(rank) + inner,
        }
    }

    /// How often a tensor of the hidden width is saved as the input of products, in the format of the activations.
    fn hidden_inputs(&self) -> u64 {
        if self.recompute.norms {
            // It is the output of a norm.
            return 0;
        }
        let (attention, mlp) = if self.is_fp8() {
            // The router reads it in BF16; products keep copies in FP8.
            (0, u64::from(self.block == Block::Experts))
        } else if self.precision.is_autocast() {
            // Autocast casts the shared input of query, key and value and of gate and up once for each.
            (3, 2)
        } else {
            (1, 1)
        };
        // Of a feed-forward block that is computed again, the norm's output is kept, in FP32 under autocast.
        if self.recompute.mlp && self.is_fp8() { attention + 1 } else { attention + mlp }
    }

    /// Numbers per token that products save in FP8: their inputs, one copy for each product.
    fn fp8_inputs(&self) -> Option<Term> {
        if !self.is_fp8() {
            return None;
        }
        let (hidden, norms) = (self.model.hidden, !self.recompute.norms);
        let shared = self.model.experts.is_some_and(|experts| experts.shared_intermediate > 0);
        let (output, ranks, attention) = match &self.model.latent {
            None => (self.queries(), None, 3),
            Some(latent) => {
                let ranks = latent.q_rank.map_or_else(|| n(latent.kv_rank), |rank| n(rank) + n(latent.kv_rank));
                (n(self.model.heads) * n(latent.value_dim), Some(ranks), 2)
            }
        };
        let mlp = if self.recompute.mlp || (self.block == Block::Experts && !shared) { 0 } else { 2 };
        let mut sum = output;
        if let Some(ranks) = ranks {
            sum = sum + ranks;
        }
        if norms {
            sum = sum + n(attention + mlp) * n(hidden);
        }
        // The input of the down projection, computed again together with the activation function.
        if self.block == Block::Dense && !self.recompute.mlp && !self.recompute.activation {
            sum = sum + n(self.model.intermediate);
        }
        Some(sum)
    }

    /// Tensors of the block's width: gate, its activation, up and their product, the last only where the down
    /// projection is trained, and in FP8 not here.
    pub(super) fn widths(&self) -> u64 {
        let all = match self.how.mlp {
            _ if self.recompute.mlp => return 0,
            _ if self.recompute.activation => return 2,
            MlpKernel::Eager => 4,
            MlpKernel::Fused => 3,
        };
        if self.frozen() || self.is_fp8() { all - 1 } else { all }
    }

    fn attention_products(&self) -> Term {
        let grouped = n(2) * self.queries() + n(2) * self.keys();
        let saved = match self.how.attention {
            AttentionKernel::Flash => grouped,
            // Queries and three tensors of their size: keys, values, output.
            AttentionKernel::FlashRepeated => n(4) * self.queries(),
            AttentionKernel::Eager if self.is_fp8() => n(3) * self.queries(),
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
