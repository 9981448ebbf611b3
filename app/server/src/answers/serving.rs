//! A serving engine with a paged cache.

use ledger::inference::EngineCapacity;
use serde::Serialize;
use ui::state::ServingState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{EntryAnswer, ModelAnswer, Pairs, Refusal, entries};

#[derive(Debug, Serialize, ToSchema)]
pub struct ServingAnswer {
    pub model: ModelAnswer,
    /// The inputs as they were understood.
    #[schema(value_type = Object)]
    pub workload: ServingState,
    pub capacity_bytes: u64,
    pub entries: Vec<EntryAnswer>,
    /// Weights and reserves; all sequences cached and a pass over a prompt; all sequences cached and a token of each.
    pub load_bytes: u64,
    pub prefill_bytes: u64,
    pub decode_bytes: u64,
    pub peak_bytes: u64,
    /// What the card takes at the stated utilisation.
    pub engine: EngineCapacity,
    /// Requests of the workload's length at the same time.
    pub max_concurrency: f64,
}

/// # Errors
/// An input that cannot be read, a model that cannot be read, or a size of 2⁶⁴ bytes and more.
pub fn serving(pairs: &Pairs) -> Result<ServingAnswer, Refusal> {
    let state = ServingState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let (ledger, engine) = state.evaluate(&model)?;
    Ok(ServingAnswer {
        model: ModelAnswer::of(&model)?,
        capacity_bytes: state.capacity(),
        workload: state,
        entries: entries(ledger.entries),
        load_bytes: ledger.load,
        prefill_bytes: ledger.prefill,
        decode_bytes: ledger.decode,
        peak_bytes: ledger.peak,
        max_concurrency: engine.concurrency(),
        engine,
    })
}
