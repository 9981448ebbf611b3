//! GPT-2: learned positions, LayerNorm, biases everywhere, tied head.
//!
//! Defaults: [`super::defaults`], the 124M model.

use super::{ImportError, Reader};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>) -> Result<Model, ImportError> {
    let defaults = Family::Gpt2.defaults();
    let hidden = reader.size_or("n_embd", defaults.hidden)?;
    let heads = reader.size_or("n_head", defaults.heads)?;
    let head_dim = reader.divide("n_embd", hidden, "n_head", heads)?;
    let positions = reader.size_or("n_positions", defaults.positions)?;
    let layers = reader.size_or("n_layer", defaults.layers)?;
    Ok(Model {
        name: format!("gpt2-{layers}x{hidden}"),
        family: Family::Gpt2,
        vocab: reader.size_or("vocab_size", defaults.vocab)?,
        hidden,
        layers,
        heads,
        kv_heads: heads,
        head_dim,
        // `n_inner: null` means four times the width.
        intermediate: reader.size("n_inner")?.unwrap_or(hidden.saturating_mul(4)),
        max_positions: positions,
        position_table: positions,
        tied: reader.flag("tie_word_embeddings")?.unwrap_or(true),
        mlp: Mlp::Plain,
        norm: Norm::Layer,
        norms_per_layer: 2,
        qk_norm: false,
        biases: Biases { qkv: true, out: true, mlp: true, head: false },
        window: None,
        sinks: false,
        experts: None,
        latent: None,
    })
}
