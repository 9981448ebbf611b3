//! Bytes on the links, and their time at a stated rate.

use serde::{Deserialize, Serialize};

use super::ZeroStage;
use crate::{
    LedgerError, Text,
    formula::{Term, n},
};

/// A collective operation, by the ring algorithm: every rank sends to its neighbour only.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collective {
    AllReduce,
    ReduceScatter,
    AllGather,
    AllToAll,
    /// From one rank to the next.
    PointToPoint,
}

impl Collective {
    /// The collective in words.
    pub fn name(self) -> Text {
        match self {
            Collective::AllReduce => Text::new("all-reduce", "All-reduce"),
            Collective::ReduceScatter => Text::new("reduce-scatter", "Reduce-scatter"),
            Collective::AllGather => Text::new("all-gather", "All-gather"),
            Collective::AllToAll => Text::new("all-to-all", "All-to-all"),
            Collective::PointToPoint => Text::new("点对点", "Point to point"),
        }
    }

    /// Bytes that each rank sends (and receives) for a tensor of `bytes` in all: `(N − 1) ÷ N` of them, twice for an
    /// all-reduce, which is a reduce-scatter and an all-gather; all of them from one rank to the next. Rounded up.
    ///
    /// ```
    /// use ledger::parallel::Collective;
    /// assert_eq!(Collective::AllReduce.bytes_sent(8_000, 8)?, 14_000);
    /// assert_eq!(Collective::AllGather.bytes_sent(8_000, 8)?, 7_000);
    /// assert_eq!(Collective::AllReduce.bytes_sent(8_000, 1)?, 0);
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// Zero ranks, or a result of 2⁶⁴ bytes and more.
    pub fn bytes_sent(self, bytes: u64, ranks: u64) -> Result<u64, LedgerError> {
        match self.sent(bytes, ranks) {
            Some(sent) => Ok(sent),
            None => Ok(self.term(bytes, ranks)?.finish("bytes_sent")?.0),
        }
    }

    /// [`Collective::bytes_sent`] as plain arithmetic; `None` for zero ranks and where 64 bits do not suffice.
    pub(crate) fn sent(self, bytes: u64, ranks: u64) -> Option<u64> {
        let others = ranks.checked_sub(1)?;
        let times: u128 = match self {
            Collective::PointToPoint => return Some(if others > 0 { bytes } else { 0 }),
            Collective::AllReduce => 2,
            Collective::ReduceScatter | Collective::AllGather | Collective::AllToAll => 1,
        };
        u64::try_from((times * u128::from(bytes) * u128::from(others)).div_ceil(u128::from(ranks))).ok()
    }

    fn term(self, bytes: u64, ranks: u64) -> Result<Term, LedgerError> {
        if ranks == 0 {
            return Err(LedgerError::Zero { field: "ranks" });
        }
        let times = if self == Collective::AllReduce { 2 } else { 1 };
        Ok((n(times) * n(bytes) * n(ranks - 1)).ceil_div(ranks))
    }
}

/// Bytes that each rank sends in one step of data-parallel training, for `weights` and `gradients` bytes of the whole
/// model: an all-reduce of gradients; from stage 1 on a reduce-scatter of gradients and an all-gather of weights; in
/// stage 3 the weights are gathered twice, for the forward and for the backward pass.
///
/// # Errors
/// As [`Collective::bytes_sent`].
pub fn zero_bytes_sent(weights: u64, gradients: u64, stage: ZeroStage, ranks: u64) -> Result<u64, LedgerError> {
    let gather = || Collective::AllGather.term(weights, ranks);
    let scatter = Collective::ReduceScatter.term(gradients, ranks)?;
    let term = match stage {
        ZeroStage::Zero => Collective::AllReduce.term(gradients, ranks)?,
        ZeroStage::One | ZeroStage::Two => scatter + gather()?,
        ZeroStage::Three => scatter + gather()? + gather()?,
    };
    Ok(term.finish("bytes_sent")?.0)
}

/// Bytes that each tensor-parallel rank sends for one layer, forward and backward: four all-reduces of the layer's
/// input. Sequence parallelism sends the same bytes as reduce-scatters and all-gathers.
///
/// # Errors
/// As [`Collective::bytes_sent`].
pub fn tensor_parallel_bytes_sent(layer_input: u64, ranks: u64) -> Result<u64, LedgerError> {
    Ok((n(4) * Collective::AllReduce.term(layer_input, ranks)?).finish("bytes_sent")?.0)
}

/// Seconds of `bytes` at `bytes_per_second`; latency and protocol are left out.
///
/// # Errors
/// A rate of zero.
pub fn seconds(bytes: u64, bytes_per_second: u64) -> Result<f64, LedgerError> {
    if bytes_per_second == 0 {
        return Err(LedgerError::Zero { field: "bytes_per_second" });
    }
    Ok(bytes as f64 / bytes_per_second as f64)
}
