//! The output head and the loss: where small models have their peak.
//!
//! The loss runs in FP32: its log-softmax of `4·V·T` bytes is saved, and its backward holds two more buffers of that
//! size for a moment, `8·V·T` (measured as the peak of temporaries). A loss in the format of the logits takes that
//! format's bytes instead of 4. In chunks of `c` tokens ([`LossKernel::Chunked`]) the forward already takes the
//! gradients: it holds the chunk's logits, `e·V·c`, the head's gradient and one more of its size that is added to it,
//! `2·e·V·h`, and keeps the gradients of input, `e·T·h`, and weight, `e·V·h`, for the backward.

use super::{Line, LossKernel, Moment, Precision, Training};
use crate::{
    LedgerError, Model, Norm, Object,
    formula::{Term, b, n},
};

const UNTIL_HEAD: [Moment; 3] = [Moment::ForwardEnd, Moment::LossBackward, Moment::HeadBackward];
const UNTIL_LOSS: [Moment; 2] = [Moment::ForwardEnd, Moment::LossBackward];

pub(crate) fn log_softmax(vocab: u64, tokens: u64) -> Term {
    b(4) * n(vocab) * n(tokens)
}

/// FP32 log-softmax that the loss saves: `4·V·T` bytes.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn log_softmax_bytes(vocab: u64, tokens: u64) -> Result<u64, LedgerError> {
    Ok(log_softmax(vocab, tokens).finish("log_softmax")?.0)
}

/// The two logits-sized FP32 buffers of the loss's backward: `8·V·T` bytes.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn loss_temporary_bytes(vocab: u64, tokens: u64) -> Result<u64, LedgerError> {
    Ok((n(2) * log_softmax(vocab, tokens)).finish("loss_temporary")?.0)
}

/// What the last norm saves.
fn final_norm(model: &Model, precision: Precision, tokens: u64) -> Term {
    let bytes = precision.compute_bytes();
    let wide = precision.is_wide();
    match (model.norm, wide) {
        (Norm::Rms, true) => n(tokens) * (n(8) * b(model.hidden) + b(4)),
        (Norm::Rms, false) => n(tokens) * (n(6) * b(model.hidden) + b(4)),
        (Norm::Layer, true) => n(tokens) * (b(4) * n(model.hidden) + n(2) * b(4)),
        (Norm::Layer, false) => n(tokens) * (b(bytes) * n(model.hidden) + n(2) * b(bytes)),
    }
}

/// The parts that belong to head and loss, not to the layers.
pub(super) fn is_part(slug: &str) -> bool {
    matches!(
        slug,
        "final_norm"
            | "head_input"
            | "log_softmax"
            | "loss_temporary"
            | "logits_gradient"
            | "logits_chunk"
            | "input_gradient"
            | "head_gradient"
            | "head_gradient_chunk"
    )
}

/// The lines of the head; a `frozen` head does not save its input, a frozen norm not its normalised tensor.
pub(crate) fn lines(
    model: &Model,
    workload: &Training,
    loss: LossKernel,
    frozen: bool,
) -> Result<Vec<Line>, LedgerError> {
    let tokens = (n(workload.batch) * n(workload.seq)).finish("tokens")?.0;
    let bytes = workload.precision.compute_bytes();
    let mut lines = Vec::with_capacity(6);
    let norm = if frozen {
        n(tokens) * (b(4) * n(model.hidden) + b(4))
    } else {
        final_norm(model, workload.precision, tokens)
    };
    lines.extend(Line::new(Object::Activation, "final_norm", norm, &UNTIL_HEAD)?);
    if let LossKernel::Chunked { tokens: chunk } = loss {
        lines.extend(chunked(model, bytes, [tokens, chunk], frozen)?);
        return Ok(lines);
    }
    if !frozen {
        let input = b(bytes) * n(tokens) * n(model.hidden);
        lines.extend(Line::new(Object::Activation, "head_input", input, &UNTIL_HEAD)?);
    }
    let saved = match loss {
        LossKernel::Native => b(bytes) * n(model.vocab) * n(tokens),
        _ => log_softmax(model.vocab, tokens),
    };
    lines.extend(Line::new(Object::Logits, "log_softmax", saved.clone(), &UNTIL_LOSS)?);
    lines.extend(Line::new(Object::Logits, "loss_temporary", n(2) * saved, &[Moment::LossBackward])?);
    let gradient = b(bytes) * n(model.vocab) * n(tokens);
    lines.extend(Line::new(Object::Logits, "logits_gradient", gradient, &[Moment::HeadBackward])?);
    Ok(lines)
}

fn chunked(model: &Model, bytes: u64, [tokens, chunk]: [u64; 2], frozen: bool) -> Result<Vec<Line>, LedgerError> {
    if chunk == 0 {
        return Err(LedgerError::Zero { field: "loss.tokens" });
    }
    let in_forward = [Moment::ForwardEnd];
    let mut lines = Vec::with_capacity(4);
    let logits = b(bytes) * n(model.vocab) * n(chunk.min(tokens));
    lines.extend(Line::new(Object::Logits, "logits_chunk", logits, &in_forward)?);
    let input = b(bytes) * n(tokens) * n(model.hidden);
    lines.extend(Line::new(Object::Activation, "input_gradient", input, &UNTIL_HEAD)?);
    if !frozen {
        let head = || b(bytes) * n(model.vocab) * n(model.hidden);
        lines.extend(Line::new(Object::Temporary, "head_gradient", head(), &UNTIL_LOSS)?);
        lines.extend(Line::new(Object::Temporary, "head_gradient_chunk", head(), &in_forward)?);
    }
    Ok(lines)
}
