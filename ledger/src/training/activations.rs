//! What the forward pass saves for the backward pass.
//!
//! With `e` bytes per number, `T = batch × seq` tokens, `a` query heads, `k` key-value heads, `d` head size, `f`
//! feed-forward width and `h` hidden width, one layer saves (unique storages, parameters excluded; measured with
//! saved-tensor hooks on transformers' layers with SDPA, equal to the byte):
//!
//! * **Llama type**: `e·T·(2h + 2ad + 2kd + 4f) + 2T·norm + 4aT`. An eager RMSNorm saves `norm = 6h + 4` bytes per
//!   token in 16 bit (FP32 input, normalised output, reciprocal root) and `8h + 4` in FP32; `4aT` is the FP32
//!   log-sum-exp of attention. A norm of queries and keys adds `T·(a + k)·(6d + 4)`, in FP32 `(8d + 4)`.
//! * **GPT-2**: `e·T·(4h + 4ad + 5f) + 4Te + 4aT`: the eager tanh-GELU keeps three tensors of width `f` besides its
//!   input and output; `4Te` are mean and reciprocal deviation of two LayerNorms.
//! * **autocast** over FP32 parameters keeps the residual stream and the norms in FP32 and casts the input of every
//!   matrix product separately: Llama type `e·T·(5h + 2ad + 2kd + 4f) + 2T·(8h + 4) + 4aT`. For GPT-2 the form below
//!   is derived from autocast's lists of operators (`pow` and `layer_norm` run in FP32), not measured.

use super::{Checkpointing, Line, Moment, Precision, Training, states::Facts};
use crate::{
    LedgerError, Model, Norm, Object,
    formula::{Term, b, n},
};

const SAVED_TO_END: [Moment; 5] =
    [Moment::ForwardEnd, Moment::LossBackward, Moment::HeadBackward, Moment::LayersBackward, Moment::BackwardEnd];

/// The residual stream and the norms are in FP32.
fn wide(precision: Precision) -> bool {
    precision == Precision::Fp32 || precision.is_autocast()
}

/// Bytes per token that one eager norm over `width` numbers saves: `8w + 4` or `6w + 4`.
fn norm(width: u64, precision: Precision) -> Term {
    n(if wide(precision) { 8 } else { 6 }) * b(width) + n(4)
}

fn llama_layer(model: &Model, precision: Precision, tokens: u64) -> Term {
    let inputs = if precision.is_autocast() { 5 } else { 2 };
    let products = n(inputs) * n(model.hidden)
        + n(2) * n(model.heads) * n(model.head_dim)
        + n(2) * n(model.kv_heads) * n(model.head_dim)
        + n(4) * n(model.intermediate);
    let mut sum = b(precision.compute_bytes()) * n(tokens) * products
        + n(model.norms_per_layer) * n(tokens) * norm(model.hidden, precision)
        + b(4) * n(model.heads) * n(tokens);
    if model.qk_norm {
        sum = sum + n(tokens) * (n(model.heads) + n(model.kv_heads)) * norm(model.head_dim, precision);
    }
    sum
}

fn gpt_layer(model: &Model, precision: Precision, tokens: u64) -> Term {
    let attention = n(model.heads) * n(model.head_dim);
    let logsumexp = b(4) * n(model.heads) * n(tokens);
    if precision.is_autocast() {
        let saved = n(12) * n(model.hidden) + n(8) * attention + n(16) * n(model.intermediate);
        return n(tokens) * saved + n(4) * n(tokens) * b(4) + logsumexp;
    }
    let bytes = precision.compute_bytes();
    let saved = n(4) * n(model.hidden) + n(4) * attention + n(5) * n(model.intermediate);
    b(bytes) * n(tokens) * saved + n(4) * n(tokens) * b(bytes) + logsumexp
}

pub(crate) fn layer(model: &Model, precision: Precision, tokens: u64) -> Term {
    match model.norm {
        Norm::Rms => llama_layer(model, precision, tokens),
        Norm::Layer => gpt_layer(model, precision, tokens),
    }
}

/// Bytes that one layer saves for `tokens` tokens, without the rotary tables (shared by all layers).
///
/// # Errors
/// An inconsistent model or a result of 2⁶⁴ bytes and more.
pub fn layer_bytes(model: &Model, precision: Precision, tokens: u64) -> Result<u64, LedgerError> {
    model.validate()?;
    Ok(layer(model, precision, tokens).finish("layer_activations")?.0)
}

/// The residual stream's width in bytes per number.
fn stream(precision: Precision) -> u64 {
    if wide(precision) { 4 } else { precision.compute_bytes() }
}

pub(crate) fn tokens(workload: &Training) -> Result<u64, LedgerError> {
    Ok((n(workload.batch) * n(workload.seq)).finish("tokens")?.0)
}

/// What all layers keep until their backward: their saved tensors, or their inputs where they are checkpointed.
pub(crate) fn saved(model: &Model, workload: &Training) -> Result<Term, LedgerError> {
    model.validate()?;
    let tokens = tokens(workload)?;
    Ok(match workload.checkpointing {
        Checkpointing::None => n(model.layers) * layer(model, workload.precision, tokens),
        Checkpointing::EveryLayer => n(model.layers) * (b(stream(workload.precision)) * n(tokens) * n(model.hidden)),
    })
}

pub(crate) fn lines(model: &Model, facts: &Facts, workload: &Training) -> Result<Vec<Line>, LedgerError> {
    let tokens = tokens(workload)?;
    let precision = workload.precision;
    let mut lines = Vec::with_capacity(6);
    let one = layer(model, precision, tokens);
    let one_bytes = one.clone().finish("layer_activations")?.0;
    match workload.checkpointing {
        Checkpointing::None => {
            let all = n(model.layers) * one;
            lines.extend(
                Line::new(Object::Activation, "layer_activations", all, &SAVED_TO_END)?
                    .map(|line| line.reduced(Moment::BackwardEnd, one_bytes)),
            );
        }
        Checkpointing::EveryLayer => {
            let input = b(stream(precision)) * n(tokens) * n(model.hidden);
            let input_bytes = input.clone().finish("checkpoints")?.0;
            let inputs = n(model.layers) * input;
            lines.extend(
                Line::new(Object::Activation, "checkpoints", inputs, &SAVED_TO_END)?
                    .map(|line| line.reduced(Moment::BackwardEnd, input_bytes)),
            );
            let moments = [Moment::LayersBackward, Moment::BackwardEnd];
            lines.extend(Line::new(Object::Activation, "recomputed_layer", one, &moments)?);
        }
    }
    if model.position_table == 0 {
        let tables = n(2) * b(stream(precision)) * n(workload.seq) * n(model.head_dim);
        lines.extend(Line::new(Object::Activation, "rotary_tables", tables, &SAVED_TO_END)?);
    }
    if precision.is_autocast() {
        lines.extend(autocast(facts, workload)?);
    }
    Ok(lines)
}

/// The low-precision copies of the weights: made once per forward, saved by every product that needs its weight.
fn autocast(facts: &Facts, workload: &Training) -> Result<Option<Line>, LedgerError> {
    let bytes = workload.precision.compute_bytes();
    let copies = Line::new(Object::Temporary, "autocast_weights", n(facts.matmul) * b(bytes), &SAVED_TO_END)?;
    let one = facts.layer_matmul.saturating_mul(bytes);
    let head = facts.head.saturating_mul(bytes);
    Ok(copies.map(|line| match workload.checkpointing {
        Checkpointing::None => line.reduced(Moment::BackwardEnd, one),
        // Leaving autocast empties its cache; a recomputed layer casts its own weights again.
        Checkpointing::EveryLayer => line
            .reduced(Moment::LossBackward, head)
            .reduced(Moment::HeadBackward, head)
            .reduced(Moment::LayersBackward, one)
            .reduced(Moment::BackwardEnd, one),
    }))
}
