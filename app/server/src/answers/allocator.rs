//! A script of the caching allocator.

use ledger::allocator::{Settings, Step};
use serde::Serialize;
use ui::state::AllocatorState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{Pairs, Refusal};

#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptAnswer {
    pub settings: Settings,
    /// Every operation with its outcome, and the memory after it.
    pub steps: Vec<Step>,
}

/// # Errors
/// An input that cannot be read, a line that is no operation, or one that does not fit the names before it.
pub fn script(pairs: &Pairs) -> Result<ScriptAnswer, Refusal> {
    let state = AllocatorState::from_pairs(pairs);
    first(state.problems.clone())?;
    let steps = state.evaluate().map_err(|why| Refusal::Script(why.en.into_owned()))?;
    Ok(ScriptAnswer { settings: state.settings(), steps })
}
