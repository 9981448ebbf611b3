//! Why there is no answer.

use ledger::calculators::CalculatorError;
use ledger::{LedgerError, Text};
use ui::state::Problem;

/// Inputs that cannot be read, or numbers that the ledger refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An input is not known, or out of range.
    #[error("{key}: expected {expected}, found {found:?}")]
    Input { key: String, expected: String, found: String },
    /// There is no model behind the inputs.
    #[error("{}", .0.en)]
    Model(Text),
    /// A script that cannot be run.
    #[error("{0}")]
    Script(String),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Refusal {
    /// The input at fault, where there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Refusal::Input { key, .. } => Some(key),
            Refusal::Model(_) => Some("config"),
            Refusal::Script(_) => Some("script"),
            Refusal::Ledger(_) => None,
        }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal::Input { key: problem.key, expected: problem.expected, found: problem.found }
    }
}

impl From<CalculatorError> for Refusal {
    fn from(error: CalculatorError) -> Self {
        match error {
            CalculatorError::UnknownCalculator { found, known } => {
                Refusal::Input { key: "calculator".to_owned(), expected: format!("one of {known}"), found }
            }
            CalculatorError::UnknownInput { found, known, .. } => {
                Refusal::Input { key: found.clone(), expected: format!("one of the inputs {known}"), found }
            }
            CalculatorError::Value { input, found, expected } => {
                Refusal::Input { key: input.into_owned(), expected, found }
            }
            CalculatorError::Ledger(error) => Refusal::Ledger(error),
            other => Refusal::Input {
                key: "calculator".to_owned(),
                expected: "inputs that it can read".to_owned(),
                found: other.to_string(),
            },
        }
    }
}

/// A machine asked: the first input that cannot be read ends it, where a page would go on with the default.
pub(super) fn first(problems: Vec<Problem>) -> Result<(), Refusal> {
    problems.into_iter().next().map_or(Ok(()), |problem| Err(problem.into()))
}
