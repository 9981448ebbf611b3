//! The training calculator's inputs.

use ledger::training::{self, Checkpointing, Optimizer, Precision, Training, TrainingLedger};
use ledger::{LedgerError, Model, catalogue};
use serde::{Deserialize, Serialize};

use super::ModelSource;
use super::fields::{self, Problem};
use super::inference::BATCH;

pub const SEQ: (u64, u64) = (1, 1_048_576);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingState {
    pub source: ModelSource,
    pub precision: Precision,
    pub optimizer: Optimizer,
    pub batch: u64,
    pub seq: u64,
    pub checkpointing: Checkpointing,
    pub card: String,
    pub problems: Vec<Problem>,
}

impl Default for TrainingState {
    fn default() -> Self {
        Self {
            source: ModelSource::named("Qwen2.5-0.5B"),
            precision: Precision::Fp32,
            optimizer: Optimizer::AdamWForeach,
            batch: 1,
            seq: 768,
            checkpointing: Checkpointing::None,
            card: "rtx5070ti-laptop".to_owned(),
            problems: Vec::new(),
        }
    }
}

impl TrainingState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut state = Self::default();
        let problems = &mut Vec::new();
        for (key, value) in pairs {
            match key.as_str() {
                "model" => state.source.name = value.clone(),
                "config" => state.source.config = value.clone(),
                "precision" => {
                    let ids = Precision::ALL.iter().map(|choice| choice.id());
                    fields::choice(&mut state.precision, key, value, ids, problems);
                }
                "optimizer" => {
                    let ids = Optimizer::ALL.iter().map(|choice| choice.id());
                    fields::choice(&mut state.optimizer, key, value, ids, problems);
                }
                "checkpointing" => {
                    let ids = Checkpointing::ALL.iter().map(|choice| choice.id());
                    fields::choice(&mut state.checkpointing, key, value, ids, problems);
                }
                "batch" => fields::number(&mut state.batch, key, value, BATCH, problems),
                "seq" => fields::number(&mut state.seq, key, value, SEQ, problems),
                "card" => fields::card(&mut state.card, key, value, problems),
                _ => fields::problem(
                    key,
                    "model, config, precision, optimizer, batch, seq, checkpointing, card".to_owned(),
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
            ("precision", self.precision.id().to_owned()),
            ("optimizer", self.optimizer.id().to_owned()),
            ("batch", self.batch.to_string()),
            ("seq", self.seq.to_string()),
            ("checkpointing", self.checkpointing.id().to_owned()),
            ("card", self.card.clone()),
        ]
    }

    pub fn workload(&self) -> Training {
        Training {
            precision: self.precision,
            optimizer: self.optimizer,
            batch: self.batch,
            seq: self.seq,
            checkpointing: self.checkpointing,
        }
    }

    pub fn capacity(&self) -> u64 {
        catalogue::card(&self.card).map_or(0, |card| card.capacity_bytes)
    }

    /// Everything the page shows.
    pub fn evaluate(&self, model: &Model) -> Result<TrainingLedger, LedgerError> {
        training::ledger(model, &self.workload())
    }
}
