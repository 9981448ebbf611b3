//! Whether a model can be divided at all.

use crate::{LedgerError, Model};

/// Checks that heads, feed-forward width, layers and experts divide by the ranks of their axis. Key-value heads may
/// also be fewer than the ranks: they are repeated then.
///
/// # Errors
/// [`LedgerError::Zero`] for an axis of zero ranks, [`LedgerError::Contradiction`] with the two numbers otherwise.
pub fn check_divides(model: &Model, tensor: u64, pipeline: u64, expert: u64) -> Result<(), LedgerError> {
    model.validate()?;
    for (field, ranks) in [("tensor", tensor), ("pipeline", pipeline), ("expert", expert)] {
        if ranks == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    let divides = |field: &'static str, value: u64, other: &'static str, ranks: u64| {
        if value.is_multiple_of(ranks) {
            return Ok(());
        }
        Err(LedgerError::Contradiction { field, value, other, other_value: ranks, why: "it must be a multiple" })
    };
    divides("heads", model.heads, "tensor", tensor)?;
    divides("intermediate", model.intermediate, "tensor", tensor)?;
    if model.latent.is_none() && !tensor.is_multiple_of(model.kv_heads) {
        divides("kv_heads", model.kv_heads, "tensor", tensor)?;
    }
    divides("layers", model.layers, "pipeline", pipeline)?;
    match &model.experts {
        Some(experts) => divides("experts.total", experts.total, "expert", expert),
        None => divides("experts.total", 1, "expert", expert),
    }
}
