//! Matrix products in FP8 the way NVIDIA's Transformer Engine runs them with delayed scaling.
//!
//! Every matrix product of a layer is a module of its own (`te.Linear` in place of `nn.Linear`); routers, norms,
//! attention and the output head stay in BF16. What that adds and what it saves:
//!
//! * **Weights**: each forward casts the weight to FP8 and, because FP8 products of Hopper and Ada read both operands
//!   along the summed dimension, keeps a transposed copy for the backward: 1 + 1 byte per weight beside the BF16 one.
//! * **Inputs**: a product saves its input in FP8 (1 byte), cast once per product, so that query, key and value have
//!   three copies of one tensor. The output of attention is saved twice: attention's backward reads it in BF16.
//! * **Scales**: per product three tensors of the forward (input, weight, output) and two of the backward (gradients
//!   of output and input) have a history of 1,024 maxima (`DelayedScaling.amax_history_len`), a scale and its inverse
//!   in FP32.

use super::facts::Facts;
use crate::formula::{Term, b, n};

/// Tensors of one product whose maxima are tracked.
const TENSORS: u64 = 3 + 2;
/// Maxima, scale and inverse scale.
const NUMBERS: u64 = 1_024 + 2;

/// Histories and scales of all products.
pub(super) fn scales(facts: &Facts) -> Term {
    n(facts.fp8_products) * n(TENSORS) * n(NUMBERS) * b(4)
}
