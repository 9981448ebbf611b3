//! The training ledger of one device.

use ledger::training::{Floor, PhaseTotal, Run, StageTotal};
use serde::Serialize;
use ui::state::TrainingState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{EntryAnswer, ModelAnswer, Pairs, Refusal, entries};

#[derive(Debug, Serialize, ToSchema)]
pub struct TrainingAnswer {
    pub model: ModelAnswer,
    pub run: Run,
    /// The card of the catalogue that the workload is held against.
    pub card: String,
    pub capacity_bytes: u64,
    pub entries: Vec<EntryAnswer>,
    pub phases: Vec<PhaseTotal>,
    pub peak: PhaseTotal,
    /// No activation strategy can go below.
    pub floor_bytes: u64,
    /// The lowest peak of each kind of strategy.
    pub floors: Vec<Floor>,
    /// What the host holds for the device.
    pub host: Vec<EntryAnswer>,
    pub host_peak_bytes: u64,
    /// What crosses the link to the host in a step, both directions together.
    pub moved: Vec<EntryAnswer>,
    /// The step layer by layer; absent for adapters.
    pub curve: Option<Vec<StageTotal>>,
}

/// # Errors
/// An input that cannot be read, a model that cannot be read, or a size of 2⁶⁴ bytes and more.
pub fn training(pairs: &Pairs) -> Result<TrainingAnswer, Refusal> {
    let state = TrainingState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let ledger = state.evaluate(&model)?;
    let curve = state.curve(&model)?;
    Ok(TrainingAnswer {
        model: ModelAnswer::of(&model)?,
        run: state.run(),
        capacity_bytes: state.capacity(),
        card: state.card,
        entries: entries(ledger.device.entries),
        phases: ledger.device.phases,
        peak: ledger.device.peak,
        floor_bytes: ledger.device.floor,
        floors: ledger.floors,
        host: entries(ledger.host),
        host_peak_bytes: ledger.host_peak,
        moved: entries(ledger.moved),
        curve,
    })
}
