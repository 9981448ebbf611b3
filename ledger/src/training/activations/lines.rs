//! The lines of a ledger that come from saved activations, and what of them is on the host.

use super::{Kind, Saves, input, kept, kinds, rotary_tables};
use crate::{
    LedgerError, Model, Object,
    formula::{Term, b, n},
    training::{Checkpointing, Line, Moment, Offload, Precision, Run, facts::Facts},
};

const SAVED: [Moment; 5] = [
    Moment::ForwardEnd,
    Moment::LossBackward,
    Moment::HeadBackward,
    Moment::LayersBackward,
    Moment::FirstLayerBackward,
];
/// As long as the last layers' backward.
const UNTIL_LAYERS: [Moment; 4] =
    [Moment::ForwardEnd, Moment::LossBackward, Moment::HeadBackward, Moment::LayersBackward];
const IN_LAYERS: [Moment; 2] = [Moment::LayersBackward, Moment::FirstLayerBackward];

fn largest(kinds: &[Kind], of: impl Fn(&Kind) -> &Term) -> Term {
    kinds.iter().map(of).max_by_key(|term| term.value()).cloned().unwrap_or_else(|| n(0))
}

/// What the backward of one layer computes again: of the kind of layers where that is most.
fn recomputed(kinds: &[Kind]) -> Term {
    let again = |kind: &&Kind| {
        let (full, kept) = (kind.full.value(), kind.kept.value());
        full.zip(kept).map(|(full, kept)| full.saturating_sub(kept))
    };
    match kinds.iter().max_by_key(again) {
        Some(most) if again(&most) != Some(0) => most.full.clone().minus(most.kept.clone()),
        _ => n(0),
    }
}

/// What the layers' activations add to a ledger.
pub(crate) struct Activations {
    pub lines: Vec<Line>,
    /// What of them is on the host.
    pub host: Option<Term>,
    pub sizes: Vec<Size>,
}

/// Neighbouring layers of one kind, as [`Kind`], in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub count: u64,
    pub kept: u64,
    pub full: u64,
}

pub(crate) fn lines(model: &Model, facts: &Facts, run: &Run, saves: Saves) -> Result<Activations, LedgerError> {
    let workload = &run.workload;
    let kinds = kinds(model, run, saves);
    let mut lines = Vec::with_capacity(5);
    let mut host = None;
    match workload.checkpointing {
        parts if parts.recompute().is_some() => {
            let (device, moved) = window(run, model.layers, &kinds);
            host = moved;
            let left = largest(&kinds, |kind| &kind.kept).finish("layer_activations")?.0;
            lines.extend(
                Line::new(Object::Activation, "layer_activations", device, &SAVED)?
                    .map(|line| line.reduced(Moment::FirstLayerBackward, left)),
            );
            if parts != Checkpointing::None {
                let again = recomputed(&kinds);
                lines.extend(Line::new(Object::Activation, "recomputed_parts", again, &IN_LAYERS)?);
            }
        }
        whole => {
            let one = || largest(&kinds, |kind| &kind.full);
            let first = input(model, workload).finish("checkpoints")?.0;
            let (count, plain) = (whole.checkpoints(model.layers), whole.plain_layers(model.layers));
            let here = match run.offload {
                Offload::Window { layers } if layers < count => {
                    host = Some(n(count - layers) * input(model, workload));
                    layers
                }
                _ => count,
            };
            let saved = n(here) * input(model, workload);
            lines.extend(
                Line::new(Object::Activation, "checkpoints", saved, &SAVED)?
                    .map(|line| line.reduced(Moment::FirstLayerBackward, first)),
            );
            if plain > 0 {
                let rest = kept(kinds.iter().rev(), plain);
                lines.extend(Line::new(Object::Activation, "layer_activations", rest, &UNTIL_LAYERS)?);
            }
            // The input of the layer that is computed again is counted once, as its checkpoint. Only a 16-bit RMSNorm
            // keeps a copy of it besides.
            let segment = whole.segment_layers(model.layers);
            let layers = if segment > 1 { n(segment) * one() } else { one() };
            let rest = layers.minus(input(model, workload));
            let moments = if plain > 0 { &IN_LAYERS[1..] } else { &IN_LAYERS[..] };
            lines.extend(Line::new(Object::Activation, "recomputed_layer", rest, moments)?);
        }
    }
    if model.position_table == 0 {
        let tables = rotary_tables(model, workload.precision, workload.seq);
        lines.extend(Line::new(Object::Activation, "rotary_tables", tables, &SAVED)?);
    }
    lines.extend(weight_copies(model.layers, facts, run)?);
    // Too large for 64 bits: any sum with it is an error as well.
    let bytes = |term: &Term| term.value().unwrap_or(u64::MAX);
    let size = |kind: &Kind| Size { count: kind.count, kept: bytes(&kind.kept), full: bytes(&kind.full) };
    Ok(Activations { lines, host, sizes: kinds.iter().map(size).collect() })
}

/// The `layers` neighbouring layers that keep most: as many as there are of the kind that keeps more, then the other.
fn most(kinds: &[Kind], layers: u64) -> Term {
    let mut by_size: Vec<&Kind> = kinds.iter().collect();
    by_size.sort_by_key(|kind| std::cmp::Reverse(kind.kept.value()));
    kept(by_size.into_iter(), layers)
}

/// What the layers keep, cut to the window on the device and the rest.
fn window(run: &Run, layers: u64, kinds: &[Kind]) -> (Term, Option<Term>) {
    match run.offload {
        Offload::Window { layers: window } if window < layers => {
            let device = most(kinds, window);
            // The last ones never leave: their backward comes first.
            let moved = Some(kept(kinds.iter(), layers - window));
            (device, moved)
        }
        _ => (kept(kinds.iter(), layers), None),
    }
}

/// The low-precision copies of the weights: made once per forward, saved by every product that needs its weight. Under
/// autocast one, in FP8 one and its transpose, of the layers only.
fn weight_copies(layers: u64, facts: &Facts, run: &Run) -> Result<Option<Line>, LedgerError> {
    let (precision, checkpointing) = (run.workload.precision, run.workload.checkpointing);
    let (part, numbers, layer, head) = match precision {
        Precision::Fp8 => ("fp8_weights", facts.fp8, facts.fp8 / layers.max(1), 0),
        other if other.is_autocast() => ("autocast_weights", facts.matmul, facts.layer_matmul, facts.head),
        _ => return Ok(None),
    };
    let bytes = 2;
    let copies = Line::new(Object::Temporary, part, n(numbers) * b(bytes), &SAVED)?;
    let one = layer.saturating_mul(bytes).saturating_mul(checkpointing.segment_layers(layers));
    let plain = layer.saturating_mul(bytes).saturating_mul(checkpointing.plain_layers(layers));
    let head = head.saturating_mul(bytes);
    Ok(copies.map(|line| {
        let line = line.reduced(Moment::FirstLayerBackward, one);
        if checkpointing.recompute().is_some() {
            return line;
        }
        // Leaving autocast empties its cache; recomputed layers cast their own weights again.
        line.reduced(Moment::LossBackward, head.saturating_add(plain))
            .reduced(Moment::HeadBackward, head.saturating_add(plain))
            .reduced(Moment::LayersBackward, one.max(plain))
    }))
}
