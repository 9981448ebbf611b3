//! Layers with LayerNorm and a plain feed-forward block: GPT-2, and Phi with one norm for both halves.

use super::{AttentionKernel, Dropout, MlpKernel, layer::Layer};
use crate::formula::{Term, b, n};

impl Layer<'_> {
    pub(super) fn gpt(&self) -> Term {
        let model = self.model;
        let (hidden, width, e) = (n(model.hidden), n(model.intermediate), self.e());
        let norms = model.norms_per_layer;
        let attention = n(2) * self.queries() + n(2) * self.keys();
        // A tanh-GELU written out keeps the tanh, one plus it, and half the input.
        let gelu = if self.how.mlp == MlpKernel::Eager { 5 } else { 2 };
        let products = if self.precision.is_autocast() {
            // Norm inputs stay in FP32, their outputs are cast; the power in the GELU runs in FP32.
            let gelu = if self.how.mlp == MlpKernel::Eager { 16 } else { 4 };
            self.tokens() * (b(6) * n(norms) * hidden.clone() + b(2) * attention + b(gelu) * width)
        } else {
            b(e) * self.tokens() * (n(2) * n(norms) * hidden.clone() + attention + n(gelu) * width)
        };
        let statistic = if self.precision.is_autocast() { 4 } else { e };
        let sum = products + n(2) * n(norms) * self.tokens() * b(statistic);
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
