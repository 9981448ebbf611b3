//! Layers with LayerNorm and a plain feed-forward block: GPT-2, and Phi with one norm for both halves.

use super::{AttentionKernel, Dropout, MlpKernel, layer::Layer};
use crate::formula::{Term, b, n};

impl Layer<'_> {
    pub(super) fn gpt(&self) -> Term {
        let (model, e) = (self.model, self.e());
        let hidden = || n(model.hidden);
        let norms = model.norms_per_layer;
        let attention = n(2) * self.queries() + n(2) * self.keys();
        let width = |bytes: u64| b(bytes) * n(model.intermediate);
        // Each norm saves its input, each product that reads its output saves that.
        let (stream, output) = (self.precision.stream_bytes(), if self.is_fp8() { 0 } else { e });
        let norm = if self.recompute.norms { stream } else { stream + output };
        let mut per_token = b(norm) * n(norms) * hidden() + b(e) * attention;
        if self.recompute.mlp && !self.recompute.norms && (self.is_fp8() || self.precision.is_autocast()) {
            // The norm's output itself is kept, not the copy that the product saves.
            per_token = per_token + b(stream - output) * hidden();
        }
        if self.widths_of_gelu() > 0 {
            per_token = per_token + width(self.widths_of_gelu());
        }
        if let Some(inputs) = self.fp8_inputs_of_gpt() {
            per_token = per_token + b(1) * inputs;
        }
        let mut sum = self.tokens() * per_token;
        if !self.recompute.norms {
            let statistic = if self.precision.is_autocast() { 4 } else { e };
            sum = sum + n(2) * n(norms) * self.tokens() * b(statistic);
        }
        let mask = self.mask_bytes();
        if mask > 0 {
            sum = sum + n(2) * b(mask) * self.tokens() * hidden();
        }
        match self.how.attention {
            _ if self.recompute.core_attention => sum,
            AttentionKernel::Flash | AttentionKernel::FlashRepeated => match self.attention_statistics() {
                Some(statistics) => sum + statistics,
                None => sum,
            },
            AttentionKernel::Eager => {
                // The softmax; with dropout its mask and the result as well. One causal mask of bytes.
                let bytes = if mask > 0 { 2 * e + mask } else { e };
                let pairs = n(self.batch) * n(model.heads) * n(self.seq) * n(self.seq);
                sum + b(bytes) * pairs + n(self.seq) * n(self.seq) * b(1)
            }
        }
    }

    fn mask_bytes(&self) -> u64 {
        match self.how.dropout {
            Dropout::None => 0,
            Dropout::ByteMask => 1,
            Dropout::WideMask => self.e(),
        }
    }

    /// Bytes per number of the feed-forward width: input and output of the GELU, and what lies between where it is
    /// written out: the tanh, one plus it, and half the input. Under autocast the power in it runs in FP32.
    fn widths_of_gelu(&self) -> u64 {
        let e = self.e();
        let eager = self.how.mlp == MlpKernel::Eager;
        let (input, between, output) = match (eager, self.precision.is_autocast()) {
            (true, true) => (2, 12, 2),
            (true, false) => (e, 3 * e, e),
            (false, _) => (e, 0, e),
        };
        let output = if self.is_fp8() { 0 } else { output };
        match self.recompute {
            parts if parts.mlp => 0,
            parts if parts.activation => input,
            _ => input + between + output,
        }
    }

    /// Numbers per token that products save in FP8: the input of attention's output projection, of query, key and
    /// value (one product in GPT-2) and of the block's first, and of its second.
    fn fp8_inputs_of_gpt(&self) -> Option<Term> {
        if !self.is_fp8() {
            return None;
        }
        let attention = if self.model.family.fuses_projections() { 1 } else { 3 };
        let mut sum = self.queries();
        if !self.recompute.norms {
            sum = sum + n(attention + u64::from(!self.recompute.mlp)) * n(self.model.hidden);
        }
        if !self.recompute.mlp && !self.recompute.activation {
            sum = sum + n(self.model.intermediate);
        }
        Some(sum)
    }
}
