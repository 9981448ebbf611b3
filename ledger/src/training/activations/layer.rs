//! One layer.

use super::{AttentionKernel, Dropout, Implementation, MlpKernel, NormKernel, Trained};
use crate::{
    Model, Norm,
    formula::{Term, b, n},
    training::Precision,
};

/// A layer, the tokens that pass through it and how.
#[derive(Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub model: &'a Model,
    pub precision: Precision,
    pub batch: u64,
    pub seq: u64,
    pub how: Implementation,
    pub trained: Trained,
}

impl Layer<'_> {
    /// Bytes per number that a matrix product saves.
    fn e(&self) -> u64 {
        self.precision.compute_bytes()
    }

    fn tokens(&self) -> Term {
        n(self.batch) * n(self.seq)
    }

    fn queries(&self) -> Term {
        n(self.model.heads) * n(self.model.head_dim)
    }

    fn keys(&self) -> Term {
        n(self.model.kv_heads) * n(self.model.head_dim)
    }

    fn frozen(&self) -> bool {
        self.trained != Trained::All
    }

    pub(crate) fn term(&self) -> Term {
        match self.model.norm {
            Norm::Rms => self.llama(),
            Norm::Layer => self.gpt(),
        }
    }

    /// Bytes per token that one RMSNorm over `width` numbers saves.
    fn norm(&self, width: u64) -> Term {
        let per_number = match (self.how.norm, self.frozen()) {
            (NormKernel::Fused, _) => self.e(),
            (_, true) => 4,
            (NormKernel::Composite, false) => 8,
            (NormKernel::Eager, false) if self.precision.is_wide() => 8,
            (NormKernel::Eager, false) => 6,
        };
        b(per_number) * n(width) + b(4)
    }

    fn llama(&self) -> Term {
        let model = self.model;
        let norms = self.tokens() * n(model.norms_per_layer) * self.norm(model.hidden);
        let mut sum = b(self.e()) * self.tokens() * self.products() + norms;
        if model.qk_norm {
            let heads = n(model.heads) + n(model.kv_heads);
            sum = sum + self.tokens() * heads * self.norm(model.head_dim);
        }
        sum + self.attention_statistics()
    }

    /// Numbers per token that matrix products, attention and the activation function save.
    fn products(&self) -> Term {
        let model = self.model;
        let (hidden, width) = (n(model.hidden), n(model.intermediate));
        let grouped = n(2) * self.queries() + n(2) * self.keys();
        let attention = match self.how.attention {
            AttentionKernel::Flash => grouped,
            // Queries and three tensors of their size: keys, values, output.
            AttentionKernel::FlashRepeated => n(4) * self.queries(),
            AttentionKernel::Eager if self.frozen() && !self.adapts_output() => n(3) * self.queries(),
            AttentionKernel::Eager => n(4) * self.queries(),
        };
        let mut widths = match self.how.mlp {
            MlpKernel::Eager => 4,
            MlpKernel::Fused => 3,
        };
        if self.frozen() {
            widths -= 1;
        }
        let inner = attention + n(widths) * width;
        match self.trained {
            // Autocast casts the shared input of query, key and value and of gate and up once for each.
            Trained::All if self.precision.is_autocast() => n(5) * hidden + inner,
            Trained::All => n(2) * hidden + inner,
            Trained::Nothing => inner,
            Trained::LoraQueryValue { rank } => hidden + n(2) * n(rank) + inner,
            Trained::LoraAll { rank } => n(2) * hidden + n(model.intermediate) + n(7) * n(rank) + inner,
        }
    }

    fn adapts_output(&self) -> bool {
        matches!(self.trained, Trained::LoraAll { .. })
    }

    /// What attention keeps per pair or per token besides its inputs and output.
    fn attention_statistics(&self) -> Term {
        let heads = n(self.model.heads);
        match self.how.attention {
            AttentionKernel::Flash | AttentionKernel::FlashRepeated => b(4) * heads * self.tokens(),
            // An FP32 softmax, and its copy in the format of the values.
            AttentionKernel::Eager => {
                let bytes = if self.e() == 4 { 4 } else { 4 + self.e() };
                b(bytes) * heads * n(self.batch) * n(self.seq) * n(self.seq)
            }
        }
    }

    fn gpt(&self) -> Term {
        let model = self.model;
        let (hidden, queries, width) = (n(model.hidden), self.queries(), n(model.intermediate));
        let e = self.e();
        // A tanh-GELU written out keeps the tanh, one plus it, and half the input.
        let gelu = if self.how.mlp == MlpKernel::Eager { 5 } else { 2 };
        let products = if self.precision.is_autocast() {
            let gelu = if self.how.mlp == MlpKernel::Eager { 16 } else { 4 };
            self.tokens() * (b(12) * hidden.clone() + b(8) * queries + b(gelu) * width)
        } else {
            b(e) * self.tokens() * (n(4) * hidden.clone() + n(4) * queries + n(gelu) * width)
        };
        let statistic = if self.precision.is_autocast() { 4 } else { e };
        let sum = products + n(4) * self.tokens() * b(statistic);
        let mask = match self.how.dropout {
            Dropout::None => 0,
            Dropout::ByteMask => 1,
            Dropout::WideMask => e,
        };
        let sum = if mask > 0 { sum + n(2) * b(mask) * self.tokens() * hidden } else { sum };
        match self.how.attention {
            AttentionKernel::Flash | AttentionKernel::FlashRepeated => sum + self.attention_statistics(),
            AttentionKernel::Eager => {
                // The softmax; with dropout its mask and the result as well. One causal mask of bytes.
                let bytes = if mask > 0 { 2 * e + mask } else { e };
                let pairs = n(self.batch) * n(model.heads) * n(self.seq) * n(self.seq);
                sum + b(bytes) * pairs + n(self.seq) * n(self.seq) * b(1)
            }
        }
    }
}
