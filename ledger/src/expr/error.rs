//! What an author of a lesson reads when an expression is wrong.

use crate::LedgerError;

/// An expression that has no value. Positions count characters from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    #[error("the expression is empty: expected a function, one of {known}")]
    Empty { known: String },
    #[error("at {at}: expected {expected}, found {found}")]
    Syntax { at: usize, expected: &'static str, found: String },
    #[error("at {at}: parentheses nest deeper than {limit}")]
    TooDeep { at: usize, limit: usize },
    #[error("the expression has {length} characters: at most {limit} are read")]
    TooLong { length: usize, limit: usize },
    /// Nothing in it comes from a ledger: such a number belongs into the text, with its source.
    #[error("{source_text:?} is only typed numbers: an expression must compute a ledger quantity, such as {example}")]
    OnlyTypedNumber { source_text: String, example: &'static str },
    #[error("at {at}: unknown function {found:?}: expected one of {known}")]
    UnknownFunction { at: usize, found: String, known: String },
    #[error("at {at}: {function} has no argument {found:?}: expected one of {known}")]
    UnknownArgument { at: usize, function: &'static str, found: String, known: String },
    #[error("at {at}: argument {name} stands twice")]
    RepeatedArgument { at: usize, name: String },
    #[error("at {at}: {function} needs {name}=")]
    MissingArgument { at: usize, function: &'static str, name: &'static str },
    #[error("at {at}: {name}={found} is no {what}: expected {known}")]
    UnknownValue { at: usize, name: String, what: &'static str, found: String, known: String },
    #[error("at {at}: {name} must be {expected}, found {found}")]
    WrongValue { at: usize, name: String, expected: &'static str, found: String },
    #[error("at {at}: {function} takes {expected}, found {found}")]
    Operands { at: usize, function: &'static str, expected: &'static str, found: usize },
    #[error("at {at}: {function} cannot join {left} with {right}")]
    UnitMismatch { at: usize, function: &'static str, left: &'static str, right: &'static str },
    #[error("at {at}: {function}: the divisor is zero")]
    DivisionByZero { at: usize, function: &'static str },
    #[error("at {at}: {function}: {shortfall}")]
    DoesNotFit { at: usize, function: &'static str, shortfall: String },
    /// The catalogue leaves out what has no source.
    #[error("at {at}: the catalogue does not have {what}")]
    NotKnown { at: usize, what: String },
    #[error("at {at}: as={found:?} does not go with {unit}: expected one of {known}")]
    WrongUnit { at: usize, found: String, unit: &'static str, known: String },
    #[error("at {at}: {error}")]
    Ledger { at: usize, error: LedgerError },
}
