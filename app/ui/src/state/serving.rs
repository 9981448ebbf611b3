//! The inputs of a serving engine.

use ledger::formats::{Grouped, Mixture, Nf4};
use ledger::inference::{
    self, EngineCapacity, PageFormat, Prefill, PromptAttention, PromptLogits, Reserves, Serving, ServingLedger,
    WeightFormat,
};
use ledger::{Dtype, LedgerError, Model, catalogue, units};
use serde::{Deserialize, Serialize};

use super::ModelSource;
use super::fields::Problem;
use super::inference::{BATCH, RESERVE_MIB, SEQ};
use super::reader::Reader;

pub const BLOCK: (u64, u64) = (1, 1024);
pub const STEP_TOKENS: (u64, u64) = (1, 1_048_576);
pub const UTILISATION: (u64, u64) = (1, 100);

/// How weights are stored, by the names that people use.
pub const WEIGHTS: [(&str, WeightFormat); 25] = [
    ("fp32", WeightFormat::Plain(Dtype::F32)),
    ("bf16", WeightFormat::Plain(Dtype::Bf16)),
    ("fp16", WeightFormat::Plain(Dtype::F16)),
    ("fp8", WeightFormat::Plain(Dtype::Fp8)),
    ("int8", WeightFormat::Plain(Dtype::Int8)),
    ("int4", WeightFormat::Plain(Dtype::Int4)),
    ("fp8_block128", WeightFormat::Grouped(Grouped::fp8_blocks(128, 128))),
    ("gptq4_g128", WeightFormat::Grouped(Grouped::gptq(4, 128, false))),
    ("gptq4_g128_sym", WeightFormat::Grouped(Grouped::gptq(4, 128, true))),
    ("gptq4_g32", WeightFormat::Grouped(Grouped::gptq(4, 32, false))),
    ("gptq8_g128", WeightFormat::Grouped(Grouped::gptq(8, 128, false))),
    ("awq4_g128", WeightFormat::Grouped(Grouped::awq(4, 128))),
    ("awq4_g64", WeightFormat::Grouped(Grouped::awq(4, 64))),
    ("nf4", WeightFormat::Nf4(Nf4 { block: 64, double_quant: false })),
    ("nf4_double", WeightFormat::Nf4(Nf4::QLORA)),
    ("mxfp4", WeightFormat::Grouped(Grouped::microscaling(4, 32))),
    ("nvfp4", WeightFormat::Grouped(Grouped::NVFP4)),
    ("gguf_f16", WeightFormat::Gguf(Mixture::F16)),
    ("gguf_q8_0", WeightFormat::Gguf(Mixture::Q8_0)),
    ("gguf_q6_k", WeightFormat::Gguf(Mixture::Q6_K)),
    ("gguf_q5_k_m", WeightFormat::Gguf(Mixture::Q5_K_M)),
    ("gguf_q5_k_s", WeightFormat::Gguf(Mixture::Q5_K_S)),
    ("gguf_q4_k_m", WeightFormat::Gguf(Mixture::Q4_K_M)),
    ("gguf_q4_k_s", WeightFormat::Gguf(Mixture::Q4_K_S)),
    ("gguf_q4_0", WeightFormat::Gguf(Mixture::Q4_0)),
];

/// How a page of the cache stores its numbers.
pub const CACHES: [(&str, PageFormat); 9] = [
    ("fp32", PageFormat::Plain(Dtype::F32)),
    ("bf16", PageFormat::Plain(Dtype::Bf16)),
    ("fp16", PageFormat::Plain(Dtype::F16)),
    ("fp8", PageFormat::Plain(Dtype::Fp8)),
    ("fp8_per_token_head", PageFormat::PerTokenHead(Dtype::Fp8)),
    ("int8_per_token_head", PageFormat::PerTokenHead(Dtype::Int8)),
    ("int8_group64", PageFormat::Grouped { dtype: Dtype::Int8, group: 64 }),
    ("int4_group64", PageFormat::Grouped { dtype: Dtype::Int4, group: 64 }),
    ("fp8_ds_mla", PageFormat::LatentFp8),
];
pub const ATTENTION: [(&str, PromptAttention); 2] =
    [("flash", PromptAttention::Flash), ("eager", PromptAttention::Eager)];
pub const LOGITS: [(&str, PromptLogits); 2] = [("last", PromptLogits::Last), ("all", PromptLogits::All)];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingState {
    pub source: ModelSource,
    /// Ids of [`WEIGHTS`] and [`CACHES`].
    pub weights: String,
    pub cache: String,
    pub block: u64,
    pub batch: u64,
    pub seq: u64,
    pub prefill: Prefill,
    pub reserves: Reserves,
    /// Percent of the card that the engine may use (vLLM's `gpu_memory_utilization`).
    pub utilisation: u64,
    pub card: String,
    pub problems: Vec<Problem>,
}

impl ServingState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let usual = Reserves::TYPICAL;
        let mut reserve =
            |key, bytes: u64| reader.number(key, bytes / units::MIB, RESERVE_MIB).saturating_mul(units::MIB);
        let reserves = Reserves {
            context: reserve("context_mib", usual.context),
            workspaces: reserve("workspaces_mib", usual.workspaces),
            graphs: reserve("graphs_mib", usual.graphs),
            nccl: reserve("nccl_mib", usual.nccl),
        };
        let state = Self {
            source: reader.source("Llama-3-8B"),
            weights: reader.pick("weights", "bf16", &ids(&WEIGHTS)).to_owned(),
            cache: reader.pick("kv", "bf16", &ids(&CACHES)).to_owned(),
            block: reader.number("block", 16, BLOCK),
            batch: reader.number("batch", 8, BATCH),
            seq: reader.number("seq", 8192, SEQ),
            prefill: Prefill {
                step_tokens: reader.number("step_tokens", 8192, STEP_TOKENS),
                attention: reader.pick("attention", PromptAttention::Flash, &ATTENTION),
                logits: reader.pick("logits", PromptLogits::Last, &LOGITS),
                ..Prefill::CHUNKED
            },
            reserves,
            utilisation: reader.number("utilisation", 90, UTILISATION),
            card: reader.card("card", "h100-80gb"),
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    pub fn serving(&self) -> Serving {
        Serving {
            weights: of(&WEIGHTS, &self.weights, WeightFormat::Plain(Dtype::Bf16)),
            cache: of(&CACHES, &self.cache, PageFormat::Plain(Dtype::Bf16)),
            block: self.block,
            batch: self.batch,
            seq: self.seq,
            prefill: self.prefill,
            reserves: self.reserves,
        }
    }

    pub fn capacity(&self) -> u64 {
        catalogue::card(&self.card).map_or(0, |card| card.capacity_bytes)
    }

    /// Everything the page shows.
    pub fn evaluate(&self, model: &Model) -> Result<(ServingLedger, EngineCapacity), LedgerError> {
        let serving = self.serving();
        let ledger = inference::serving_ledger(model, &serving)?;
        Ok((ledger, inference::engine_capacity(model, &serving, self.capacity(), self.utilisation * 10)?))
    }
}

/// Options that stand for themselves.
fn ids<T>(options: &[(&'static str, T)]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|(id, _)| (*id, *id)).collect()
}

fn of<T: Copy>(options: &[(&str, T)], id: &str, default: T) -> T {
    options.iter().find(|(known, _)| *known == id).map_or(default, |(_, option)| *option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_computed() {
        let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
        for (id, _) in WEIGHTS {
            let state = ServingState::from_pairs(&[("weights".to_owned(), id.to_owned())]);
            let (ledger, engine) = state.evaluate(model).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert!(state.problems.is_empty() && ledger.peak > ledger.load && engine.blocks <= 1_000_000, "{id}");
        }
        for (id, _) in CACHES {
            let state = ServingState::from_pairs(&[("kv".to_owned(), id.to_owned())]);
            // The latent page is for models with latent attention alone.
            assert_eq!(state.evaluate(model).is_ok(), id != "fp8_ds_mla", "{id}");
        }
    }
}
