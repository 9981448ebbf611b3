//! Counts that several lines of a training ledger need; the tensors are listed once.

use crate::{LedgerError, Model, Role, Tensors};

/// Block of bitsandbytes' 8-bit optimizers: one FP32 maximum per 256 numbers.
const BLOCK: u64 = 256;
/// Tensors with fewer elements keep FP32 states in bitsandbytes (`min_8bit_size`).
const MIN_8BIT: u64 = 4096;
/// Tensors with fewer elements keep their states on the device (`get_state_buffer` of bitsandbytes).
const MIN_PAGED: u64 = 100_000;

/// Sums over the tensors of a model.
pub(crate) struct Facts {
    pub parameters: u64,
    pub matmul: u64,
    /// Weights of matrix products in one layer.
    pub layer_matmul: u64,
    pub head: u64,
    /// Parameters of one layer without its feed-forward block, the last norm's share included: a few kilobytes.
    pub common: u64,
    /// Parameters of the feed-forward block of each of the first `dense_layers` layers, and of the others.
    pub dense: u64,
    pub sparse: u64,
    pub dense_layers: u64,
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
    /// Parameters in tensors whose states are too small to be paged.
    pub unpaged: u64,
    /// Parameters in matrices of the layers: what Muon updates.
    pub matrices: u64,
    /// Rows and columns, the fewer first, of the matrix whose Newton–Schulz iteration needs most.
    pub widest: (u64, u64),
    /// Weights of the layers' matrix products that run in FP8: all but the routers.
    pub fp8: u64,
    /// Matrix products with those weights.
    pub fp8_products: u64,
}

/// A router decides in the format of the activations.
fn is_router(group: &Tensors) -> bool {
    matches!(group.part, "router" | "shared_expert_gate")
}

/// The feed-forward block of a layer without experts.
fn is_dense(group: &Tensors) -> bool {
    ["gate", "up", "down"].iter().any(|stem| group.part.starts_with(stem))
}

/// A mixture of experts.
fn is_sparse(group: &Tensors) -> bool {
    ["router", "expert", "shared"].iter().any(|stem| group.part.starts_with(stem))
}

fn is_matrix(group: &Tensors) -> bool {
    matches!(group.role, Role::Linear | Role::Expert)
}

/// The matrix with the largest temporaries of [`super::states::newton_schulz`].
fn widest(groups: &[Tensors]) -> (u64, u64) {
    let need = |(few, many): &(u64, u64)| few.saturating_mul(many.saturating_mul(2).saturating_add(*few));
    let sides = |group: &Tensors| (group.rows.min(group.columns), group.rows.max(group.columns));
    groups.iter().filter(|group| is_matrix(group)).map(sides).max_by_key(need).unwrap_or((0, 0))
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
        let linear = sum(&|group| if is_matrix(group) { group.total() } else { Some(0) })?;
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
        let among = |keep: &dyn Fn(&Tensors) -> bool| sum(&|group| if keep(group) { group.total() } else { Some(0) });
        let block = |kind: fn(&Tensors) -> bool| {
            let layers = groups.iter().filter(|group| kind(group)).map(|group| group.count).max().unwrap_or(0);
            among(&kind).map(|all| (all, layers))
        };
        let ((dense, dense_layers), (sparse, sparse_layers)) = (block(is_dense)?, block(is_sparse)?);
        Ok(Self {
            dense: dense / dense_layers.max(1),
            sparse: sparse / sparse_layers.max(1),
            dense_layers,
            unpaged: among(&|group| group.elements < MIN_PAGED)?,
            matrices: among(&is_matrix)?,
            widest: widest(groups),
            fp8: among(&|group| is_matrix(group) && !is_router(group))?,
            fp8_products: sum(&|group| match is_matrix(group) && !is_router(group) {
                true => group.stack.checked_mul(group.count),
                false => Some(0),
            })?,
            common: (parameters - outside - dense - sparse) / layers.max(1),
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

    /// Elements of the largest tensor whose states are paged; 0 where all are small.
    pub(crate) fn largest_paged(&self) -> u64 {
        if self.largest < MIN_PAGED { 0 } else { self.largest }
    }

    /// Parameters of the first `layers` layers.
    pub(crate) fn in_first(&self, layers: u64) -> u64 {
        let dense = layers.min(self.dense_layers);
        let blocks = self.dense.saturating_mul(dense).saturating_add(self.sparse.saturating_mul(layers - dense));
        self.common.saturating_mul(layers).saturating_add(blocks)
    }

    /// Parameters whose gradients exist when the backward pass reaches the first `layers` layers.
    pub(crate) fn behind(&self, layers: u64) -> u64 {
        (self.parameters - self.first).saturating_sub(self.in_first(layers))
    }
}
