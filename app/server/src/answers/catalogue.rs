//! The facts that were typed in.

use ledger::catalogue::{self, Card};

use super::{ModelAnswer, Refusal};

/// # Errors
/// Never for the catalogue as it is: its counts fit 64 bits.
pub fn models() -> Result<Vec<ModelAnswer>, Refusal> {
    Ok(catalogue::models().iter().map(ModelAnswer::of).collect::<Result<_, _>>()?)
}

pub fn cards() -> &'static [Card] {
    catalogue::cards()
}
