//! What a calculator knows: its inputs, their place in the URL, and the numbers the ledger gives for them.
//!
//! The same code serves the island in the browser and the first state rendered on the server.

#[cfg(feature = "allocator")]
pub mod allocator;
#[cfg(feature = "planner")]
pub(crate) mod decide;
mod fields;
mod inference;
pub mod names;
#[cfg(feature = "paging")]
pub mod paging;
pub(crate) mod parallel;
#[cfg(feature = "planner")]
pub(crate) mod plan;
#[cfg(feature = "quantisation")]
pub(crate) mod quantisation;
pub(crate) mod reader;
#[cfg(feature = "planner")]
pub(crate) mod serving;
#[cfg(feature = "allocator")]
pub mod tale;
pub(crate) mod training;

use evidence::Lang;
use ledger::{Model, Text, catalogue};

#[cfg(feature = "allocator")]
pub use allocator::AllocatorState;
#[cfg(feature = "planner")]
pub use decide::DecideState;
pub use fields::{Problem, query};
pub use inference::{BATCH, InferenceState, RESERVE_MIB, SEQ as INFERENCE_SEQ};
#[cfg(feature = "paging")]
pub use paging::PagingState;
pub use parallel::ParallelState;
#[cfg(feature = "planner")]
pub use plan::{Goal, PlanState, Plans};
#[cfg(feature = "quantisation")]
pub use quantisation::QuantisationState;
#[cfg(feature = "planner")]
pub use serving::ServingState;
pub use training::{METHODS, Method, RANK, SEQ as TRAINING_SEQ, TrainingState};

/// Where the model's numbers come from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ModelSource {
    /// A name of the catalogue.
    pub name: String,
    /// A pasted `config.json`; when it is not empty it wins over the name.
    pub config: String,
}

impl ModelSource {
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), config: String::new() }
    }

    /// The model, or why there is none, in both languages.
    pub fn model(&self) -> Result<Model, Text> {
        if !self.config.trim().is_empty() {
            return ledger::import_config(&self.config).map_err(|error| import_text(&error));
        }
        catalogue::model(&self.name).cloned().ok_or_else(|| {
            Text::new(format!("目录里没有模型 {}", self.name), format!("the catalogue has no model {}", self.name))
        })
    }
}

/// The sizes that a `config.json` of any family may have, under the names of the form that asks for them. What is no
/// number, or too large for the form, is left out.
pub fn shape_of(config: &str) -> Vec<(&'static str, String)> {
    const KEYS: [(&str, &[&str]); 10] = [
        ("layers", &["num_hidden_layers", "n_layer", "num_layers"]),
        ("hidden", &["hidden_size", "n_embd", "d_model"]),
        ("heads", &["num_attention_heads", "n_head"]),
        ("kv_heads", &["num_key_value_heads", "num_attention_heads", "n_head"]),
        ("head_dim", &["head_dim"]),
        ("intermediate", &["moe_intermediate_size", "intermediate_size", "ffn_dim", "n_inner"]),
        ("vocab", &["vocab_size"]),
        ("experts", &["num_local_experts", "num_experts", "n_routed_experts"]),
        ("per_token", &["num_experts_per_tok"]),
        ("positions", &["max_position_embeddings", "n_positions"]),
    ];
    if config.len() > ledger::MAX_CONFIG_BYTES {
        return Vec::new();
    }
    let Ok(document) = serde_json::from_str::<serde_json::Value>(config) else { return Vec::new() };
    let number = |keys: &[&str]| keys.iter().find_map(|key| document.get(key)?.as_u64());
    let mut shape: Vec<(&'static str, String)> =
        KEYS.iter().filter_map(|(name, keys)| Some((*name, number(keys)?.to_string()))).collect();
    let has_size = shape.iter().any(|(name, _)| *name == "head_dim");
    if let (false, Some(hidden), Some(heads)) = (has_size, number(KEYS[1].1), number(KEYS[2].1)) {
        shape.push(("head_dim", (hidden / heads.max(1)).to_string()));
    }
    if document.get("tie_word_embeddings").and_then(serde_json::Value::as_bool) == Some(true) {
        shape.push(("tied", "on".to_owned()));
    }
    shape
}

fn import_text(error: &ledger::ImportError) -> Text {
    let pointer = match error.pointer() {
        "" => "config.json".to_owned(),
        pointer => format!("config.json {pointer}"),
    };
    let (expected, fix, found) = (error.expected(), error.fix(), error.found());
    Text::new(
        format!("{pointer}：应为{}，实际是 {found}。{}", expected.zh, fix.zh),
        format!("{pointer}: expected {}, found {found}. {}", expected.en, fix.en),
    )
}

/// The first input that cannot be read, for a tool that shows one message instead of an answer.
pub fn refuse(problems: &[Problem]) -> Result<(), Text> {
    match problems.first() {
        None => Ok(()),
        Some(Problem { key, expected, found }) => Err(Text::new(
            format!("{key}：应为 {expected}，实际是「{found}」。"),
            format!("{key}: expected {expected}, found “{found}”."),
        )),
    }
}

/// Why a ledger cannot be computed, in both languages.
pub fn ledger_text(error: &ledger::LedgerError) -> Text {
    use crate::words::ledger_error;
    Text::new(ledger_error(error, Lang::Zh), ledger_error(error, Lang::En))
}

/// The id of a kind of adapters.
pub fn adapter_id(lora: ledger::training::Lora) -> &'static str {
    parallel::id(&METHODS, Method::Adapters { method: lora.method, base: lora.base })
}

/// The sentence of a `Text` that this reader reads.
pub fn pick(text: &Text, lang: Lang) -> String {
    lang.pick(&text.zh, &text.en).to_owned()
}
