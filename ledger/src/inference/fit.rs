//! What fits a card.

use serde::{Deserialize, Serialize};

use super::{Inference, kv, ledger, weights};
use crate::{LedgerError, Model};

/// Where the search for the longest context and the largest batch ends: far beyond what any card holds.
pub const MAX_SEARCH: u64 = 1 << 40;

/// A workload beside a capacity. All sizes in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    pub fits: bool,
    pub total: u64,
    pub capacity: u64,
    /// Bytes left, 0 where it does not fit.
    pub free: u64,
    /// Bytes missing, 0 where it fits.
    pub short: u64,
    /// Most tokens per sequence at the workload's batch; `None` where not even one fits. It says what memory allows, not
    /// what the model was made for ([`Model::max_positions`]); but where memory sets no limit, because every layer
    /// slides, it is that number, and it never exceeds a learned position table.
    pub longest_context: Option<u64>,
    /// Most sequences at the workload's length; `None` where not even one fits. At most [`MAX_SEARCH`].
    pub largest_batch: Option<u64>,
}

/// The largest `x` in `1..=max` that still passes; `passes` must be monotone.
pub(super) fn largest(max: u64, passes: impl Fn(u64) -> bool) -> Option<u64> {
    if !passes(1) {
        return None;
    }
    let (mut good, mut bad) = (1, max.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}

/// Compares a workload with `capacity` bytes and finds the limits.
///
/// ```
/// use ledger::{Dtype, catalogue, inference::{self, Inference}, units::GIB};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let workload = Inference { weights: Dtype::Bf16, kv: Dtype::Bf16, batch: 1, seq: 8192, reserve: 0 };
/// let fit = inference::fit(model, &workload, 24 * GIB)?;
/// assert!(fit.fits);
/// // What the weights leave of 24 GiB, divided by 131,072 bytes per token.
/// assert_eq!(fit.longest_context, Some((24 * GIB - 2 * 8_030_261_248) / 131_072));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`ledger`].
pub fn fit(model: &Model, workload: &Inference, capacity: u64) -> Result<Fit, LedgerError> {
    let total = ledger(model, workload)?.total;
    let fixed = weights(model, workload.weights)?.bytes.checked_add(workload.reserve);
    let room = fixed.and_then(|fixed| capacity.checked_sub(fixed));
    let holds = |batch: u64, seq: u64| {
        let needed = kv::term(model, workload.kv, batch, seq).value();
        room.zip(needed).is_some_and(|(room, needed)| needed <= room)
    };
    let positions = if model.position_table > 0 { model.position_table } else { MAX_SEARCH };
    Ok(Fit {
        fits: total <= capacity,
        total,
        capacity,
        free: capacity.saturating_sub(total),
        short: total.saturating_sub(capacity),
        longest_context: largest(positions, |seq| holds(workload.batch, seq)).map(|longest| match longest {
            MAX_SEARCH => model.max_positions,
            limited => limited,
        }),
        largest_batch: largest(MAX_SEARCH, |batch| holds(batch, workload.seq)),
    })
}
