//! What the forward pass saves for the backward pass; formulas in the documentation of [`super`].

mod experts;
mod gpt;
mod implementation;
mod latent;
mod layer;
mod llama;
mod parts;

pub use implementation::{AttentionKernel, Dropout, Implementation, MlpKernel, NormKernel, Trained};
use layer::{Block, Layer};
pub use parts::{expert_bytes, latent_attention_bytes};

use super::{Checkpointing, Line, Moment, Precision, Training, facts::Facts};
use crate::{
    LedgerError, Model, Object,
    formula::{Term, b, n},
};

const SAVED: [Moment; 5] = [
    Moment::ForwardEnd,
    Moment::LossBackward,
    Moment::HeadBackward,
    Moment::LayersBackward,
    Moment::FirstLayerBackward,
];

/// The kinds of layers of a model and how many there are of each.
fn kinds(model: &Model) -> Vec<(u64, Block)> {
    let dense = model.experts.map_or(model.layers, |experts| experts.dense_layers);
    let kinds = [(dense, Block::Dense), (model.layers - dense, Block::Experts)];
    kinds.into_iter().filter(|(count, _)| *count > 0).collect()
}

fn layer(model: &Model, workload: &Training, trained: Trained, block: Block) -> Term {
    Layer {
        model,
        precision: workload.precision,
        batch: workload.batch,
        seq: workload.seq,
        how: Implementation::TRANSFORMERS,
        trained,
        block,
    }
    .term()
}

/// The layer that saves most.
fn largest_layer(model: &Model, workload: &Training, trained: Trained) -> Term {
    let mut terms = kinds(model).into_iter().map(|(_, block)| layer(model, workload, trained, block));
    let first = terms.next().unwrap_or_else(|| n(0));
    terms.fold(first, |most, next| if next.value() > most.value() { next } else { most })
}

/// Bytes that one layer saves for `batch` sequences of `seq` tokens, without the rotary tables
/// ([`rotary_table_bytes`]), which all layers share.
///
/// ```
/// use ledger::{catalogue, training::{self, Implementation, Precision, Trained}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let how = Implementation::TRANSFORMERS;
/// let all = training::layer_bytes(model, Precision::PureBf16, 1, 4096, how, Trained::All)?;
/// let frozen = training::layer_bytes(model, Precision::PureBf16, 1, 4096, how, Trained::Nothing)?;
/// assert!(frozen < all);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model or a result of 2⁶⁴ bytes and more.
pub fn layer_bytes(
    model: &Model,
    precision: Precision,
    batch: u64,
    seq: u64,
    how: Implementation,
    trained: Trained,
) -> Result<u64, LedgerError> {
    model.validate()?;
    // Of a model with experts, a layer with experts: it has few others.
    let block = if model.experts.is_some() { Block::Experts } else { Block::Dense };
    Ok(Layer { model, precision, batch, seq, how, trained, block }.term().finish("layer_activations")?.0)
}

fn rotary_tables(model: &Model, precision: Precision, seq: u64) -> Term {
    let width = model.latent.map_or(model.head_dim, |latent| latent.rope_dim);
    n(2) * b(precision.stream_bytes()) * n(seq) * n(width)
}

/// Sine and cosine of the rotary positions, saved once for all layers; 0 for learned positions.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn rotary_table_bytes(model: &Model, precision: Precision, seq: u64) -> Result<u64, LedgerError> {
    if model.position_table > 0 {
        return Ok(0);
    }
    Ok(rotary_tables(model, precision, seq).finish("rotary_tables")?.0)
}

/// The input of one layer: what checkpointing keeps of it.
fn input(model: &Model, workload: &Training) -> Term {
    b(workload.precision.stream_bytes()) * n(workload.batch) * n(workload.seq) * n(model.hidden)
}

/// What all layers keep until their backward: their saved tensors, or their inputs where they are checkpointed.
pub(crate) fn saved(model: &Model, workload: &Training, trained: Trained) -> Result<Term, LedgerError> {
    model.validate()?;
    Ok(match workload.checkpointing {
        Checkpointing::None => kinds(model)
            .into_iter()
            .map(|(count, block)| n(count) * layer(model, workload, trained, block))
            .reduce(|sum, next| sum + next)
            .unwrap_or_else(|| n(0)),
        kept => n(kept.checkpoints(model.layers)) * input(model, workload),
    })
}

pub(crate) fn lines(
    model: &Model,
    facts: &Facts,
    workload: &Training,
    trained: Trained,
) -> Result<Vec<Line>, LedgerError> {
    let mut lines = Vec::with_capacity(4);
    let saved = saved(model, workload, trained)?;
    let one = largest_layer(model, workload, trained);
    match workload.checkpointing {
        Checkpointing::None => {
            let left = one.finish("layer_activations")?.0;
            lines.extend(
                Line::new(Object::Activation, "layer_activations", saved, &SAVED)?
                    .map(|line| line.reduced(Moment::FirstLayerBackward, left)),
            );
        }
        kept => {
            // The input of the layer that is computed again is counted once, as its checkpoint. Only a 16-bit RMSNorm
            // keeps a copy of it besides.
            let left = input(model, workload).finish("checkpoints")?.0;
            let segment = kept.segment_layers(model.layers);
            let layers = if segment > 1 { n(segment) * one } else { one };
            let rest = layers.minus(input(model, workload));
            lines.extend(
                Line::new(Object::Activation, "checkpoints", saved, &SAVED)?
                    .map(|line| line.reduced(Moment::FirstLayerBackward, left)),
            );
            let moments = [Moment::LayersBackward, Moment::FirstLayerBackward];
            lines.extend(Line::new(Object::Activation, "recomputed_layer", rest, &moments)?);
        }
    }
    if model.position_table == 0 {
        let tables = rotary_tables(model, workload.precision, workload.seq);
        lines.extend(Line::new(Object::Activation, "rotary_tables", tables, &SAVED)?);
    }
    if workload.precision.is_autocast() {
        lines.extend(autocast(model.layers, facts, workload)?);
    }
    Ok(lines)
}

/// The low-precision copies of the weights: made once per forward, saved by every product that needs its weight.
fn autocast(layers: u64, facts: &Facts, workload: &Training) -> Result<Option<Line>, LedgerError> {
    let bytes = workload.precision.compute_bytes();
    let copies = Line::new(Object::Temporary, "autocast_weights", n(facts.matmul) * b(bytes), &SAVED)?;
    let segment = workload.checkpointing.segment_layers(layers);
    let one = facts.layer_matmul.saturating_mul(bytes).saturating_mul(segment);
    let head = facts.head.saturating_mul(bytes);
    Ok(copies.map(|line| {
        let line = line.reduced(Moment::FirstLayerBackward, one);
        if workload.checkpointing == Checkpointing::None {
            return line;
        }
        // Leaving autocast empties its cache; recomputed layers cast their own weights again.
        line.reduced(Moment::LossBackward, head)
            .reduced(Moment::HeadBackward, head)
            .reduced(Moment::LayersBackward, one)
    }))
}
