//! What can go wrong in a ledger.

/// A ledger that cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The exact result does not fit 64 bits (16 EiB).
    #[error("{what}: {formula} exceeds 2^64 − 1")]
    Overflow { what: &'static str, formula: String },
    /// An input that must be at least 1.
    #[error("{field} is 0: it must be at least 1")]
    Zero { field: &'static str },
    /// A model whose numbers contradict each other.
    #[error("{field} = {value} does not go with {other} = {other_value}: {why}")]
    Contradiction { field: &'static str, value: u64, other: &'static str, other_value: u64, why: &'static str },
    /// A combination for which no rule is known well enough to print a number.
    #[error("not modelled: {what}")]
    NotModelled { what: &'static str },
    /// A name that means nothing here.
    #[error("unknown {field} {found:?}: expected one of {known}")]
    Unknown { field: &'static str, found: String, known: String },
    /// The sequence is longer than the learned position table of the model.
    #[error("sequence {seq} exceeds the position table of {positions}")]
    BeyondPositions { seq: u64, positions: u64 },
}
