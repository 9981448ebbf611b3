//! Activations while serving: of one layer at a time, and large only in the prefill.
//!
//! An **assumption** about the kernels, stated so that it can be checked: without autograd a layer holds at its widest
//! moment the residual stream and its normalised copy (`2h` numbers per token) and either
//!
//! * in attention: queries, keys, values and the output, `2ad + 2kd`; with latent attention queries, up-projected keys
//!   and values, whole keys and the output; or
//! * in the feed-forward block: gate, up and their product, `3f` (a plain block: `2f`); of a mixture of experts, per
//!   chosen expert its three widths and its output, `3w + h`, as vLLM's fused kernel allocates them.
//!
//! Attention without a fused kernel repeats keys and values for every query head and writes the score matrix: 8 bytes
//! per pair and head at the moment of the softmax (transformers: 16-bit scores, their FP32 softmax, its 16-bit copy).
//! The head then holds logits in the format of the activations and an FP32 copy that is sampled from.

use serde::{Deserialize, Serialize};

use crate::{
    Dtype, LedgerError, Mlp, Model, Text,
    formula::{Term, b, n},
};

/// How prompts are read.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefill {
    /// Tokens of one pass at most (vLLM's `max_num_batched_tokens`); longer prompts are read in chunks.
    pub step_tokens: u64,
    pub attention: PromptAttention,
    pub logits: PromptLogits,
    /// Format of the activations: FP32, BF16 or FP16.
    pub compute: Dtype,
}

impl Prefill {
    /// FlashAttention, chunks of 8,192 tokens, logits of the last positions, BF16.
    pub const CHUNKED: Prefill = Prefill {
        step_tokens: 8_192,
        attention: PromptAttention::Flash,
        logits: PromptLogits::Last,
        compute: Dtype::Bf16,
    };
}

/// How attention over the prompt runs.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptAttention {
    /// The score matrix is never written.
    Flash,
    /// The score matrix of one layer is written.
    Eager,
}

/// Which positions' logits are computed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptLogits {
    /// Each sequence's last position: all that generating needs.
    Last,
    /// Every position of the pass: log-probabilities of the prompt, or a forward that does not cut.
    All,
}

impl PromptAttention {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            PromptAttention::Flash => Text::new("FlashAttention / SDPA", "FlashAttention or SDPA"),
            PromptAttention::Eager => Text::new("写出分数矩阵（eager）", "Score matrix written (eager)"),
        }
    }
}

impl PromptLogits {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            PromptLogits::Last => Text::new("只算最后一个位置", "Last position only"),
            PromptLogits::All => Text::new("所有位置", "All positions"),
        }
    }
}

/// The moments of one pass over `tokens` tokens with `context` tokens each to attend to.
pub(super) struct Pass {
    /// The widest moment inside a layer.
    pub layer: Term,
    /// Head input and logits.
    pub logits: Term,
}

pub(super) fn pass(
    model: &Model,
    prefill: &Prefill,
    sequences: u64,
    tokens: u64,
    context: u64,
) -> Result<Pass, LedgerError> {
    let e = match prefill.compute {
        Dtype::F32 | Dtype::Bf16 | Dtype::F16 => prefill.compute.bits() / 8,
        _ => return Err(LedgerError::NotModelled { what: "activations below 16 bits" }),
    };
    let stream = || n(2) * n(model.hidden);
    let attention = b(e) * n(tokens) * (stream() + attention_numbers(model, prefill.attention));
    let attention = match prefill.attention {
        PromptAttention::Flash => attention,
        PromptAttention::Eager => attention + b(8) * n(model.heads) * n(tokens) * n(context),
    };
    let mlp = b(e) * n(tokens) * (stream() + mlp_numbers(model));
    let rows = match prefill.logits {
        PromptLogits::Last => sequences,
        PromptLogits::All => tokens,
    };
    // Of FP32 logits no copy is made.
    let each = if e == 4 { 4 } else { e + 4 };
    let logits = b(e) * n(tokens) * n(model.hidden) + b(each) * n(rows) * n(model.vocab);
    Ok(Pass { layer: larger(attention, mlp), logits })
}

/// The larger term; one that overflows counts as the larger.
pub(super) fn larger(one: Term, other: Term) -> Term {
    match (one.value(), other.value()) {
        (None, _) => one,
        (Some(_), None) => other,
        (Some(a), Some(b)) if a >= b => one,
        _ => other,
    }
}

fn attention_numbers(model: &Model, attention: PromptAttention) -> Term {
    let heads = || n(model.heads);
    match &model.latent {
        Some(latent) => {
            let key = n(latent.nope_dim) + n(latent.rope_dim);
            n(2) * heads() * key + heads() * (n(latent.nope_dim) + n(latent.value_dim)) + heads() * n(latent.value_dim)
        }
        None if attention == PromptAttention::Eager => n(4) * heads() * n(model.head_dim),
        None => n(2) * heads() * n(model.head_dim) + n(2) * n(model.kv_heads) * n(model.head_dim),
    }
}

fn mlp_numbers(model: &Model) -> Term {
    let widths = match model.mlp {
        Mlp::Gated => 3,
        Mlp::Plain => 2,
    };
    let dense = n(widths) * n(model.intermediate);
    let Some(experts) = &model.experts else { return dense };
    let routed = n(experts.per_token) * (n(3) * n(experts.intermediate) + n(model.hidden));
    let sparse = match experts.shared_intermediate {
        0 => routed,
        // The shared experts' result waits for the routed ones.
        shared => larger(routed + n(model.hidden), n(3) * n(shared)),
    };
    if experts.dense_layers > 0 { larger(dense, sparse) } else { sparse }
}
