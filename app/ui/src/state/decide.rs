//! The inputs of the decision flow.

use ledger::decide::{self, Decision, Serving, Tolerance, Tuning};
use ledger::planner::{Assumptions, Offer, TrainGoal};
use ledger::{LedgerError, Model, catalogue};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::inference::BATCH;
use super::parallel::SWITCH;
use super::plan::{CARDS, STEP};
use super::reader::Reader;
use super::{ModelSource, inference, training};

pub const SHARE: (u64, u64) = (0, 100);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    Serve,
    Train,
}

pub const TASKS: [(&str, Task); 2] = [("serve", Task::Serve), ("train", Task::Train)];
pub const TOLERANCES: [(&str, Tolerance); 2] = [("strict", Tolerance::Strict), ("some", Tolerance::Some)];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecideState {
    pub source: ModelSource,
    pub task: Task,
    pub cards: Vec<(String, u64)>,
    pub serving: Serving,
    pub tuning: Tuning,
    pub problems: Vec<Problem>,
}

impl DecideState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let state = Self {
            source: reader.source("Llama-3-8B"),
            task: reader.pick("task", Task::Serve, &TASKS),
            cards: reader.offers("cards", &[("rtx4090", 1)], CARDS.1),
            serving: Serving {
                context: reader.number("context", 8192, inference::SEQ),
                median_context: reader.number("median_context", 2048, inference::SEQ),
                concurrency: reader.number("concurrency", 8, BATCH),
                tolerance: reader.pick("tolerance", Tolerance::Some, &TOLERANCES),
                shared_prompt: reader.number("shared_percent", 30, SHARE) as f64 / 100.0,
                offline: reader.pick("offline", false, &SWITCH),
                fragmentation: reader.measured("fragmentation_percent", SHARE).map(|share| share as f64 / 100.0),
            },
            tuning: Tuning {
                goal: TrainGoal {
                    batch: reader.number("batch", 16, STEP),
                    seq: reader.number("seq", 2048, training::SEQ),
                },
                full: reader.pick("full", false, &SWITCH),
                rank: reader.number("rank", 16, training::RANK),
            },
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    /// The flow, from the task to its end.
    pub fn evaluate(&self, model: &Model) -> Result<Decision, LedgerError> {
        let offer = |(card, count): &(String, u64)| Some(Offer { card: catalogue::card(card)?, count: *count });
        let offers: Vec<Offer> = self.cards.iter().filter_map(offer).collect();
        match self.task {
            Task::Serve => decide::serve(model, &self.serving, &offers, &Assumptions::default()),
            Task::Train => decide::train(model, &self.tuning, &offers, &Assumptions::default()),
        }
    }
}
