//! The inputs of a serving engine.

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

/// How weights are stored: names that [`WeightFormat`] reads; it reads others of the same build as well.
pub const WEIGHTS: [&str; 51] = [
    "bf16",
    "fp16",
    "fp32",
    "fp8",
    "int8",
    "int4",
    "fp8_tensor",
    "fp8_channel",
    "fp8_block_128",
    "int8_channel",
    "gptq_4_128",
    "gptq_4_32",
    "gptq_8_128",
    "awq_4_128",
    "awq_4_64",
    "nf4",
    "nf4_dq",
    "mxfp4",
    "mxfp4_experts",
    "nvfp4",
    "Q8_0",
    "Q6_K",
    "Q5_K_M",
    "Q5_K_S",
    "Q5_1",
    "Q5_0",
    "Q4_K_M",
    "Q4_K_S",
    "Q4_1",
    "Q4_0",
    "Q3_K_L",
    "Q3_K_M",
    "Q3_K_S",
    "Q2_K",
    "Q2_K_S",
    "IQ4_XS",
    "IQ4_NL",
    "IQ3_M",
    "IQ3_S",
    "IQ3_XS",
    "IQ3_XXS",
    "IQ2_M",
    "IQ2_S",
    "IQ2_XS",
    "IQ2_XXS",
    "IQ1_M",
    "IQ1_S",
    "TQ2_0",
    "TQ1_0",
    "MXFP4_MOE",
    "F16",
];

/// How a page of the cache stores its numbers: names that [`PageFormat`] reads.
pub const CACHES: [&str; 9] = [
    "bf16",
    "fp16",
    "fp32",
    "fp8",
    "fp8_per_token_head",
    "int8_per_token_head",
    "int8_group64",
    "int4_group64",
    "fp8_ds_mla",
];
pub const ATTENTION: [(&str, PromptAttention); 2] =
    [("flash", PromptAttention::Flash), ("eager", PromptAttention::Eager)];
pub const LOGITS: [(&str, PromptLogits); 2] = [("last", PromptLogits::Last), ("all", PromptLogits::All)];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingState {
    pub source: ModelSource,
    /// As in [`WEIGHTS`] and [`CACHES`].
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
            weights: reader.spelled::<WeightFormat>("weights", "bf16", &WEIGHTS),
            cache: reader.spelled::<PageFormat>("kv", "bf16", &CACHES),
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
            weights: self.weights.parse().unwrap_or(WeightFormat::Plain(Dtype::Bf16)),
            cache: self.cache.parse().unwrap_or(PageFormat::Plain(Dtype::Bf16)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_computed() {
        let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
        for id in WEIGHTS {
            let state = ServingState::from_pairs(&[("weights".to_owned(), id.to_owned())]);
            let (ledger, engine) = state.evaluate(model).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert!(state.problems.is_empty() && ledger.peak > ledger.load && engine.blocks <= 1_000_000, "{id}");
        }
        for id in CACHES {
            let state = ServingState::from_pairs(&[("kv".to_owned(), id.to_owned())]);
            // The latent page is for models with latent attention alone.
            assert_eq!(state.evaluate(model).is_ok(), id != "fp8_ds_mla", "{id}");
        }
    }
}
