//! Counts that several lines of a training ledger need; the tensors are listed once.

use crate::{LedgerError, Model, Role, Tensors};

/// Block of bitsandbytes' 8-bit optimizers: one FP32 maximum per 256 numbers.
const BLOCK: u64 = 256;
/// Tensors with fewer elements keep FP32 states in bitsandbytes (`min_8bit_size`).
const MIN_8BIT: u64 = 4096;

/// Sums over the tensors of a model.
pub(crate) struct Facts {
    pub parameters: u64,
    pub matmul: u64,
    /// Weights of matrix products in one layer.
    pub layer_matmul: u64,
    pub head: u64,
    /// Parameters of one layer, the last norm's share included: a few kilobytes.
    pub layer: u64,
    /// Parameters before the first layer whose gradients come last: an embedding of its own, a position table.
    pub first: u64,
    /// Elements of the largest tensor.
    pub largest: u64,
    pub tensors: u64,
    /// Parameters in tensors that 8-bit optimizers leave in FP32.
    pub small: u64,
    /// Blocks of the other tensors.
    pub blocks: u64,
    /// Numbers of a factored second moment: rows and columns of matrices, vectors whole.
    pub factored: u64,
}

impl Facts {
    pub(crate) fn of(model: &Model) -> Result<Self, LedgerError> {
        let head = if model.tied { Role::Embedding } else { Role::Head };
        Self::from_groups(&model.tensors()?, model.layers, Some(head))
    }

    /// Sums over any tensors of `layers` layers; `head_role` names those of the output head.
    pub(crate) fn from_groups(groups: &[Tensors], layers: u64, head_role: Option<Role>) -> Result<Self, LedgerError> {
        let sum = |of: &dyn Fn(&Tensors) -> Option<u64>| {
            groups
                .iter()
                .try_fold(0u64, |sum, group| sum.checked_add(of(group)?))
                .ok_or_else(|| LedgerError::Overflow { what: "parameters", formula: "Σ tensors".to_owned() })
        };
        let parameters = sum(&|group| group.total())?;
        let linear = sum(&|group| match group.role {
            Role::Linear | Role::Expert => group.total(),
            _ => Some(0),
        })?;
        let head = sum(&|group| if Some(group.role) == head_role { group.total() } else { Some(0) })?;
        let embedding = sum(&|group| match group.role {
            Role::Position => group.total(),
            Role::Embedding if head_role != Some(Role::Embedding) => group.total(),
            _ => Some(0),
        })?;
        let outside = sum(&|group| match group.role {
            Role::Embedding | Role::Position | Role::Head => group.total(),
            _ => Some(0),
        })?;
        Ok(Self {
            layer: (parameters - outside) / layers.max(1),
            first: embedding,
            parameters,
            matmul: linear + head,
            layer_matmul: linear / layers.max(1),
            head,
            largest: groups.iter().map(|group| group.elements).max().unwrap_or(0),
            tensors: sum(&|group| Some(group.count))?,
            factored: sum(&|group| {
                let numbers = match group.columns {
                    1 => group.elements,
                    columns => group.stack.checked_mul(group.rows.checked_add(columns)?)?,
                };
                numbers.checked_mul(group.count)
            })?,
            small: sum(&|group| if group.elements < MIN_8BIT { group.total() } else { Some(0) })?,
            blocks: sum(&|group| {
                if group.elements < MIN_8BIT {
                    Some(0)
                } else {
                    group.elements.div_ceil(BLOCK).checked_mul(group.count)
                }
            })?,
        })
    }

    /// Parameters whose gradients exist when the backward pass reaches the first `layers` layers.
    pub(crate) fn behind(&self, layers: u64) -> u64 {
        self.parameters - self.first - self.layer.saturating_mul(layers).min(self.parameters - self.first)
    }
}
