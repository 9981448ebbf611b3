//! The inference calculator's inputs.

use ledger::inference::{self, Fit, Inference, InferenceLedger};
use ledger::{Dtype, LedgerError, Model, catalogue, units};
use serde::{Deserialize, Serialize};

use super::ModelSource;
use super::fields::Problem;
use super::parallel::named;
use super::reader::Reader;

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
        Self::from_pairs(&[])
    }
}

impl InferenceState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let dtypes = named(&Dtype::ALL, |it| it.id());
        let state = Self {
            source: reader.source("Llama-3-8B"),
            weights: reader.pick("weights", Dtype::Bf16, &dtypes),
            kv: reader.pick("kv", Dtype::Bf16, &dtypes),
            batch: reader.number("batch", 8, BATCH),
            seq: reader.number("seq", 8192, SEQ),
            card: reader.card("card", "h100-80gb"),
            reserve_mib: reader.number("reserve_mib", Inference::DEFAULT_RESERVE / units::MIB, RESERVE_MIB),
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
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
