//! [`Model`] → Hugging Face `config.json`: the way back.

use serde_json::{Map, Value, json};

use super::import_config;
use crate::{Family, LedgerError, Model};

/// Writes the `config.json` that describes a model. What is written is read again and compared, so that a file that
/// means something else is never handed out; of the name a reader keeps what follows the last slash.
///
/// ```
/// let model = ledger::catalogue::model("DeepSeek-V3").expect("in the catalogue");
/// let json = ledger::export_config(model)?;
/// assert_eq!(ledger::import_config(&json).as_ref(), Ok(model));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// [`LedgerError::NotModelled`] for a model that no configuration of its family can state: its class builds layers of
/// another kind, or a size is beyond what a file may say.
pub fn export_config(model: &Model) -> Result<String, LedgerError> {
    model.validate()?;
    let document = match model.family {
        Family::Gpt2 => gpt2(model),
        _ => rotary(model),
    };
    let json = Value::Object(document).to_string();
    match import_config(&json) {
        Ok(read) if (Model { name: model.name.clone(), ..read }) == *model => Ok(json),
        _ => Err(LedgerError::NotModelled { what: "a model that no config.json of its family describes" }),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn gpt2(model: &Model) -> Map<String, Value> {
    object(json!({
        "_name_or_path": model.name,
        "model_type": model.family.id(),
        "vocab_size": model.vocab,
        "n_embd": model.hidden,
        "n_layer": model.layers,
        "n_head": model.heads,
        "n_positions": model.position_table,
        "n_inner": model.intermediate,
        "tie_word_embeddings": model.tied,
    }))
}

/// The keys of Llama, and those that other families add; a class ignores what it does not know.
fn rotary(model: &Model) -> Map<String, Value> {
    let mut document = object(json!({
        "_name_or_path": model.name,
        "model_type": model.family.id(),
        "vocab_size": model.vocab,
        "hidden_size": model.hidden,
        "intermediate_size": model.intermediate,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "max_position_embeddings": model.max_positions,
        "tie_word_embeddings": model.tied,
        "attention_bias": model.biases.out,
        "mlp_bias": model.biases.mlp,
        "qkv_bias": model.biases.qkv,
        "sliding_window": null,
    }));
    if let Some(window) = &model.window {
        let kinds: Vec<&str> = (0..model.layers)
            .take(super::experts::MOST_LAYERS as usize)
            .map(|layer| if layer < window.layers { "sliding_attention" } else { "full_attention" })
            .collect();
        document.insert("sliding_window".to_owned(), json!(window.tokens));
        document.insert("use_sliding_window".to_owned(), json!(true));
        document.insert("layer_types".to_owned(), json!(kinds));
    }
    if let Some(latent) = &model.latent {
        document.extend(object(json!({
            "q_lora_rank": latent.q_rank,
            "kv_lora_rank": latent.kv_rank,
            "qk_nope_head_dim": latent.nope_dim,
            "qk_rope_head_dim": latent.rope_dim,
            "v_head_dim": latent.value_dim,
        })));
    }
    if let Some(experts) = &model.experts {
        let width = experts.intermediate;
        document.extend(object(json!({
            "num_experts_per_tok": experts.per_token,
            "moe_intermediate_size": width,
            "first_k_dense_replace": experts.dense_layers,
            "shared_expert_intermediate_size": experts.shared_intermediate,
            "n_shared_experts": experts.shared_intermediate / width.max(1),
            "mlp_only_layers": (0..experts.dense_layers.min(super::experts::MOST_LAYERS)).collect::<Vec<u64>>(),
        })));
        let total = match model.family {
            Family::DeepseekV2 | Family::DeepseekV3 | Family::KimiK2 => "n_routed_experts",
            Family::Qwen2Moe | Family::Qwen3Moe => "num_experts",
            _ => "num_local_experts",
        };
        document.insert(total.to_owned(), json!(experts.total));
    }
    document
}
