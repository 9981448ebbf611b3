//! What PyTorch's MemTracker counts in a process that trains on the CPU.
//!
//! The ledger and the small tensors that it leaves out. Agrees to the byte with
//! `torch.distributed._tools.mem_tracker` on whole models of transformers.

use super::{Checkpointing, Moment, Optimizer, Precision, Run, Training, device, facts, head, moments};
use crate::{
    LedgerError, Model,
    formula::{Term, b, n},
};

/// Bytes at the points where a tracker reads them, second step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tracked {
    /// The loss is computed, its graph alive.
    pub after_forward: u64,
    pub after_backward: u64,
    /// After `optimizer.step()`, gradients still there.
    pub after_step: u64,
    pub peak: u64,
}

/// Token ids: 64 bit each, alive as long as the batch.
fn ids(workload: &Training) -> Term {
    b(8) * n(workload.batch) * n(workload.seq)
}

/// The shifted targets: a copy; of a batch of one it is a view of the padded row, one longer.
fn targets(workload: &Training) -> Term {
    match workload.batch {
        1 => b(8) * (n(workload.seq) + n(1)),
        batch => b(8) * n(batch) * n(workload.seq),
    }
}

/// Inverse frequencies of the rotary embedding and their original, FP32, half a head each.
fn frequencies(model: &Model) -> Term {
    match model.position_table {
        0 => n(2) * b(4) * n(model.head_dim.div_ceil(2)),
        _ => b(0),
    }
}

/// Position ids are saved by a learned position table, and as an argument of checkpointed layers.
fn positions(model: &Model, workload: &Training) -> Term {
    let saved = model.position_table > 0 || workload.checkpointing != Checkpointing::None;
    if saved { b(8) * n(workload.seq) } else { b(0) }
}

/// Predicts what a tracker on the CPU prints for a step.
///
/// The optimizer is AdamW or SGD run tensor by tensor, PyTorch's choice on the CPU: without a large temporary, and
/// for AdamW with a 4-byte step counter per tensor. The scalars of the loss take 8 bytes.
///
/// # Errors
/// As [`super::ledger`].
pub fn tracked(
    model: &Model,
    precision: Precision,
    optimizer: Optimizer,
    batch: u64,
    seq: u64,
    checkpointing: Checkpointing,
) -> Result<Tracked, LedgerError> {
    let optimizer = match optimizer {
        Optimizer::AdamWForeach => Optimizer::AdamWFused,
        other => other,
    };
    let workload = Training { precision, optimizer, batch, seq, checkpointing };
    let lines = device(model, &facts::Facts::of(model)?, &Run::from(workload))?.lines;
    let at = |moment: Moment| moments::bytes_at(&lines, moment).map(n);
    let resident = || ids(&workload) + frequencies(model);
    let forward = at(Moment::ForwardEnd)? + resident() + targets(&workload) + positions(model, &workload) + b(8);
    let loss = at(Moment::ForwardEnd)?
        + resident()
        + positions(model, &workload)
        + b(8)
        + n(2) * head::log_softmax(model.vocab, batch.saturating_mul(seq));
    let step = at(Moment::Step)? + resident();
    let bytes = |term: Term, what| Ok::<u64, LedgerError>(term.finish(what)?.0);
    let (after_forward, loss, step) =
        (bytes(forward, "after_forward")?, bytes(loss, "peak")?, bytes(step, "after_step")?);
    Ok(Tracked { after_forward, after_backward: step, after_step: step, peak: loss.max(after_forward).max(step) })
}
