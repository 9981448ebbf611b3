//! A model's facts as they are typed in, and the Rust they become.

use std::{error::Error, fmt::Write as _, path::PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    name: String,
    family: String,
    /// Where the numbers come from.
    source: String,
    vocab: u64,
    hidden: u64,
    layers: u64,
    heads: u64,
    kv_heads: u64,
    head_dim: u64,
    intermediate: u64,
    max_positions: u64,
    #[serde(default)]
    position_table: u64,
    tied: bool,
    #[serde(default = "gated")]
    mlp: String,
    #[serde(default = "rms")]
    norm: String,
    #[serde(default = "two")]
    norms_per_layer: u64,
    #[serde(default)]
    qk_norm: bool,
    #[serde(default)]
    biases: Biases,
    window: Option<Window>,
    #[serde(default)]
    sinks: bool,
    experts: Option<Experts>,
    latent: Option<Latent>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Biases {
    qkv: bool,
    out: bool,
    mlp: bool,
    head: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the table is written with Debug")]
struct Window {
    tokens: u64,
    layers: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the table is written with Debug")]
struct Experts {
    total: u64,
    per_token: u64,
    intermediate: u64,
    #[serde(default)]
    shared_intermediate: u64,
    #[serde(default)]
    dense_layers: u64,
    #[serde(default)]
    biases: bool,
    #[serde(default)]
    shared_gate: bool,
    #[serde(default)]
    correction: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the table is written with Debug")]
struct Latent {
    q_rank: Option<u64>,
    kv_rank: u64,
    nope_dim: u64,
    rope_dim: u64,
    value_dim: u64,
}

fn gated() -> String {
    "gated".to_owned()
}

fn rms() -> String {
    "rms".to_owned()
}

fn two() -> u64 {
    2
}

/// `gpt2` → `Gpt2`, `gpt_oss` → `GptOss`: the name of an enum's variant from its slug.
fn variant(slug: &str) -> String {
    slug.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

pub fn write(code: &mut String, models: &[(PathBuf, Model)]) -> Result<(), Box<dyn Error>> {
    writeln!(code, "static MODELS: &[ModelFacts] = &[")?;
    for (path, model) in models {
        if model.source.trim().is_empty() {
            return Err(format!("{}: a fact needs its source", path.display()).into());
        }
        writeln!(code, "    ModelFacts {{")?;
        writeln!(code, "        name: {:?}, source: {:?},", model.name, model.source)?;
        writeln!(code, "        family: Family::{},", variant(&model.family))?;
        writeln!(
            code,
            "        sizes: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}],",
            model.vocab,
            model.hidden,
            model.layers,
            model.heads,
            model.kv_heads,
            model.head_dim,
            model.intermediate,
            model.max_positions,
            model.position_table,
            model.norms_per_layer,
        )?;
        writeln!(code, "        tied: {}, qk_norm: {},", model.tied, model.qk_norm)?;
        writeln!(code, "        mlp: Mlp::{}, norm: Norm::{},", variant(&model.mlp), variant(&model.norm))?;
        writeln!(code, "        biases: {:?},", model.biases)?;
        // Debug output of these plain structs is the Rust that builds them.
        writeln!(code, "        window: {:?}, sinks: {},", model.window, model.sinks)?;
        writeln!(code, "        experts: {:?},", model.experts)?;
        writeln!(code, "        latent: {:?},", model.latent)?;
        writeln!(code, "    }},")?;
    }
    writeln!(code, "];")?;
    Ok(())
}
