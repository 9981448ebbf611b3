//! Phi-1.5 and Phi-2: attention and feed-forward block side by side behind one LayerNorm, biases everywhere.
//!
//! Defaults are those of `PhiConfig` in transformers.

use super::{ImportError, Reader};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>) -> Result<Model, ImportError> {
    let hidden = reader.required("hidden_size", "elements")?;
    let layers = reader.required("num_hidden_layers", "layers")?;
    let heads = reader.required("num_attention_heads", "heads")?;
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
        vocab: reader.required("vocab_size", "tokens")?,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim: reader.divide("hidden_size", hidden, "num_attention_heads", heads)?,
        intermediate: reader.required("intermediate_size", "elements")?,
        max_positions: reader.size("max_position_embeddings")?.unwrap_or(2_048),
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
