//! Mixture of experts, computed expert by expert: gather, three products, weighted scatter.

use super::layer::Layer;
use crate::{
    Experts,
    formula::{Term, b, n},
};

impl Layer<'_> {
    /// Per chosen expert: the gathered input, its output and the weighted output, four tensors of the expert's width,
    /// its weight, two 64-bit indices. The router keeps its FP32 probabilities, the chosen ones with their indices
    /// and their sum.
    pub(super) fn experts(&self, experts: &Experts) -> Term {
        let (hidden, width) = (n(self.model.hidden), n(experts.intermediate));
        let chosen = || self.tokens() * n(experts.per_token);
        // Frozen experts save no inputs of their products; FP8 ones save them in one byte.
        let inputs = if self.frozen() || self.is_fp8() { 2 } else { 3 };
        let mut routed =
            b(self.e()) * chosen() * (n(inputs) * hidden.clone() + n(self.widths()) * width.clone() + n(1));
        let down = !self.recompute.activation;
        if self.is_fp8() {
            routed = routed + b(1) * chosen() * if down { hidden + width } else { hidden };
        }
        let indices = n(2) * b(8) * chosen();
        let router = self.tokens() * (b(4) * n(experts.total) + (b(4) + b(8)) * n(experts.per_token) + b(4));
        let sum = routed + indices + router;
        match experts.shared_intermediate {
            0 => sum,
            shared => {
                let sum = sum + b(self.e()) * self.tokens() * n(self.widths()) * n(shared);
                if self.is_fp8() && down { sum + b(1) * self.tokens() * n(shared) } else { sum }
            }
        }
    }
}
