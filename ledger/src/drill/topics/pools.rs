//! What may be drawn. The lists are fixed: a model that joins the catalogue changes no question.

use crate::{LedgerError, Model, catalogue, catalogue::Card, random::Random};

/// Dense models of all families.
pub(super) const DENSE: [&str; 24] = [
    "SmolLM2-135M",
    "Qwen2.5-0.5B",
    "Qwen3-0.6B",
    "TinyLlama-1.1B",
    "Llama-3.2-1B",
    "Qwen2.5-1.5B",
    "gpt2-xl",
    "gemma-2-2b",
    "phi-2",
    "Llama-3.2-3B",
    "Llama-2-7B",
    "Mistral-7B-v0.3",
    "Qwen2.5-7B",
    "Llama-3-8B",
    "Qwen3-8B",
    "gemma-2-9b",
    "Llama-2-13B",
    "gemma-2-27b",
    "Qwen3-32B",
    "LLaMA-65B",
    "Llama-2-70B",
    "Llama-3.1-70B",
    "Qwen2.5-72B",
    "Llama-3.1-405B",
];

/// Llama-like layers whose heads together are as wide as the residual stream, without norms of queries and keys.
pub(super) const PLAIN: [&str; 15] = [
    "SmolLM2-135M",
    "Qwen2.5-0.5B",
    "TinyLlama-1.1B",
    "Llama-3.2-1B",
    "Qwen2.5-1.5B",
    "Llama-3.2-3B",
    "Llama-2-7B",
    "Mistral-7B-v0.3",
    "Qwen2.5-7B",
    "Llama-3-8B",
    "Llama-2-13B",
    "LLaMA-65B",
    "Llama-2-70B",
    "Llama-3.1-70B",
    "Qwen2.5-72B",
];

/// Every layer attends to everything, with key-value heads.
pub(super) const FULL_ATTENTION: [&str; 18] = [
    "SmolLM2-135M",
    "Qwen2.5-0.5B",
    "Qwen3-0.6B",
    "TinyLlama-1.1B",
    "Llama-3.2-1B",
    "Llama-3.2-3B",
    "Llama-2-7B",
    "Mistral-7B-v0.3",
    "Qwen2.5-7B",
    "Llama-3.1-8B",
    "Qwen3-8B",
    "Llama-2-13B",
    "Qwen3-30B-A3B",
    "Qwen3-32B",
    "Mixtral-8x7B-v0.1",
    "Llama-3.1-70B",
    "Qwen2.5-72B",
    "Llama-3.1-405B",
];

/// Some layers slide.
pub(super) const WINDOWS: [&str; 7] =
    ["gemma-3-1b", "gemma-2-2b", "gemma-2-9b", "gpt-oss-20b", "gemma-2-27b", "gemma-3-27b-text", "gpt-oss-120b"];

pub(super) const LATENT: [&str; 2] = ["DeepSeek-V2-Lite", "DeepSeek-V3"];

pub(super) const EXPERTS: [&str; 6] =
    ["DeepSeek-V2-Lite", "Qwen3-30B-A3B", "Mixtral-8x7B-v0.1", "Mixtral-8x22B-v0.1", "Qwen3-235B-A22B", "DeepSeek-V3"];

pub(super) const CARDS: [&str; 16] = [
    "rtx3060-12gb",
    "t4",
    "v100-32gb",
    "l4",
    "a10",
    "rtx3090",
    "rtx4090",
    "rtx5090",
    "a100-40gb",
    "l40s",
    "rtxa6000",
    "a100-80gb",
    "h100-80gb",
    "gh200-96gb",
    "h200",
    "b200",
];

/// Cards of a cluster.
pub(super) const SERVERS: [&str; 6] = ["v100-32gb", "a100-40gb", "a100-80gb", "h100-80gb", "h200", "b200"];

pub(super) const SEQUENCES: [u64; 9] = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072];
pub(super) const REQUESTS: [u64; 10] = [2, 4, 8, 10, 16, 32, 50, 64, 100, 128];

pub(super) fn model<const N: usize>(
    random: &mut Random,
    names: &[&'static str; N],
) -> Result<&'static Model, LedgerError> {
    let name = random.pick(names);
    catalogue::model(name).ok_or_else(|| LedgerError::Unknown {
        field: "model",
        found: name.to_owned(),
        known: names.join(", "),
    })
}

pub(super) fn card<const N: usize>(random: &mut Random, ids: &[&'static str; N]) -> Result<&'static Card, LedgerError> {
    let id = random.pick(ids);
    catalogue::card(id).ok_or_else(|| LedgerError::Unknown {
        field: "card",
        found: id.to_owned(),
        known: ids.join(", "),
    })
}

/// A length that the model was made for.
pub(super) fn sequence(random: &mut Random, model: &Model) -> Option<u64> {
    Some(random.pick(&SEQUENCES)).filter(|seq| *seq <= model.max_positions)
}
