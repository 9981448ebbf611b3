//! Checkpointing by segments: memory against segments.

use crate::{LedgerError, formula::n};

/// A number of segments and what it keeps alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segmented {
    pub segments: u64,
    /// Bytes at the start of a backward pass through a segment: all inputs, one segment's layers.
    pub bytes: u64,
}

/// Bytes for every number of segments from 1 to `layers`: `segments × input + ⌈layers ÷ segments⌉ × layer − input`.
/// The optimum lies near `√(layers × layer ÷ input)`: the classic `√layers` only where a layer saves as much as its
/// input. All segments are checkpointed; each layer is computed twice whatever the number, one extra forward.
///
/// # Errors
/// No layers, a layer that saves less than its input, or a result of 2⁶⁴ bytes and more.
pub fn segment_curve(layers: u64, input_bytes: u64, layer_bytes: u64) -> Result<Vec<Segmented>, LedgerError> {
    /// No model has more; bounds the curve.
    const MOST_LAYERS: u64 = 10_000;
    if layers == 0 {
        return Err(LedgerError::Zero { field: "layers" });
    }
    (1..=layers.min(MOST_LAYERS))
        .map(|segments| {
            let term = n(segments) * n(input_bytes) + n(layers.div_ceil(segments)) * n(layer_bytes);
            Ok(Segmented { segments, bytes: term.minus(n(input_bytes)).finish("segments")?.0 })
        })
        .collect()
}
