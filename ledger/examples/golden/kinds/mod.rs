//! One function per kind of case.

mod activations;
mod allocator;
mod cache;
mod formats;
mod models;
mod parallel;
mod serving;
mod steps;

use std::{error::Error, fmt, fs, path::Path};

use ledger::{Model, catalogue, import_config};
use serde_json::Value;

use crate::case::Case;

/// What the ledger says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Got {
    Whole(u64),
    Real(f64),
}

impl Got {
    pub fn real(self) -> f64 {
        match self {
            Got::Whole(whole) => whole as f64,
            Got::Real(real) => real,
        }
    }
}

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Got::Whole(whole) => whole.fmt(f),
            Got::Real(real) => real.fmt(f),
        }
    }
}

pub type Answer = Result<Option<Got>, Box<dyn Error>>;

/// A whole number that the ledger knows.
pub fn whole(value: u64) -> Answer {
    Ok(Some(Got::Whole(value)))
}

/// The value of an input that the kind cannot do without.
pub fn need<T>(case: &Case, key: &'static str, value: Option<T>) -> Result<T, Box<dyn Error>> {
    value.ok_or_else(|| format!("{}: inputs have no {key}", case.id).into())
}

/// The case's quantity; `None` where no rule of that name exists here.
pub fn compute(case: &Case, folder: &Path) -> Answer {
    match case.kind() {
        "params" | "params_untied" | "weights_bf16" | "active_params" | "state_dict_elems" => {
            models::compute(case, folder)
        }
        kind if kind.starts_with("vllm_") || kind.starts_with("sglang_") => serving::compute(case, folder),
        "kv_tp_replication" | "kv_mla_tp" => serving::compute(case, folder),
        kind if kind.starts_with("alloc_") || kind.starts_with("snapshot_") => allocator::compute(case, folder),
        "zero" | "korthikanti" | "megatron_weight_opt" => parallel::compute(case),
        "ggml_block" | "gguf_file" | "gguf_bpw" | "nf4" | "bits" | "qlora" | "lora_params" => {
            formats::compute(case, folder)
        }
        kind if kind.starts_with("kv_") || kind.starts_with("paged_") => cache::compute(case, folder),
        kind if kind.starts_with("act_") => activations::compute(case),
        "logits_fp32" | "logits_peak_temp" => activations::logits(case),
        "ledger_real" | "ledger_fake" | "model_states" | "adam8bit_states" | "offload_time" => {
            steps::compute(case, folder)
        }
        _ => Ok(None),
    }
}

/// The model of a case: its configuration file with the layers that the case asks for, or the catalogue's by name.
/// `None` where the configuration's family is not known here.
pub fn model(case: &Case, folder: &Path) -> Result<Option<Model>, Box<dyn Error>> {
    let config = match (case.text("config"), case.text("model")) {
        (Some(path), _) => fs::read_to_string(folder.join(path))?,
        (None, Some(name)) => match fs::read_to_string(folder.join(format!("configs/{name}.json"))) {
            Ok(config) => config,
            Err(_) => {
                let mut model =
                    catalogue::model(name).cloned().ok_or_else(|| format!("{}: no model {name}", case.id))?;
                model.layers = case.whole("layers").unwrap_or(model.layers);
                return Ok(Some(model));
            }
        },
        (None, None) => return Err(format!("{}: inputs name no model", case.id).into()),
    };
    // A case may ask for fewer layers than the file has; which of them slide follows from their number.
    let mut document: Value = serde_json::from_str(&config)?;
    if let Some(layers) = case.whole("layers") {
        let key = if document.get("n_layer").is_some() { "n_layer" } else { "num_hidden_layers" };
        document[key] = layers.into();
    }
    match import_config(&document.to_string()) {
        Ok(model) => Ok(Some(model)),
        Err(ledger::ImportError::UnknownFamily { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
