//! What serving a model needs: weights, KV cache and a named reserve.
//!
//! [`ledger`] is the plain sum with bare numbers; [`serving_ledger`] knows formats with scales, pages, the activations
//! of the prefill and each reserve by name, and [`engine_capacity`] what of it a card takes.

mod fit;
mod kv;
mod paging;
mod prefill;
mod reserves;
mod serving;
mod weights;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use fit::{Fit, MAX_SEARCH, fit};
pub use kv::{kv_bytes, kv_bytes_in, kv_per_token};
pub(crate) use kv::{per_token_term, term as kv_term};
pub use paging::{
    PageFormat, UnknownPageFormat, block_table_bytes, block_waste, blocks, kv_per_token_per_rank, latent_fp8_bytes,
    page_bytes, pool_blocks, shared_blocks, sliding_blocks, sparse_latent_per_token,
};
pub use prefill::{Prefill, PromptAttention, PromptLogits};
pub use reserves::Reserves;
pub use serving::{EngineCapacity, Serving, ServingLedger, engine_capacity, serving_ledger};
pub use weights::{UnknownWeightFormat, WeightFormat, weights_in};

use crate::{
    Dtype, Entry, LedgerError, Model, Object, Phase, Span,
    formula::{b, n, sum},
    units,
};

/// A serving workload.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inference {
    /// Format of the weights: bare numbers, no scales or zero points, the same for every tensor.
    pub weights: Dtype,
    /// Format of the KV cache.
    pub kv: Dtype,
    /// Sequences held at the same time.
    pub batch: u64,
    /// Tokens held per sequence: prompt and output together.
    pub seq: u64,
    /// Bytes set aside for the CUDA context, graphs, workspaces and fragmentation. An **assumption** that the user
    /// may edit, never part of the arithmetic: measure it on the machine at hand.
    pub reserve: u64,
}

impl Inference {
    /// The reserve that pages propose: 1 GiB. CUDA context, library workspaces and captured graphs of one process
    /// commonly take between half a gibibyte and two.
    pub const DEFAULT_RESERVE: u64 = units::GIB;
}

/// The entries of a serving ledger and their sum.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferenceLedger {
    pub entries: Vec<Entry>,
    /// Bytes of all entries together; all of them are alive while decoding.
    pub total: u64,
}

/// Bytes of the weights: parameters × bits, rounded up to whole bytes.
pub fn weights(model: &Model, dtype: Dtype) -> Result<Entry, LedgerError> {
    let (bytes, formula) = n(model.parameters()?).of_bits(dtype.bits()).finish("weights")?;
    Ok(Entry {
        object: Object::Parameter,
        part: Cow::Borrowed("weights"),
        span: Span::new(Phase::Load, Phase::Decode),
        bytes,
        formula,
    })
}

/// Predicts the memory of a serving process.
///
/// ```
/// use ledger::{Dtype, catalogue, inference::{self, Inference}};
/// let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
/// let workload = Inference { weights: Dtype::F16, kv: Dtype::F16, batch: 4, seq: 4096, reserve: 0 };
/// let ledger = inference::ledger(model, &workload)?;
/// assert_eq!(ledger.total, 2 * 6_738_415_616 + 4 * (2 << 30));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// A batch or sequence of zero, an inconsistent model, a sequence beyond a learned position table, or a result of
/// 2⁶⁴ bytes and more.
pub fn ledger(model: &Model, workload: &Inference) -> Result<InferenceLedger, LedgerError> {
    check(model, workload)?;
    let mut entries = vec![weights(model, workload.weights)?, kv::entry(model, workload)?];
    if workload.reserve > 0 {
        let (bytes, formula) = b(workload.reserve).finish("reserve")?;
        entries.push(Entry {
            object: Object::Context,
            part: Cow::Borrowed("reserve"),
            span: Span::new(Phase::Load, Phase::Decode),
            bytes,
            formula,
        });
    }
    let total = sum("total", entries.iter().map(|entry| entry.bytes))?;
    Ok(InferenceLedger { entries, total })
}

pub(crate) fn check(model: &Model, workload: &Inference) -> Result<(), LedgerError> {
    model.validate()?;
    for (field, value) in [("batch", workload.batch), ("seq", workload.seq)] {
        if value == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    if model.position_table > 0 && workload.seq > model.position_table {
        return Err(LedgerError::BeyondPositions { seq: workload.seq, positions: model.position_table });
    }
    Ok(())
}
