//! Halves of a layer on their own.

use super::{
    Implementation, Recompute, Trained,
    layer::{Block, Layer},
};
use crate::{Biases, Experts, Family, Latent, LedgerError, Mlp, Model, Norm, training::Precision};

/// A one-layer model around the part in question; what the part does not read is 1.
fn around(hidden: u64, heads: u64, experts: Option<Experts>, latent: Option<Latent>) -> Model {
    Model {
        name: String::new(),
        family: Family::Llama,
        vocab: 1,
        hidden,
        layers: 1,
        heads,
        kv_heads: heads,
        head_dim: 1,
        intermediate: 1,
        max_positions: 1,
        position_table: 0,
        tied: true,
        mlp: Mlp::Gated,
        norm: Norm::Rms,
        norms_per_layer: 2,
        qk_norm: false,
        biases: Biases::default(),
        window: None,
        sinks: false,
        experts,
        latent,
    }
}

/// A trained layer of which nothing is computed again.
fn whole(model: &Model, precision: Precision, batch: u64, seq: u64, how: Implementation) -> Layer<'_> {
    let (trained, block, recompute) = (Trained::All, Block::Dense, Recompute::NOTHING);
    Layer { model, precision, batch, seq, how, trained, block, recompute, extra: 0 }
}

/// Bytes that a mixture of experts saves for `tokens` tokens, without the block's input of `hidden` numbers each.
///
/// # Errors
/// Contradicting numbers or a result of 2⁶⁴ bytes and more.
pub fn expert_bytes(hidden: u64, precision: Precision, tokens: u64, experts: Experts) -> Result<u64, LedgerError> {
    let model = around(hidden, 1, Some(experts), None);
    model.validate()?;
    let how = Implementation::TRANSFORMERS;
    let layer = Layer { block: Block::Experts, ..whole(&model, precision, 1, tokens, how) };
    Ok(layer.experts(&experts).finish("experts")?.0)
}

/// Bytes that latent attention with fused norms saves, without its input and the rotary tables.
///
/// # Errors
/// As [`expert_bytes`].
pub fn latent_attention_bytes(
    heads: u64,
    precision: Precision,
    batch: u64,
    seq: u64,
    latent: Latent,
) -> Result<u64, LedgerError> {
    let model = around(1, heads, None, Some(latent));
    model.validate()?;
    let how = Implementation::FUSED;
    let layer = whole(&model, precision, batch, seq, how);
    Ok(layer.latent_attention(&latent).finish("latent_attention")?.0)
}
