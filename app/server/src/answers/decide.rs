//! The decision flow.

use ledger::decide::Decision;
use serde::Serialize;
use ui::state::DecideState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{ModelAnswer, Pairs, Refusal};

#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionAnswer {
    pub model: ModelAnswer,
    #[serde(flatten)]
    pub decision: Decision,
}

/// # Errors
/// An input that cannot be read, or a model that cannot be read. That nothing fits is a branch.
pub fn decide(pairs: &Pairs) -> Result<DecisionAnswer, Refusal> {
    let state = DecideState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    Ok(DecisionAnswer { decision: state.evaluate(&model)?, model: ModelAnswer::of(&model)? })
}
