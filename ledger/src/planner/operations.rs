//! Operations of a forward pass on one rank.

use crate::{
    LedgerError, Model, Role,
    parallel::{Quick, Shard},
    training::{Checkpointing, Precision},
};

/// Operations per token of a stage, on one rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Forward {
    /// Of the layers: two per weight of a matrix product that the token uses, and attention over half the sequence.
    pub layers: f64,
    /// Of them, attention between its inputs and its output.
    pub attention: f64,
    /// Of them, the feed-forward blocks and experts.
    pub blocks: f64,
    /// Of the head.
    pub head: f64,
}

impl Forward {
    /// Operations per token that the backward computes again. Norms and activation functions are no matrix products.
    pub(crate) fn again(&self, checkpointing: Checkpointing) -> f64 {
        match checkpointing {
            Checkpointing::None | Checkpointing::Segments(0 | 1) => 0.0,
            Checkpointing::Selective => self.attention,
            // The last segment is not computed again; counted as the others, which is a bound.
            Checkpointing::EveryLayer | Checkpointing::SqrtSegments | Checkpointing::Segments(_) => self.layers,
            Checkpointing::Parts(parts) => {
                let of = |on: bool, operations: f64| if on { operations } else { 0.0 };
                of(parts.core_attention, self.attention) + of(parts.mlp, self.blocks)
            }
        }
    }
}

/// Every kind of stage of a mesh. A token uses `per_token` of the routed experts; attention is causal, a sliding layer
/// sees its window at most.
pub(crate) fn forward(model: &Model, quick: &Quick<'_>, seq: u64) -> Result<Vec<Forward>, LedgerError> {
    quick.shards().iter().map(|shard| of_stage(model, shard, seq)).collect()
}

/// Projections around attention; every other linear weight belongs to the feed-forward block.
const ATTENTION: [&str; 5] = ["qkv", "query", "key", "value", "attention_out"];

fn of_stage(model: &Model, shard: &Shard, seq: u64) -> Result<Forward, LedgerError> {
    let narrow = &shard.model;
    let used = model.experts.map_or(1.0, |experts| experts.per_token as f64 / experts.total as f64);
    let (mut projections, mut blocks) = (0.0, 0.0);
    for group in narrow.tensors()? {
        let operations = 2.0 * group.elements as f64 * group.count as f64;
        match group.role {
            Role::Linear if ATTENTION.iter().any(|stem| group.part.starts_with(stem)) => projections += operations,
            Role::Linear => blocks += operations,
            Role::Expert => blocks += operations * used,
            _ => {}
        }
    }
    let attention = attention_per_token(narrow, model, seq);
    let head = if shard.stage.last { 2.0 * narrow.vocab as f64 * narrow.hidden as f64 } else { 0.0 };
    Ok(Forward { layers: projections + blocks + attention, attention, blocks, head })
}

/// Two operations per number of a key and of a value, for every earlier token: half the sequence on average.
fn attention_per_token(narrow: &Model, model: &Model, seq: u64) -> f64 {
    let width = match &narrow.latent {
        Some(latent) => latent.nope_dim + latent.rope_dim + latent.value_dim,
        None => 2 * narrow.head_dim,
    };
    let half = seq as f64 / 2.0;
    let sliding = model.window.map_or(0.0, |window| window.layers as f64 / model.layers as f64);
    // The first tokens of a sequence see less than a window: w − w² ÷ 2s on average, which is half of s at w = s.
    let seen = model.window.map_or(half, |window| {
        let window = (window.tokens as f64).min(seq as f64);
        window - window * window / (2.0 * seq as f64)
    });
    let keys = sliding * seen + (1.0 - sliding) * half;
    2.0 * narrow.layers as f64 * narrow.heads as f64 * width as f64 * keys
}

/// The formats, best first, in which a card runs the matrix products of a precision.
pub(crate) const fn formats(precision: Precision) -> &'static [&'static str] {
    match precision {
        Precision::Fp32 => &["fp32"],
        Precision::Tf32 => &["tf32"],
        Precision::AmpBf16 | Precision::Bf16Master | Precision::Bf16MasterFp32Grad | Precision::PureBf16 => &["bf16"],
        Precision::AmpFp16 | Precision::Fp16Master => &["fp16"],
        Precision::Fp8 => &["fp8", "bf16"],
    }
}
