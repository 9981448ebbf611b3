//! A cache in blocks, as paged attention keeps it.

use crate::{LedgerError, formula::n};

/// Blocks that hold `seq` tokens: `⌈seq ÷ block⌉`.
///
/// # Errors
/// A block of zero tokens.
pub fn blocks(seq: u64, block: u64) -> Result<u64, LedgerError> {
    if block == 0 {
        return Err(LedgerError::Zero { field: "block" });
    }
    Ok(seq.div_ceil(block))
}

/// Token places of the last block that stay empty.
///
/// # Errors
/// A block of zero tokens, or more than 2⁶⁴ places.
pub fn block_waste(seq: u64, block: u64) -> Result<u64, LedgerError> {
    Ok((n(blocks(seq, block)?) * n(block)).finish("block_waste")?.0 - seq)
}
