//! The training ledger of one device.

use ledger::training::{PhaseTotal, Training};
use serde::Serialize;
use ui::state::TrainingState;

use super::refusal::first;
use super::{EntryAnswer, ModelAnswer, Pairs, Refusal, entries};

#[derive(Debug, Serialize)]
pub struct TrainingAnswer {
    pub model: ModelAnswer,
    pub workload: Training,
    /// The card of the catalogue that the workload is held against.
    pub card: String,
    pub capacity_bytes: u64,
    pub entries: Vec<EntryAnswer>,
    pub phases: Vec<PhaseTotal>,
    pub peak: PhaseTotal,
    /// No activation strategy can go below.
    pub floor_bytes: u64,
}

/// # Errors
/// An input that cannot be read, a model that cannot be read, or a size of 2⁶⁴ bytes and more.
pub fn training(pairs: &Pairs) -> Result<TrainingAnswer, Refusal> {
    let state = TrainingState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let ledger = state.evaluate(&model)?;
    Ok(TrainingAnswer {
        model: ModelAnswer::of(&model)?,
        workload: state.workload(),
        capacity_bytes: state.capacity(),
        card: state.card,
        entries: entries(ledger.entries),
        phases: ledger.phases,
        peak: ledger.peak,
        floor_bytes: ledger.floor,
    })
}
