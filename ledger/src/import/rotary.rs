//! Llama and the families built like it: rotary positions, RMSNorm, a gated feed-forward block.
//!
//! Defaults: [`super::defaults`].

use super::{ImportError, Reader, experts, latent, window};
use crate::{Biases, Family, Mlp, Model, Norm};

pub(super) fn read(reader: &Reader<'_>, family: Family) -> Result<Model, ImportError> {
    let defaults = family.defaults();
    let hidden = reader.size_or("hidden_size", defaults.hidden)?;
    let layers = reader.size_or("num_hidden_layers", defaults.layers)?;
    let heads = reader.size_or("num_attention_heads", defaults.heads)?;
    let kv_heads = kv_heads(reader, family, heads)?;
    reader.divide("num_attention_heads", heads, "num_key_value_heads", kv_heads)?;
    let latent = latent::read(reader, family)?;
    let experts = experts::read(reader, family, layers)?;
    Ok(Model {
        name: format!("{family}-{layers}x{hidden}"),
        family,
        vocab: reader.size_or("vocab_size", defaults.vocab)?,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim: match &latent {
            Some(latent) => latent.nope_dim.saturating_add(latent.rope_dim),
            None => head_dim(reader, family, hidden, heads)?,
        },
        intermediate: reader.size_or("intermediate_size", defaults.intermediate)?,
        max_positions: reader.size_or("max_position_embeddings", defaults.positions)?,
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
    match family.defaults().kv_heads {
        Some(default) if !reader.is_null("num_key_value_heads") => reader.size_or("num_key_value_heads", default),
        _ => Ok(reader.size("num_key_value_heads")?.unwrap_or(heads)),
    }
}

fn head_dim(reader: &Reader<'_>, family: Family, hidden: u64, heads: u64) -> Result<u64, ImportError> {
    match (reader.size("head_dim")?, family.defaults().head_dim) {
        (Some(stated), _) => Ok(stated),
        (None, Some(default)) => reader.size_or("head_dim", default),
        (None, None) => reader.divide("hidden_size", hidden, "num_attention_heads", heads),
    }
}
