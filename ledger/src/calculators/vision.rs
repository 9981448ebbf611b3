//! Tokens of pictures and films.

use crate::{
    LedgerError,
    formula::{Term, n, product},
};

/// Patches of a square picture, and a class token where there is one: `⌊side ÷ patch⌋² (+ 1)`.
///
/// ```
/// use ledger::calculators::image_tokens;
/// assert_eq!(image_tokens(224, 16, false)?, 196);
/// assert_eq!(image_tokens(224, 14, true)?, 257);
/// assert_eq!(image_tokens(336, 14, false)?, 576);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// A patch of zero, or more than 2⁶⁴ tokens.
pub fn image_tokens(side: u64, patch: u64, class_token: bool) -> Result<u64, LedgerError> {
    Ok(image_term(side, patch, class_token)?.finish("tokens")?.0)
}

pub(crate) fn image_term(side: u64, patch: u64, class_token: bool) -> Result<Term, LedgerError> {
    if patch == 0 {
        return Err(LedgerError::Zero { field: "patch" });
    }
    let row = side / patch;
    let patches = n(row) * n(row);
    Ok(if class_token { patches + n(1) } else { patches })
}

/// Tokens of a film: `⌈frames ÷ merged⌉ × tokens per frame ÷ compression`, rounded up.
///
/// # Errors
/// A merge or compression of zero, or more than 2⁶⁴ tokens.
pub fn video_tokens(
    frames: u64,
    tokens_per_frame: u64,
    merged_frames: u64,
    compression: u64,
) -> Result<u64, LedgerError> {
    for (field, value) in [("merged_frames", merged_frames), ("compression", compression)] {
        if value == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    Ok(product("tokens", &[frames.div_ceil(merged_frames), tokens_per_frame])?.div_ceil(compression))
}
