//! Differential privacy: gradients of every sample.

use crate::{
    Dtype, LedgerError,
    formula::{Term, n},
};

/// Bytes of per-sample gradients that DP-SGD clips one by one, where they are materialised: `samples × parameters ×
/// bytes`. Ghost clipping and micro-batches of one avoid them.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn per_sample_gradients(samples: u64, parameters: u64, dtype: Dtype) -> Result<u64, LedgerError> {
    let numbers: Term = n(samples) * n(parameters);
    Ok(numbers.of_bits(dtype.bits()).finish("per_sample_gradients")?.0)
}
