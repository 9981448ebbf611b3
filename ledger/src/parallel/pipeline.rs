//! Pipeline parallelism: idle time and live micro-batches.

use serde::{Deserialize, Serialize};

use crate::LedgerError;

/// The order in which a stage works through its micro-batches.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// All forward passes, then all backward passes.
    GPipe,
    /// One forward, one backward.
    OneForwardOneBackward,
    /// The same with `chunks` pieces of the model per stage.
    Interleaved { chunks: u64 },
}

impl Schedule {
    fn chunks(self) -> u64 {
        match self {
            Schedule::Interleaved { chunks } => chunks,
            Schedule::GPipe | Schedule::OneForwardOneBackward => 1,
        }
    }

    fn check(self, stages: u64, micro_batches: u64) -> Result<(), LedgerError> {
        let sizes = [("stages", stages), ("micro_batches", micro_batches), ("chunks", self.chunks())];
        match sizes.iter().find(|(_, size)| *size == 0) {
            Some((field, _)) => Err(LedgerError::Zero { field }),
            None => Ok(()),
        }
    }

    /// The share of a step in which a stage waits: `(p − 1) ÷ (v·m + p − 1)` with `p` stages, `m` micro-batches and
    /// `v` chunks.
    ///
    /// ```
    /// use ledger::parallel::Schedule;
    /// assert_eq!(Schedule::OneForwardOneBackward.bubble(4, 9)?, 0.25);
    /// assert_eq!(Schedule::Interleaved { chunks: 3 }.bubble(4, 9)?, 0.1);
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// A count of zero.
    pub fn bubble(self, stages: u64, micro_batches: u64) -> Result<f64, LedgerError> {
        self.check(stages, micro_batches)?;
        let idle = (stages - 1) as f64;
        Ok(idle / (self.chunks() as f64 * micro_batches as f64 + idle))
    }

    /// Micro-batches whose activations the first stage holds at once: all of them; as many as there are stages; with
    /// interleaving `p + (p − 1) ÷ v`, the last of them in part (Megatron's memory penalty).
    ///
    /// # Errors
    /// A count of zero.
    pub fn live_micro_batches(self, stages: u64, micro_batches: u64) -> Result<f64, LedgerError> {
        self.check(stages, micro_batches)?;
        let all = micro_batches as f64;
        Ok(match self {
            Schedule::GPipe => all,
            Schedule::OneForwardOneBackward => all.min(stages as f64),
            Schedule::Interleaved { chunks } => all.min(stages as f64 + (stages - 1) as f64 / chunks as f64),
        })
    }
}
