//! The step layer by layer: how memory climbs through the forward pass and falls through the backward pass.
//!
//! [`super::ledger()`] looks only at the moments where a maximum can lie; this is the whole curve, for a chart. It never
//! rises above that ledger's peak, and reaches it where all layers are alike; only segments that cut across two kinds of
//! layers can rise above it, by less than the checkpoints.

use serde::{Deserialize, Serialize};

use super::{
    Device, Line, Moment, Offload, Part, Run,
    activations::{self, Size},
    device,
    facts::Facts,
    head,
};
use crate::{LedgerError, Model, Phase, formula::sum};

/// The longest model that is drawn.
const MAX_LAYERS: u64 = 4_096;

/// A point of the step. Layers count from 1.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The model is on the device.
    Load,
    /// This layer's forward has ended.
    Forward { layer: u64 },
    /// The loss has been computed.
    Loss,
    /// The loss's backward.
    LossBackward,
    /// The output head's backward.
    HeadBackward,
    /// This layer's backward is about to free what it saved.
    Backward { layer: u64 },
    /// The embedding's backward.
    EmbeddingBackward,
    /// Inside `optimizer.step()`.
    Step,
}

/// What is alive at a stage.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTotal {
    pub stage: Stage,
    pub phase: Phase,
    /// Bytes of all `parts` together.
    pub bytes: u64,
    pub parts: Vec<Part>,
}

/// Follows a step through all layers.
///
/// ```
/// use ledger::{catalogue, training::{self, Checkpointing, Optimizer, Precision, Run, Stage, Training}};
/// let model = catalogue::model("SmolLM2-135M").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::PureBf16,
///     optimizer: Optimizer::AdamWFused,
///     batch: 8,
///     seq: 1024,
///     checkpointing: Checkpointing::None,
/// };
/// let curve = training::by_layer(model, &Run::from(workload))?;
/// // Load, 30 layers forward, loss and its backward, the head's, 30 layers backward, embedding, step.
/// assert_eq!(curve.len(), 1 + 30 + 3 + 30 + 2);
/// let highest = curve.iter().max_by_key(|total| total.bytes).expect("not empty");
/// assert_eq!(highest.stage, Stage::LossBackward);
/// assert_eq!(highest.bytes, training::ledger(model, &workload)?.peak.bytes);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`super::run_ledger`], and a model of more than 4,096 layers.
pub fn by_layer(model: &Model, run: &Run) -> Result<Vec<StageTotal>, LedgerError> {
    let facts = Facts::of(model)?;
    let Device { lines, sizes, .. } = device(model, &facts, run)?;
    if model.layers > MAX_LAYERS {
        return Err(LedgerError::NotModelled { what: "a curve over more than 4,096 layers" });
    }
    let layers = Layers::of(model, run, &facts, &sizes)?;
    let mut curve = vec![total(&lines, Stage::Load, Phase::Load, |line| line.at[Moment::Loaded.index()])?];
    for layer in 1..=model.layers {
        let held = |line: &Line| layers.forward(line, layer);
        curve.push(total(&lines, Stage::Forward { layer }, Phase::Forward, held)?);
    }
    let at = |moment: Moment| move |line: &Line| line.at[moment.index()];
    curve.push(total(&lines, Stage::Loss, Phase::Forward, at(Moment::ForwardEnd))?);
    curve.push(total(&lines, Stage::LossBackward, Phase::Backward, at(Moment::LossBackward))?);
    curve.push(total(&lines, Stage::HeadBackward, Phase::Backward, at(Moment::HeadBackward))?);
    for layer in (1..=model.layers).rev() {
        let held = |line: &Line| layers.backward(line, layer);
        curve.push(total(&lines, Stage::Backward { layer }, Phase::Backward, held)?);
    }
    curve.push(total(&lines, Stage::EmbeddingBackward, Phase::Backward, at(Moment::BackwardEnd))?);
    curve.push(total(&lines, Stage::Step, Phase::Step, at(Moment::Step))?);
    Ok(curve)
}

fn total(lines: &[Line], stage: Stage, phase: Phase, held: impl Fn(&Line) -> u64) -> Result<StageTotal, LedgerError> {
    let parts: Vec<Part> = lines
        .iter()
        .map(|line| Part { object: line.entry.object, part: line.entry.part.clone(), bytes: held(line) })
        .filter(|part| part.bytes > 0)
        .collect();
    Ok(StageTotal { stage, phase, bytes: sum("total", parts.iter().map(|part| part.bytes))?, parts })
}

/// What each layer adds. Vectors have one place per layer, the first layer first.
struct Layers {
    count: u64,
    kept: Vec<u64>,
    full: Vec<u64>,
    input: u64,
    /// Gradients that exist when the backward reaches the first so many layers, from none to all.
    behind: Vec<u64>,
    window: usize,
    whole_layers: bool,
    segment: u64,
    checkpoints: u64,
    plain: u64,
}

impl Layers {
    fn of(model: &Model, run: &Run, facts: &Facts, sizes: &[Size]) -> Result<Self, LedgerError> {
        let workload = &run.workload;
        let (mut kept, mut full) = (Vec::new(), Vec::new());
        for size in sizes {
            kept.extend((0..size.count).map(|_| size.kept));
            full.extend((0..size.count).map(|_| size.full));
        }
        let bytes = workload.precision.gradient_bytes();
        let window = match run.offload {
            Offload::Window { layers } => layers,
            Offload::None => model.layers,
        };
        Ok(Self {
            count: model.layers,
            input: activations::input(model, workload).finish("checkpoints")?.0,
            behind: (0..=model.layers).map(|layers| facts.behind(layers).saturating_mul(bytes)).collect(),
            window: usize::try_from(window).unwrap_or(usize::MAX),
            whole_layers: workload.checkpointing.recompute().is_none(),
            segment: workload.checkpointing.segment_layers(model.layers),
            checkpoints: workload.checkpointing.checkpoints(model.layers),
            plain: workload.checkpointing.plain_layers(model.layers),
            kept,
            full,
        })
    }

    /// Layers of the unchecked tail up to `layer`.
    fn in_tail(&self, layer: u64) -> u64 {
        (layer + self.plain).saturating_sub(self.count)
    }

    /// Segments whose input has been kept when `layer` runs.
    fn segments(&self, layer: u64) -> u64 {
        layer.div_ceil(self.segment).min(self.checkpoints)
    }

    /// Layers in front of the segment of `layer`.
    fn start(&self, layer: u64) -> u64 {
        (layer.div_ceil(self.segment) - 1) * self.segment
    }

    fn inputs(&self, layer: u64) -> u64 {
        self.segments(layer).min(self.window as u64).saturating_mul(self.input)
    }

    /// Kept tensors of the last `count` of the first `layer` layers.
    fn kept(&self, layer: u64, count: usize) -> u64 {
        self.kept.iter().take(layer as usize).rev().take(count).fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    fn activations(&self, layer: u64) -> u64 {
        match self.whole_layers {
            true => self.kept(layer, self.in_tail(layer) as usize),
            false => self.kept(layer, self.window),
        }
    }

    fn forward(&self, line: &Line, layer: u64) -> u64 {
        match line.entry.part.as_ref() {
            part if head::is_part(part) => 0,
            "layer_activations" => self.activations(layer),
            "checkpoints" => self.inputs(layer),
            "autocast_weights" | "fp8_weights" if layer < self.count => self.copies(line, layer),
            _ => line.at[Moment::ForwardEnd.index()],
        }
    }

    /// Weight copies of `layers` layers.
    fn copies(&self, line: &Line, layers: u64) -> u64 {
        let one = line.at[Moment::FirstLayerBackward.index()] / self.segment.max(1);
        one.saturating_mul(layers).min(line.entry.bytes)
    }

    fn backward(&self, line: &Line, layer: u64) -> u64 {
        let now = line.at[Moment::LayersBackward.index()];
        let grows = now < line.at[Moment::BackwardEnd.index()];
        match line.entry.part.as_ref() {
            "layer_activations" => self.activations(layer),
            "checkpoints" => self.inputs(layer),
            "recomputed_layer" if self.in_tail(layer) > 0 => 0,
            "recomputed_layer" => {
                let again = self.full.iter().take(layer as usize).skip(self.start(layer) as usize);
                again.fold(0u64, |sum, bytes| sum.saturating_add(*bytes)).saturating_sub(self.input)
            }
            "recomputed_parts" => {
                let at = (layer - 1) as usize;
                let of = |list: &[u64]| list.get(at).copied().unwrap_or(0);
                of(&self.full).saturating_sub(of(&self.kept))
            }
            "autocast_weights" | "fp8_weights" => match (self.whole_layers, self.in_tail(layer)) {
                // Made again with the segment; each goes with the layer that used it.
                (true, 0) => self.copies(line, layer - self.start(layer)),
                (true, tail) => self.copies(line, tail),
                (false, _) if layer == self.count => now,
                (false, _) => self.copies(line, layer),
            },
            "gradients" if grows && layer < self.count => self.behind.get(layer as usize).copied().unwrap_or(now),
            _ => now,
        }
    }
}

/// The layers at whose backward the curve turns. Activations and gradients change steadily from layer to layer but at
/// the last dense layer in front of experts, where the window of an offload begins to empty, and inside a checkpointed
/// segment, whose activations fall and whose gradients rise from its last layer to its first: of the segments the first
/// one has most gradients. Of a workload alone there is at most one of each kind.
fn turns(model: &Model, run: &Run) -> [(Moment, Vec<u64>); 2] {
    let dense = model.experts.map_or(0, |experts| experts.dense_layers);
    let within = |layers: &[u64]| layers.iter().copied().filter(|layer| (1..model.layers).contains(layer)).collect();
    let kinds = match run.offload {
        Offload::Window { layers } => within(&[dense, layers, dense.saturating_add(layers)]),
        Offload::None => within(&[dense]),
    };
    let segmented = run.workload.checkpointing.segment_layers(model.layers) > 1;
    [(Moment::TurnBackward, kinds), (Moment::SegmentBackward, if segmented { within(&[1]) } else { Vec::new() })]
}

/// Fills the moments at which the curve turns, where there are such; the highest of several turns of a kind counts.
pub(super) fn turn(
    model: &Model,
    run: &Run,
    facts: &Facts,
    sizes: &[Size],
    lines: &mut [Line],
) -> Result<(), LedgerError> {
    let turns = turns(model, run);
    if turns.iter().all(|(_, layers)| layers.is_empty()) || model.layers > MAX_LAYERS {
        return Ok(());
    }
    let layers = Layers::of(model, run, facts, sizes)?;
    let held = |line: &Line, layer: u64| match line.entry.part.as_ref() {
        // Of the neighbours on both sides of a turn, the one that computes more again.
        "recomputed_layer" | "recomputed_parts" if layers.segment == 1 => line.at[Moment::FirstLayerBackward.index()],
        _ => layers.backward(line, layer),
    };
    for (moment, candidates) in turns {
        let mut best = (0, 0);
        for layer in candidates {
            best = best.max((sum("total", lines.iter().map(|line| held(line, layer)))?, layer));
        }
        if best.1 > 0 {
            for line in lines.iter_mut() {
                line.at[moment.index()] = held(line, best.1);
            }
        }
    }
    Ok(())
}
