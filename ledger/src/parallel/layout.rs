//! Model states of the most loaded rank under tensor, pipeline, expert and data parallelism.
//!
//! Megatron's layout: the first pipeline stage holds its layers and the embedding, and the head where there is one
//! stage only; matrices are divided by the tensor-parallel ranks, norms and routers are repeated on them; experts are
//! divided by the expert-parallel ranks and repeated over what is left. 18 bytes per parameter (16-bit weight, FP32
//! gradient, FP32 master copy and two states); the distributed optimizer divides the last 12 among the data-parallel
//! ranks. Linear biases and a position table are left out.

use serde::{Deserialize, Serialize};

use crate::{Biases, Experts, LedgerError, Model, Role};

/// Ranks along each axis.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    pub tensor: u64,
    pub pipeline: u64,
    pub data: u64,
    pub expert: u64,
    /// Tensor-parallel ranks inside an expert.
    pub expert_tensor: u64,
    /// Data-parallel ranks of the experts: all ranks ÷ (pipeline × expert × expert tensor).
    pub expert_data: u64,
    pub distributed_optimizer: bool,
}

impl Layout {
    /// One device.
    pub const SINGLE: Layout = Layout {
        tensor: 1,
        pipeline: 1,
        data: 1,
        expert: 1,
        expert_tensor: 1,
        expert_data: 1,
        distributed_optimizer: false,
    };
}

/// Parameters by how the layout divides them.
#[derive(Default)]
struct Shares {
    divided: u128,
    repeated: u128,
    experts: u128,
    embedding: u128,
    head: u128,
}

fn shares(model: &Model) -> Result<Shares, LedgerError> {
    let mut shares = Shares::default();
    for group in model.tensors()? {
        let total = u128::from(group.elements) * u128::from(group.count);
        let share = match (group.role, group.part) {
            (Role::Expert, _) => &mut shares.experts,
            (Role::Embedding, _) => &mut shares.embedding,
            (Role::Head, _) => &mut shares.head,
            (Role::Norm | Role::Bias, _) | (_, "router") => &mut shares.repeated,
            _ => &mut shares.divided,
        };
        *share += total;
    }
    Ok(shares)
}

/// The layers of multi-token prediction: `layers` of the model's last kind, nothing around them.
fn prediction(model: &Model, layers: u64) -> Result<Shares, LedgerError> {
    if layers == 0 {
        return Ok(Shares::default());
    }
    let experts = model.experts.map(|experts| Experts { dense_layers: 0, ..experts });
    let mut shares = shares(&Model { layers, experts, window: None, ..model.clone() })?;
    let without = self::shares(&Model { layers: 1, experts, window: None, ..model.clone() })?;
    let twice = self::shares(&Model { layers: 2, experts, window: None, ..model.clone() })?;
    // What is there however many layers there are: the last norm.
    shares.repeated -= 2 * without.repeated - twice.repeated;
    Ok(Shares { embedding: 0, head: 0, ..shares })
}

/// Bytes of model states on the most loaded rank, fractions of a byte rounded up.
///
/// # Errors
/// An inconsistent model, an axis of zero ranks, or a result of 2⁶⁴ bytes and more.
pub fn shard_state_bytes(model: &Model, prediction_layers: u64, layout: Layout) -> Result<u64, LedgerError> {
    let axes = [
        ("tensor", layout.tensor),
        ("pipeline", layout.pipeline),
        ("data", layout.data),
        ("expert", layout.expert),
        ("expert_tensor", layout.expert_tensor),
        ("expert_data", layout.expert_data),
    ];
    if let Some((field, _)) = axes.iter().find(|(_, ranks)| *ranks == 0) {
        return Err(LedgerError::Zero { field });
    }
    let bare = Model { biases: Biases::default(), position_table: 0, ..model.clone() };
    let (block, ahead) = (shares(&bare)?, prediction(&bare, prediction_layers)?);
    let head = if layout.pipeline == 1 { block.head } else { 0 };
    let bytes = || {
        let axis = |at: usize| u128::from(axes[at].1);
        let (tensor, pipeline, data) = (axis(0), axis(1), axis(2));
        let (expert, expert_data) = (axis(3) * axis(4), axis(5));
        // Everything over one denominator, so that only the sum is rounded.
        let whole = pipeline * tensor * expert;
        let dense = (block.divided + pipeline * (ahead.divided + block.embedding + head)) * expert
            + (block.repeated + pipeline * ahead.repeated) * tensor * expert;
        let experts = (block.experts + pipeline * ahead.experts) * tensor;
        let of = |parameters: u128, ranks: u128| {
            let (kept, divided, ranks) = if layout.distributed_optimizer { (6, 12, ranks) } else { (18, 0, 1) };
            Some((parameters.checked_mul(kept * ranks + divided)?, whole.checked_mul(ranks)?))
        };
        let ((a, c), (d, e)) = (of(dense, data)?, of(experts, expert_data)?);
        let top = a.checked_mul(e)?.checked_add(d.checked_mul(c)?)?;
        u64::try_from(top.div_ceil(c.checked_mul(e)?)).ok()
    };
    bytes().ok_or_else(|| LedgerError::Overflow { what: "shard_states", formula: "Σ shares".to_owned() })
}
