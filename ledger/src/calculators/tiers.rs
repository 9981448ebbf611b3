//! A cached prefix on a slower tier: load it, or compute it again?

use crate::{
    Dtype, LedgerError, Model,
    formula::{Term, n},
    inference,
};

/// A prefix of `tokens` tokens and its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    pub tokens: u64,
    pub cache: Dtype,
}

/// Seconds to load the prefix's cache at `bytes_per_second`; latency is left out.
///
/// # Errors
/// As [`inference::kv_bytes`], and a rate of zero.
pub fn load_seconds(model: &Model, prefix: Prefix, bytes_per_second: u64) -> Result<f64, LedgerError> {
    if bytes_per_second == 0 {
        return Err(LedgerError::Zero { field: "bytes_per_second" });
    }
    Ok(inference::kv_bytes(model, prefix.cache, 1, prefix.tokens)? as f64 / bytes_per_second as f64)
}

/// Seconds to compute the prefix again at `operations_per_second` × `share`: two operations per parameter of the
/// layers and token, and `4 · tokens² · width · layers ÷ 2` for causal attention. The embedding is a lookup; the head
/// runs for the last token only and is left out.
///
/// # Errors
/// As [`Model::parameters`], and a rate or share of zero.
pub fn recompute_seconds(
    model: &Model,
    prefix: Prefix,
    operations_per_second: u64,
    share: f64,
) -> Result<f64, LedgerError> {
    let rate = operations_per_second as f64 * share;
    if rate.is_nan() || rate <= 0.0 {
        return Err(LedgerError::Zero { field: "operations_per_second × share" });
    }
    Ok(prefill_operations(model, prefix.tokens)?.finish("operations")?.0 as f64 / rate)
}

/// Operations of a prefill, as [`recompute_seconds`] counts them.
pub(super) fn prefill_operations(model: &Model, tokens: u64) -> Result<Term, LedgerError> {
    let embedding = model.embedding_parameters()?;
    let head = if model.tied { 0 } else { embedding };
    let layers = n(model.active_parameters()?).minus(n(embedding) + n(head)).finish("layers")?.0;
    let width = n(model.heads) * n(model.head_dim);
    let products = n(2) * n(layers) * n(tokens);
    Ok(products + n(2) * n(tokens) * n(tokens) * width * n(model.layers))
}
