//! What the forward pass saves for the backward pass; formulas in the documentation of [`super`].

mod experts;
mod gpt;
mod implementation;
mod latent;
mod layer;
mod lines;
mod llama;
mod parts;

pub use implementation::{AttentionKernel, Dropout, Implementation, LossKernel, MlpKernel, NormKernel, Trained};
use layer::{Block, Layer};
pub(crate) use lines::{Size, lines};
pub use parts::{expert_bytes, latent_attention_bytes};

use super::{Checkpointing, Precision, Recompute, Run, Training};
use crate::{
    LedgerError, Model,
    formula::{Term, b, n},
};

/// What is trained: decides what the layers save.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saves {
    pub trained: Trained,
    /// Numbers per token that the adapters of one layer save beyond those of [`Trained`].
    pub extra: u64,
}

impl Saves {
    pub(crate) const ALL: Saves = Saves { trained: Trained::All, extra: 0 };
}

/// Neighbouring layers of one kind, and what each of them saves.
#[derive(Clone)]
pub(crate) struct Kind {
    pub count: u64,
    /// What stays until the backward pass where no whole layer is computed again.
    pub kept: Term,
    /// What the backward of one layer reads.
    pub full: Term,
}

/// The layers of a model in their order: dense ones first, then those with experts.
pub(crate) fn kinds(model: &Model, run: &Run, saves: Saves) -> Vec<Kind> {
    let dense = model.experts.map_or(model.layers, |experts| experts.dense_layers);
    let kinds = [(dense, Block::Dense), (model.layers - dense, Block::Experts)];
    let parts = run.workload.checkpointing.recompute().unwrap_or(Recompute::NOTHING);
    kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, block)| {
            let whole = layer(model, run, saves, block);
            let full = whole.term();
            let kept =
                if parts == Recompute::NOTHING { full.clone() } else { Layer { recompute: parts, ..whole }.term() };
            Kind { count, kept, full }
        })
        .collect()
}

fn layer<'a>(model: &'a Model, run: &Run, saves: Saves, block: Block) -> Layer<'a> {
    Layer {
        model,
        precision: run.workload.precision,
        batch: run.workload.batch,
        seq: run.workload.seq,
        how: run.how,
        trained: saves.trained,
        block,
        recompute: Recompute::NOTHING,
        extra: saves.extra,
    }
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
    kept_layer_bytes(model, precision, batch, seq, how, trained, Recompute::NOTHING)
}

/// As [`layer_bytes`], without the parts that are computed again.
///
/// ```
/// use ledger::{catalogue, training::{self, AttentionKernel, Implementation, MlpKernel, Precision, Recompute, Trained}};
/// let model = catalogue::model("gpt2").expect("in the catalogue");
/// let how = Implementation {
///     attention: AttentionKernel::Eager,
///     mlp: MlpKernel::Fused,
///     ..Implementation::TRANSFORMERS
/// };
/// let kept = |parts| {
///     training::kept_layer_bytes(model, Precision::PureBf16, 1, 1024, how, Trained::All, parts)
/// };
/// // Selective recomputation drops the softmax, 2·a·s², and the causal mask, s².
/// let saved = kept(Recompute::NOTHING)? - kept(Recompute::CORE_ATTENTION)?;
/// assert_eq!(saved, (2 * 12 + 1) * 1024 * 1024);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`layer_bytes`].
pub fn kept_layer_bytes(
    model: &Model,
    precision: Precision,
    batch: u64,
    seq: u64,
    how: Implementation,
    trained: Trained,
    recompute: Recompute,
) -> Result<u64, LedgerError> {
    model.validate()?;
    // Of a model with experts, a layer with experts: it has few others.
    let block = if model.experts.is_some() { Block::Experts } else { Block::Dense };
    let layer = Layer { model, precision, batch, seq, how, trained, block, recompute, extra: 0 };
    Ok(layer.term().finish("layer_activations")?.0)
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
pub(crate) fn input(model: &Model, workload: &Training) -> Term {
    b(workload.precision.stream_bytes()) * n(workload.batch) * n(workload.seq) * n(model.hidden)
}

/// Kept tensors of so many layers, taken from the kinds in the given order.
pub(crate) fn kept<'a>(kinds: impl Iterator<Item = &'a Kind>, layers: u64) -> Term {
    let mut left = layers;
    let taken = kinds.map(|kind| {
        let count = kind.count.min(left);
        left -= count;
        (count, kind)
    });
    let terms = taken.filter(|(count, _)| *count > 0).map(|(count, kind)| n(count) * kind.kept.clone());
    terms.reduce(|sum, next| sum + next).unwrap_or_else(|| n(0))
}

/// What all layers keep until their backward: their saved tensors, or their inputs where they are checkpointed.
pub(crate) fn saved(model: &Model, workload: &Training, saves: Saves) -> Result<Term, LedgerError> {
    model.validate()?;
    workload.checkpointing.check(model.layers)?;
    let kinds = kinds(model, &Run::from(*workload), saves);
    let inputs = |count: u64| n(count) * input(model, workload);
    Ok(match workload.checkpointing {
        whole if whole.recompute().is_some() => kept(kinds.iter(), model.layers),
        some @ Checkpointing::Segments(_) => {
            inputs(some.checkpoints(model.layers)) + kept(kinds.iter().rev(), some.plain_layers(model.layers))
        }
        some => inputs(some.checkpoints(model.layers)),
    })
}
