//! The inference ledger.

use ledger::inference::{Fit, Inference};
use serde::Serialize;
use ui::state::InferenceState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{EntryAnswer, ModelAnswer, Pairs, Refusal, entries};

#[derive(Debug, Serialize, ToSchema)]
pub struct InferenceAnswer {
    pub model: ModelAnswer,
    pub workload: Inference,
    /// The card of the catalogue that the workload is held against.
    pub card: String,
    pub entries: Vec<EntryAnswer>,
    pub total_bytes: u64,
    pub fit: Fit,
}

/// # Errors
/// An input that cannot be read, a model that cannot be read, or a size of 2⁶⁴ bytes and more.
pub fn inference(pairs: &Pairs) -> Result<InferenceAnswer, Refusal> {
    let state = InferenceState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let (ledger, fit) = state.evaluate(&model)?;
    Ok(InferenceAnswer {
        model: ModelAnswer::of(&model)?,
        workload: state.workload(),
        card: state.card,
        entries: entries(ledger.entries),
        total_bytes: ledger.total,
        fit,
    })
}
