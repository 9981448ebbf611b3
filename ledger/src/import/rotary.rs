//! Llama and the families built like it: rotary positions, RMSNorm, a gated feed-forward block.
//!
//! Defaults are those of `LlamaConfig`, `MistralConfig`, `Qwen2Config` and `Qwen3Config` in transformers. Sizes that
//! every published file states (vocabulary, width, layers, heads) are required: a default there would answer for
//! another model than the reader's.

use super::{ImportError, Reader};
use crate::{Biases, Family, Mlp, Model, Norm, Window};

pub(super) fn read(reader: &Reader<'_>, family: Family) -> Result<Model, ImportError> {
    let hidden = reader.required("hidden_size", "elements")?;
    let layers = reader.required("num_hidden_layers", "layers")?;
    let heads = reader.required("num_attention_heads", "heads")?;
    let kv_heads = kv_heads(reader, family, heads)?;
    reader.divide("num_attention_heads", heads, "num_key_value_heads", kv_heads)?;
    let head_dim = match (reader.size("head_dim")?, family) {
        (Some(stated), _) => stated,
        (None, Family::Qwen3) => 128,
        (None, _) => reader.divide("hidden_size", hidden, "num_attention_heads", heads)?,
    };
    let attention_bias = reader.flag("attention_bias")?.unwrap_or(false);
    Ok(Model {
        name: format!("{family}-{layers}x{hidden}"),
        family,
        vocab: reader.required("vocab_size", "tokens")?,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        intermediate: reader.required("intermediate_size", "elements")?,
        max_positions: reader.size("max_position_embeddings")?.unwrap_or(default_positions(family)),
        position_table: 0,
        tied: reader.flag("tie_word_embeddings")?.unwrap_or(false),
        mlp: Mlp::Gated,
        norm: Norm::Rms,
        norms_per_layer: 2,
        qk_norm: family == Family::Qwen3,
        biases: Biases {
            // Qwen2 hard-codes its query, key and value biases; its output projection has none.
            qkv: family == Family::Qwen2 || (attention_bias && family != Family::Mistral),
            out: attention_bias && matches!(family, Family::Llama | Family::Qwen3),
            mlp: family == Family::Llama && reader.flag("mlp_bias")?.unwrap_or(false),
            head: false,
        },
        window: window(reader, family, layers)?,
        experts: None,
        latent: None,
    })
}

/// An absent `num_key_value_heads` means one per query head, except where the family's class says otherwise.
fn kv_heads(reader: &Reader<'_>, family: Family, heads: u64) -> Result<u64, ImportError> {
    if let Some(stated) = reader.size("num_key_value_heads")? {
        return Ok(stated);
    }
    let declared_null = reader.is_null("num_key_value_heads");
    Ok(match family {
        _ if declared_null => heads,
        Family::Mistral => 8,
        Family::Qwen2 | Family::Qwen3 => 32,
        _ => heads,
    })
}

fn default_positions(family: Family) -> u64 {
    match family {
        Family::Llama => 2_048,
        Family::Mistral => 131_072,
        _ => 32_768,
    }
}

/// Mistral slides in every layer, Qwen only when `use_sliding_window` says so and only from `max_window_layers` on.
fn window(reader: &Reader<'_>, family: Family, layers: u64) -> Result<Option<Window>, ImportError> {
    let tokens = reader.size("sliding_window")?;
    match family {
        Family::Mistral => {
            let absent = if reader.is_null("sliding_window") { None } else { Some(4_096) };
            Ok(tokens.or(absent).map(|tokens| Window { tokens, layers }))
        }
        Family::Qwen2 | Family::Qwen3 if reader.flag("use_sliding_window")?.unwrap_or(false) => {
            let full = reader.count("max_window_layers")?.unwrap_or(28);
            Ok(Some(Window { tokens: tokens.unwrap_or(4_096), layers: layers.saturating_sub(full) })
                .filter(|window| window.layers > 0))
        }
        _ => Ok(None),
    }
}
