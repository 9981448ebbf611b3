//! The small calculators.

use ledger::calculators::{self, Calculator, Sheet};

use super::{Pairs, Refusal};

/// Every calculator with its inputs.
pub fn calculators() -> &'static [Calculator] {
    calculators::all()
}

/// # Errors
/// An unknown calculator or input, a value out of range, or a result of 2⁶⁴ and more.
pub fn calculate(id: &str, pairs: &Pairs) -> Result<Sheet, Refusal> {
    Ok(calculators::run(id, &pairs.iter().cloned().collect())?)
}
