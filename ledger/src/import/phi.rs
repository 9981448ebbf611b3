//! Phi-1.5 and Phi-2: attention and feed-forward block side by side behind one LayerNorm, biases everywhere.
//!
//! Defaults: [`super::defaults`].

use super::{ImportError, Reader};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>) -> Result<Model, ImportError> {
    let defaults = Family::Phi.defaults();
    let hidden = reader.size_or("hidden_size", defaults.hidden)?;
    let layers = reader.size_or("num_hidden_layers", defaults.layers)?;
    let heads = reader.size_or("num_attention_heads", defaults.heads)?;
    let kv_heads = reader.size("num_key_value_heads")?.unwrap_or(heads);
    reader.divide("num_attention_heads", heads, "num_key_value_heads", kv_heads)?;
    if reader.flag("qk_layernorm")?.unwrap_or(false) {
        return Err(ImportError::Unsupported {
            pointer: reader.pointer("qk_layernorm"),
            expected: "false",
            found: "true".to_owned(),
        });
    }
    Ok(Model {
        name: format!("phi-{layers}x{hidden}"),
        family: Family::Phi,
        vocab: reader.size_or("vocab_size", defaults.vocab)?,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim: reader.divide("hidden_size", hidden, "num_attention_heads", heads)?,
        intermediate: reader.size_or("intermediate_size", defaults.intermediate)?,
        max_positions: reader.size_or("max_position_embeddings", defaults.positions)?,
        position_table: 0,
        tied: reader.flag("tie_word_embeddings")?.unwrap_or(false),
        mlp: Mlp::Plain,
        norm: Norm::Layer,
        norms_per_layer: 1,
        qk_norm: false,
        biases: Biases { qkv: true, out: true, mlp: true, head: true },
        window: None,
        sinks: false,
        experts: None,
        latent: None,
    })
}
