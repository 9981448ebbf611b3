//! ZeRO: what data-parallel ranks divide instead of repeating (arXiv 1910.02054, figure 1).

use serde::{Deserialize, Serialize};

use crate::{
    LedgerError,
    formula::{Term, b, n},
};

/// What is divided among the ranks; each stage includes the one before.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZeroStage {
    /// Plain data parallelism.
    Zero,
    /// Optimizer states.
    One,
    /// Gradients.
    Two,
    /// Weights (FSDP's full sharding).
    Three,
}

impl ZeroStage {
    pub const ALL: [ZeroStage; 4] = [ZeroStage::Zero, ZeroStage::One, ZeroStage::Two, ZeroStage::Three];

    /// The stage of that number.
    pub fn from_number(stage: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(stage).ok()?).copied()
    }
}

/// Bytes per parameter of the three kinds of model states.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateBytes {
    pub weights: u64,
    pub gradients: u64,
    /// Optimizer states, an FP32 master copy included.
    pub optimizer: u64,
}

impl StateBytes {
    /// 16-bit weights and gradients, FP32 master copy and two FP32 states: 16 bytes per parameter.
    pub const MIXED_ADAM: StateBytes = StateBytes { weights: 2, gradients: 2, optimizer: 12 };
}

/// Bytes of model states on the rank that holds most; shards are rounded up to whole parameters.
///
/// ```
/// use ledger::parallel::{StateBytes, ZeroStage, zero_state_bytes};
/// let bytes = |stage| zero_state_bytes(7_500_000_000, StateBytes::MIXED_ADAM, stage, 64);
/// assert_eq!(bytes(ZeroStage::Zero)?, 120_000_000_000);
/// assert_eq!(bytes(ZeroStage::Two)?, 16_640_625_000);
/// assert_eq!(bytes(ZeroStage::Three)?, 1_875_000_000);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// Zero ranks, or a result of 2⁶⁴ bytes and more.
pub fn zero_state_bytes(parameters: u64, bytes: StateBytes, stage: ZeroStage, ranks: u64) -> Result<u64, LedgerError> {
    Ok(zero_term(parameters, bytes, stage, ranks)?.finish("zero_states")?.0)
}

pub(crate) fn zero_term(parameters: u64, bytes: StateBytes, stage: ZeroStage, ranks: u64) -> Result<Term, LedgerError> {
    if ranks == 0 {
        return Err(LedgerError::Zero { field: "ranks" });
    }
    let held = |from: ZeroStage| if stage >= from { n(parameters).ceil_div(ranks) } else { n(parameters) };
    Ok(held(ZeroStage::Three) * b(bytes.weights)
        + held(ZeroStage::Two) * b(bytes.gradients)
        + held(ZeroStage::One) * b(bytes.optimizer))
}
