//! Attention of one head and one sequence: shared memory of a tile, traffic to the card's memory.

use crate::{
    Dtype, LedgerError,
    formula::{Term, b, n},
};

/// A tile of FlashAttention: rows of queries against rows of keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    pub query_rows: u64,
    pub key_rows: u64,
    pub head_dim: u64,
    pub dtype: Dtype,
    /// Buffers for keys and values: 2 where the next pair is loaded while this one is used.
    pub stages: u64,
    /// The output tile is held in shared memory too; it is in registers otherwise.
    pub holds_output: bool,
}

impl Tiles {
    /// Bytes of shared memory: queries, `stages` pairs of keys and values, perhaps the output.
    ///
    /// ```
    /// use ledger::{Dtype, calculators::Tiles};
    /// let tiles = Tiles {
    ///     query_rows: 64, key_rows: 64, head_dim: 128, dtype: Dtype::Bf16, stages: 1, holds_output: false,
    /// };
    /// assert_eq!(tiles.shared_memory()?, 48 << 10);
    /// assert_eq!(Tiles { holds_output: true, ..tiles }.shared_memory()?, 64 << 10);
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// A result of 2⁶⁴ bytes and more.
    pub fn shared_memory(&self) -> Result<u64, LedgerError> {
        Ok(self.term().finish("shared_memory")?.0)
    }

    pub(crate) fn term(&self) -> Term {
        let rows = |rows: u64| n(rows) * n(self.head_dim);
        let held = if self.holds_output { 2 } else { 1 };
        let numbers = n(held) * rows(self.query_rows) + n(self.stages) * n(2) * rows(self.key_rows);
        numbers.of_bits(self.dtype.bits())
    }
}

/// Bytes of the score matrix: `N² × bytes`.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn score_bytes(seq: u64, dtype: Dtype) -> Result<u64, LedgerError> {
    Ok(score_term(seq, dtype).finish("scores")?.0)
}

pub(crate) fn score_term(seq: u64, dtype: Dtype) -> Term {
    (n(seq) * n(seq)).of_bits(dtype.bits())
}

/// Traffic of attention in three kernels: Q, K, V read and O written once, and the scores written, read, written as
/// probabilities and read again: `(4Nd + 4N²) × bytes`.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn standard_traffic(seq: u64, head_dim: u64, dtype: Dtype) -> Result<u64, LedgerError> {
    Ok(standard_term(seq, head_dim, dtype).finish("traffic")?.0)
}

pub(super) fn standard_term(seq: u64, head_dim: u64, dtype: Dtype) -> Term {
    let numbers = n(4) * n(seq) * n(head_dim) + n(4) * n(seq) * n(seq);
    numbers.of_bits(dtype.bits())
}

/// Traffic of FlashAttention without a mask: Q read and O written once, K and V read once per row block of queries:
/// `(2Nd + ⌈N ÷ rows⌉ × 2Nd) × bytes`, and the FP32 log-sum-exp written. What the card's own cache saves is not
/// counted.
///
/// # Errors
/// A tile without rows, or a result of 2⁶⁴ bytes and more.
pub fn flash_traffic(seq: u64, head_dim: u64, query_rows: u64, dtype: Dtype) -> Result<u64, LedgerError> {
    if query_rows == 0 {
        return Err(LedgerError::Zero { field: "query_rows" });
    }
    Ok(flash_term(seq, head_dim, query_rows, dtype).finish("traffic")?.0)
}

pub(super) fn flash_term(seq: u64, head_dim: u64, query_rows: u64, dtype: Dtype) -> Term {
    let pair = || -> Term { n(2) * n(seq) * n(head_dim) };
    let numbers = pair() + n(seq).ceil_div(query_rows) * pair();
    numbers.of_bits(dtype.bits()) + n(seq) * b(4)
}
