//! GPT-2: learned positions, LayerNorm, biases everywhere, tied head.
//!
//! Defaults are those of `GPT2Config` in transformers (the 124M model).

use super::{ImportError, Reader};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>) -> Result<Model, ImportError> {
    let hidden = reader.size("n_embd")?.unwrap_or(768);
    let heads = reader.size("n_head")?.unwrap_or(12);
    let head_dim = reader.divide("n_embd", hidden, "n_head", heads)?;
    let positions = reader.size("n_positions")?.unwrap_or(1024);
    let layers = reader.size("n_layer")?.unwrap_or(12);
    Ok(Model {
        name: format!("gpt2-{layers}x{hidden}"),
        family: Family::Gpt2,
        vocab: reader.size("vocab_size")?.unwrap_or(50_257),
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
