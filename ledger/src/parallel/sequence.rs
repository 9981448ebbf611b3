//! Activations of a GPT layer under tensor and sequence parallelism, 16 bit with dropout.
//!
//! Table 2 of Korthikanti et al. 2022 (arXiv 2205.05198): `s` tokens, `b` sequences, `h` width, `a` heads, `t`
//! tensor-parallel ranks.

use serde::{Deserialize, Serialize};

use crate::{
    LedgerError,
    formula::{Term, n},
};

/// How a layer is divided.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorParallel {
    pub ranks: u64,
    /// Norms and dropouts are divided along the sequence as well.
    pub sequence: bool,
}

/// What is computed again in the backward pass.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recompute {
    Nothing,
    /// The quadratic part of attention.
    Selective,
    /// The whole layer.
    Full,
}

/// Bytes that one rank saves for one layer.
///
/// * no parallelism: `sbh(34 + 5as/h)`
/// * tensor: `sbh(10 + 24/t + 5as/(ht))`
/// * tensor and sequence: `sbh(34 + 5as/h) / t`
/// * selective: the same without `5as/h`; full: `2sbh`
///
/// Fractions of a byte are rounded up.
///
/// # Errors
/// A size of zero, or a result of 2⁶⁴ bytes and more.
pub fn layer_activation_bytes(
    heads: u64,
    hidden: u64,
    batch: u64,
    seq: u64,
    parallel: TensorParallel,
    recompute: Recompute,
) -> Result<u64, LedgerError> {
    for (field, value) in
        [("heads", heads), ("hidden", hidden), ("batch", batch), ("seq", seq), ("ranks", parallel.ranks)]
    {
        if value == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    let stream = || n(seq) * n(batch) * n(hidden);
    let scores = |sum: Term| match recompute {
        Recompute::Nothing => sum + n(5) * n(heads) * n(seq) * n(seq) * n(batch),
        Recompute::Selective | Recompute::Full => sum,
    };
    let divided = |term: Term| if parallel.ranks > 1 { term.ceil_div(parallel.ranks) } else { term };
    let term = match (recompute, parallel.sequence) {
        (Recompute::Full, _) => n(2) * stream(),
        (_, true) => divided(scores(n(34) * stream())),
        (_, false) => n(10) * stream() + divided(scores(n(24) * stream())),
    };
    Ok(term.finish("layer_activations")?.0)
}

/// `5as/h`: how the scores weigh against the 34 bytes per number of everything else.
pub fn score_share(heads: u64, seq: u64, hidden: u64) -> f64 {
    5.0 * heads as f64 * seq as f64 / hidden as f64
}
