//! The inference calculator's inputs.

use ledger::inference::{self, Fit, Inference, InferenceLedger};
use ledger::{Dtype, LedgerError, Model, catalogue, units};
use serde::{Deserialize, Serialize};

use super::ModelSource;
use super::fields::{self, Problem};

pub const BATCH: (u64, u64) = (1, 4096);
pub const SEQ: (u64, u64) = (1, 4_194_304);
pub const RESERVE_MIB: (u64, u64) = (0, 1_048_576);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferenceState {
    pub source: ModelSource,
    pub weights: Dtype,
    pub kv: Dtype,
    pub batch: u64,
    pub seq: u64,
    pub card: String,
    pub reserve_mib: u64,
    pub problems: Vec<Problem>,
}

impl Default for InferenceState {
    fn default() -> Self {
        Self {
            source: ModelSource::named("Llama-3-8B"),
            weights: Dtype::Bf16,
            kv: Dtype::Bf16,
            batch: 8,
            seq: 8192,
            card: "h100-80gb".to_owned(),
            reserve_mib: Inference::DEFAULT_RESERVE / units::MIB,
            problems: Vec::new(),
        }
    }
}

impl InferenceState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut state = Self::default();
        let problems = &mut Vec::new();
        for (key, value) in pairs {
            let dtypes = || Dtype::ALL.iter().map(|dtype| dtype.id());
            match key.as_str() {
                "model" => state.source.name = value.clone(),
                "config" => state.source.config = value.clone(),
                "weights" => fields::choice(&mut state.weights, key, value, dtypes(), problems),
                "kv" => fields::choice(&mut state.kv, key, value, dtypes(), problems),
                "batch" => fields::number(&mut state.batch, key, value, BATCH, problems),
                "seq" => fields::number(&mut state.seq, key, value, SEQ, problems),
                "card" => fields::card(&mut state.card, key, value, problems),
                "reserve_mib" => {
                    fields::number(&mut state.reserve_mib, key, value, RESERVE_MIB, problems);
                }
                _ => fields::problem(
                    key,
                    "model, config, weights, kv, batch, seq, card, reserve_mib".to_owned(),
                    value,
                    problems,
                ),
            }
        }
        state.problems = std::mem::take(problems);
        state
    }

    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        vec![
            ("model", if self.source.config.is_empty() { self.source.name.clone() } else { String::new() }),
            ("config", self.source.config.clone()),
            ("weights", self.weights.id().to_owned()),
            ("kv", self.kv.id().to_owned()),
            ("batch", self.batch.to_string()),
            ("seq", self.seq.to_string()),
            ("card", self.card.clone()),
            ("reserve_mib", self.reserve_mib.to_string()),
        ]
    }

    pub fn workload(&self) -> Inference {
        Inference {
            weights: self.weights,
            kv: self.kv,
            batch: self.batch,
            seq: self.seq,
            reserve: self.reserve_mib.saturating_mul(units::MIB),
        }
    }

    /// Bytes of the chosen card, as its driver reports them.
    pub fn capacity(&self) -> u64 {
        catalogue::card(&self.card).map_or(0, |card| card.capacity_bytes)
    }

    /// Everything the page shows.
    pub fn evaluate(&self, model: &Model) -> Result<(InferenceLedger, Fit), LedgerError> {
        let workload = self.workload();
        Ok((inference::ledger(model, &workload)?, inference::fit(model, &workload, self.capacity())?))
    }
}
