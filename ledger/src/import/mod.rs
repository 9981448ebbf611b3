//! Hugging Face `config.json` → [`Model`].
//!
//! Keys that a file leaves out take the default of the family's configuration class in transformers; a key of the
//! wrong type, a size of zero or a contradiction is an error that names its place. Nested configurations of
//! multimodal models (`text_config`) are read for their language model.

mod defaults;
mod error;
mod experts;
mod export;
mod gpt2;
mod latent;
mod phi;
mod reader;
mod rotary;
mod stored;
mod window;

use serde_json::Value;

pub use error::{ImportError, Kind};
pub use export::export_config;
use reader::Reader;
pub use stored::Stored;

use crate::{Family, Model};

/// The largest document that is looked at: real configurations are a few kilobytes.
pub const MAX_CONFIG_BYTES: usize = 1 << 20;

/// Reads a `config.json`.
///
/// ```
/// let model = ledger::import_config(
///     r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
///         "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}"#,
/// )?;
/// assert_eq!((model.head_dim, model.parameters().unwrap()), (128, 8_030_261_248));
///
/// let error = ledger::import_config(r#"{"model_type": "llama", "hidden_size": "4096"}"#).unwrap_err();
/// assert_eq!(error.pointer(), "/hidden_size");
/// # Ok::<(), ledger::ImportError>(())
/// ```
///
/// # Errors
/// [`ImportError`] with the JSON pointer, what was expected, what was found and the next step. Never panics.
pub fn import_config(json: &str) -> Result<Model, ImportError> {
    import(json).map(|imported| imported.model)
}

/// A default that stands in for a key the file leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// Where the key would stand.
    pub pointer: String,
    pub value: u64,
}

/// A model and what had to be assumed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub model: Model,
    pub assumed: Vec<Assumed>,
    /// How the file says its weights are stored, where it has a `quantization_config`: parameters and shapes are those
    /// of the unquantised model all the same.
    pub stored: Option<Stored>,
}

/// Reads a `config.json` as [`import_config`] does, and tells which sizes are the family's defaults.
///
/// ```
/// // Gemma 3 4B: its nested configuration leaves out what equals the defaults.
/// let imported = ledger::import(
///     r#"{"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
///         "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}}"#,
/// )?;
/// assert_eq!(imported.model.parameters().unwrap(), 3_880_263_168);
/// assert!(imported.assumed.iter().any(|assumed| assumed.pointer == "/text_config/num_attention_heads"));
/// # Ok::<(), ledger::ImportError>(())
/// ```
///
/// # Errors
/// As [`import_config`].
pub fn import(json: &str) -> Result<Imported, ImportError> {
    if json.len() > MAX_CONFIG_BYTES {
        return Err(ImportError::TooLarge { bytes: json.len() as u64, limit: MAX_CONFIG_BYTES as u64 });
    }
    // serde_json refuses nesting beyond 128 levels, so hostile depth is a syntax error as well.
    let document: Value = serde_json::from_str(json).map_err(|error| ImportError::Syntax {
        line: error.line() as u64,
        column: error.column() as u64,
        problem: error.to_string(),
    })?;
    let top = Reader::new("", &document)?;
    let of_whole = stored::read(&top)?;
    let nested = top.child("text_config")?;
    let (reader, family) = match nested {
        // The outer file of a multimodal model names the whole; the language model names itself inside.
        Some(inner) => match family(&inner) {
            Ok(known) => (inner, known),
            Err(error @ ImportError::UnknownFamily { .. }) => return Err(error),
            Err(_) => {
                let known = family(&top)?;
                (inner, known)
            }
        },
        None => {
            let known = family(&top)?;
            (top, known)
        }
    };
    if reader.is_top() && !states_a_size(&reader) {
        return Err(ImportError::Missing { pointer: reader.pointer(SIZES[0]), what: "hidden_size, n_embd" });
    }
    let mut model = match family {
        Family::Gpt2 => gpt2::read(&reader)?,
        Family::Phi => phi::read(&reader)?,
        rotary => rotary::read(&reader, rotary)?,
    };
    if let Some(name) = reader.text("_name_or_path")?.filter(|name| !name.is_empty()) {
        model.name = name.rsplit('/').next().unwrap_or(name).chars().take(80).collect();
    }
    let stored = if reader.is_top() { of_whole } else { stored::read(&reader)?.or(of_whole) };
    Ok(Imported { model, assumed: reader.into_assumed(), stored })
}

/// Keys of which a file with a model of its own states at least one: defaults alone are no import.
const SIZES: [&str; 8] = [
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "vocab_size",
    "n_embd",
    "n_layer",
    "n_head",
    "n_positions",
];

fn states_a_size(reader: &Reader<'_>) -> bool {
    SIZES.iter().any(|key| reader.get(key).is_some())
}

/// The family by `model_type`, or by the class name in `architectures` where that key is absent.
fn family(reader: &Reader<'_>) -> Result<Family, ImportError> {
    let unknown = |key: &str, found: &str| ImportError::UnknownFamily {
        pointer: reader.pointer(key),
        found: format!("{:?}", found.chars().take(60).collect::<String>()),
    };
    if let Some(name) = reader.text("model_type")? {
        // The outer name of Gemma 3 with a vision tower; its language model is `gemma3_text`.
        let name = if name == "gemma3" { Family::Gemma3.id() } else { name };
        return Family::from_id(name).ok_or_else(|| unknown("model_type", name));
    }
    let class = reader.get("architectures").and_then(|list| list.get(0)).and_then(Value::as_str);
    let Some(class) = class else {
        return Err(ImportError::Missing { pointer: reader.pointer("model_type"), what: "llama, qwen2, …" });
    };
    let stem = class.to_lowercase();
    // Longest id first, so that `qwen3moe…` is never taken for `qwen3`.
    let mut known: Vec<Family> = Family::ALL.to_vec();
    known.sort_by_key(|family| std::cmp::Reverse(family.id().len()));
    known
        .into_iter()
        .find(|family| {
            let id = family.id().replace("_text", "").replace('_', "");
            stem.strip_prefix(&id).is_some_and(|rest| ["forcausallm", "lmheadmodel", "model"].contains(&rest))
        })
        .ok_or_else(|| unknown("architectures", class))
}
