//! Base64 (standard alphabet, padded) of byte strings whose length is known.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes text that must hold exactly `N` bytes. `None` when it is not base64 or has another length.
pub(crate) fn decode_exact<const N: usize>(text: &str) -> Option<[u8; N]> {
    // Refuse by length first, so that a huge field is never decoded.
    if text.len() != N.div_ceil(3) * 4 {
        return None;
    }
    STANDARD.decode(text).ok()?.try_into().ok()
}

/// Decodes text that must hold at most `most` bytes.
pub(crate) fn decode_at_most(text: &str, most: usize) -> Option<Vec<u8>> {
    if text.len() > most.div_ceil(3) * 4 {
        return None;
    }
    let bytes = STANDARD.decode(text).ok()?;
    (bytes.len() <= most).then_some(bytes)
}
