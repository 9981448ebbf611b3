//! What the ledgers answer to machines: the same value for `--json` on the command line and for the REST API.
//!
//! Inputs are named texts, as a query string, a JSON object or flags bring them; the calculators of the pages read the
//! same names, so a share link is a request.

mod allocator;
mod budget;
mod calculators;
mod catalogue;
mod decide;
mod inference;
mod parallel;
mod plan;
mod refusal;
mod serving;
mod training;

pub use allocator::{ScriptAnswer, script};
pub use budget::{BudgetAxes, BudgetRefusal, budget};
pub use calculators::{calculate, calculators};
pub use catalogue::{cards, models};
pub use decide::{DecisionAnswer, decide};
pub use inference::{InferenceAnswer, inference};
pub use parallel::{ParallelAnswer, RankAnswer, TrafficAnswer, parallel};
pub use plan::{FewestAnswer, PlanAnswer, fewest, plan};
pub use refusal::Refusal;
pub use serving::{ServingAnswer, serving};
pub use training::{TrainingAnswer, training};

use ledger::{Entry, LedgerError, Model, Text};
use serde::Serialize;
use utoipa::ToSchema;

/// Named inputs in the order in which they were given.
pub type Pairs = Vec<(String, String)>;

/// An entry with its name in both languages.
#[derive(Debug, Serialize, ToSchema)]
pub struct EntryAnswer {
    #[serde(flatten)]
    pub entry: Entry,
    pub name: Option<Text>,
}

fn entries(entries: Vec<Entry>) -> Vec<EntryAnswer> {
    entries.into_iter().map(|entry| EntryAnswer { name: ledger::part_name(&entry.part), entry }).collect()
}

/// A model and its exact counts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelAnswer {
    #[serde(flatten)]
    pub model: Model,
    pub parameters: u64,
    /// Parameters that one token uses: fewer than all where experts are routed.
    pub active_parameters: u64,
    pub embedding_parameters: u64,
}

impl ModelAnswer {
    fn of(model: &Model) -> Result<Self, LedgerError> {
        Ok(Self {
            parameters: model.parameters()?,
            active_parameters: model.active_parameters()?,
            embedding_parameters: model.embedding_parameters()?,
            model: model.clone(),
        })
    }
}
