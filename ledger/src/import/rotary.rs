//! Llama and the families built like it: rotary positions, RMSNorm, a gated feed-forward block.
//!
//! Defaults are those of the families' configuration classes in transformers. Sizes that every published file states
//! (vocabulary, width, layers, heads) are required: a default there would answer for another model than the reader's.

use super::{ImportError, Reader, experts, latent, window};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>, family: Family) -> Result<Model, ImportError> {
    let hidden = reader.required("hidden_size", "elements")?;
    let layers = reader.required("num_hidden_layers", "layers")?;
    let heads = reader.required("num_attention_heads", "heads")?;
    let kv_heads = kv_heads(reader, family, heads)?;
    reader.divide("num_attention_heads", heads, "num_key_value_heads", kv_heads)?;
    let latent = latent::read(reader, family)?;
    let experts = experts::read(reader, family, layers)?;
    Ok(Model {
        name: format!("{family}-{layers}x{hidden}"),
        family,
        vocab: reader.required("vocab_size", "tokens")?,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim: match &latent {
            Some(latent) => latent.nope_dim.saturating_add(latent.rope_dim),
            None => head_dim(reader, family, hidden, heads)?,
        },
        intermediate: intermediate(reader, family)?,
        max_positions: reader.size("max_position_embeddings")?.unwrap_or(default_positions(family)),
        position_table: 0,
        tied: reader.flag("tie_word_embeddings")?.unwrap_or(ties(family)),
        mlp: Mlp::Gated,
        norm: Norm::Rms,
        norms_per_layer: if matches!(family, Family::Gemma2 | Family::Gemma3) { 4 } else { 2 },
        qk_norm: matches!(family, Family::Qwen3 | Family::Qwen3Moe | Family::Gemma3),
        biases: biases(reader, family)?,
        window: window::read(reader, family, layers)?,
        sinks: family == Family::GptOss,
        experts,
        latent,
    })
}

fn ties(family: Family) -> bool {
    matches!(family, Family::Gemma2 | Family::Gemma3)
}

fn biases(reader: &Reader<'_>, family: Family) -> Result<Biases, ImportError> {
    let default = family == Family::GptOss;
    let attention = reader.flag("attention_bias")?.unwrap_or(default);
    // Qwen2 hard-codes its query, key and value biases; its output projection has none. The others that ignore
    // `attention_bias` build their projections without one.
    let hard = matches!(family, Family::Qwen2 | Family::Qwen2Moe);
    let ignores = matches!(family, Family::Mistral | Family::Mixtral | Family::Phi3) || hard;
    Ok(Biases {
        qkv: if hard { reader.flag("qkv_bias")?.unwrap_or(true) } else { attention && !ignores },
        out: attention && !ignores,
        mlp: family == Family::Llama && reader.flag("mlp_bias")?.unwrap_or(false),
        head: false,
    })
}

/// An absent `num_key_value_heads` means one per query head, except where the family's class says otherwise; `null`
/// always means one per query head.
fn kv_heads(reader: &Reader<'_>, family: Family, heads: u64) -> Result<u64, ImportError> {
    if let Some(stated) = reader.size("num_key_value_heads")? {
        return Ok(stated);
    }
    if reader.is_null("num_key_value_heads") {
        return Ok(heads);
    }
    Ok(match family {
        Family::Mistral | Family::Mixtral | Family::GptOss => 8,
        Family::Gemma2 | Family::Gemma3 | Family::Qwen3Moe => 4,
        Family::Qwen2 | Family::Qwen3 => 32,
        Family::Qwen2Moe => 16,
        _ => heads,
    })
}

fn head_dim(reader: &Reader<'_>, family: Family, hidden: u64, heads: u64) -> Result<u64, ImportError> {
    if let Some(stated) = reader.size("head_dim")? {
        return Ok(stated);
    }
    match family {
        Family::Qwen3 => Ok(128),
        Family::Gemma2 | Family::Gemma3 => Ok(256),
        Family::GptOss => Ok(64),
        _ => reader.divide("hidden_size", hidden, "num_attention_heads", heads),
    }
}

/// The dense width. Families whose layers are all mixtures may leave it out.
fn intermediate(reader: &Reader<'_>, family: Family) -> Result<u64, ImportError> {
    match (reader.size("intermediate_size")?, family) {
        (Some(stated), _) => Ok(stated),
        (None, Family::Qwen3Moe) => Ok(6_144),
        (None, Family::Qwen2Moe) => Ok(5_632),
        (None, _) => reader.required("intermediate_size", "elements"),
    }
}

fn default_positions(family: Family) -> u64 {
    match family {
        Family::Llama => 2_048,
        Family::DeepseekV2 => 2_048,
        Family::Phi3 | Family::DeepseekV3 | Family::KimiK2 => 4_096,
        Family::Gemma2 => 8_192,
        Family::Mistral | Family::Mixtral | Family::Gemma3 | Family::GptOss => 131_072,
        _ => 32_768,
    }
}
