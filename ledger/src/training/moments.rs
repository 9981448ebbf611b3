//! The moments of a step at which memory can be highest.
//!
//! Between two neighbouring moments every object grows or shrinks steadily, so that the maximum of a phase lies at
//! one of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Line;
use crate::{LedgerError, Object, Phase, formula::sum};

/// A point of the step.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// The model is on the device, and the loader's second copy where it keeps one there; no step has run.
    Loaded,
    /// The loss has been computed.
    ForwardEnd,
    /// The loss's backward: gradients of the logits, none of parameters.
    LossBackward,
    /// The output head's backward.
    HeadBackward,
    /// The last layer's backward: all saved activations, the head's gradients.
    LayersBackward,
    /// A layer's backward in between, where the steady rise or fall turns: the last dense layer in front of experts, or
    /// the layer at which an offload's window begins to empty. Only where there is such a layer.
    TurnBackward,
    /// The backward of the first layer, or of the first checkpointed segment: its saved activations, the gradients of
    /// everything behind it.
    FirstLayerBackward,
    /// The backward of the first layer inside the first checkpointed segment: one layer's activations, the gradients of
    /// all others. Only where there are segments.
    SegmentBackward,
    /// The embedding's backward: all gradients, no saved activations.
    BackwardEnd,
    /// Inside `optimizer.step()`.
    Step,
}

impl Moment {
    pub const ALL: [Moment; 10] = [
        Moment::Loaded,
        Moment::ForwardEnd,
        Moment::LossBackward,
        Moment::HeadBackward,
        Moment::LayersBackward,
        Moment::TurnBackward,
        Moment::FirstLayerBackward,
        Moment::SegmentBackward,
        Moment::BackwardEnd,
        Moment::Step,
    ];
    /// Moments that only some runs have; where they have not, they equal the last layers' backward.
    pub(crate) const TURNS: [Moment; 2] = [Moment::TurnBackward, Moment::SegmentBackward];
    pub(crate) const COUNT: usize = Self::ALL.len();

    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    pub const fn id(self) -> &'static str {
        match self {
            Moment::Loaded => "loaded",
            Moment::ForwardEnd => "forward_end",
            Moment::LossBackward => "loss_backward",
            Moment::HeadBackward => "head_backward",
            Moment::LayersBackward => "layers_backward",
            Moment::TurnBackward => "turn_backward",
            Moment::FirstLayerBackward => "first_layer_backward",
            Moment::SegmentBackward => "segment_backward",
            Moment::BackwardEnd => "backward_end",
            Moment::Step => "step",
        }
    }

    pub const fn phase(self) -> Phase {
        match self {
            Moment::Loaded => Phase::Load,
            Moment::ForwardEnd => Phase::Forward,
            Moment::Step => Phase::Step,
            _ => Phase::Backward,
        }
    }
}

/// What one object contributes to a moment.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub object: Object,
    /// The slug of the entry in [`super::TrainingLedger::entries`].
    pub part: Cow<'static, str>,
    pub bytes: u64,
}

/// A phase at its highest moment.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTotal {
    pub phase: Phase,
    pub moment: Moment,
    /// Bytes of all `parts` together.
    pub bytes: u64,
    /// What is alive at that moment, in the order of the entries.
    pub parts: Vec<Part>,
    /// The object that makes the moment high: the largest that does not live through the whole step, or the largest
    /// of all where nothing else is alive.
    pub cause: Object,
    /// The slug of that object's entry.
    pub cause_part: Cow<'static, str>,
}

/// Bytes of everything that is alive at a moment.
pub(crate) fn bytes_at(lines: &[Line], moment: Moment) -> Result<u64, LedgerError> {
    total_bytes(lines.iter(), moment)
}

/// Bytes of these lines at a moment.
pub(super) fn total_bytes<'a>(lines: impl Iterator<Item = &'a Line>, moment: Moment) -> Result<u64, LedgerError> {
    sum("total", lines.map(|line| line.at[moment.index()]))
}

fn total(lines: &[Line], moment: Moment) -> Result<PhaseTotal, LedgerError> {
    let alive = || lines.iter().filter(|line| line.at[moment.index()] > 0);
    let bytes = bytes_at(lines, moment)?;
    let passing = |line: &&Line| line.at[Moment::ForwardEnd.index()] != line.at[Moment::Step.index()];
    let largest = |line: &&Line| line.at[moment.index()];
    let cause = alive().filter(passing).max_by_key(largest).or_else(|| alive().max_by_key(largest));
    Ok(PhaseTotal {
        phase: moment.phase(),
        moment,
        bytes,
        parts: alive()
            .map(|line| Part {
                object: line.entry.object,
                part: line.entry.part.clone(),
                bytes: line.at[moment.index()],
            })
            .collect(),
        cause: cause.map_or(Object::Parameter, |line| line.entry.object),
        cause_part: cause.map_or(Cow::Borrowed("weights"), |line| line.entry.part.clone()),
    })
}

/// Every moment with what is alive at it, in the order of the step; those of turns where the curve turns.
pub(crate) fn timeline(lines: &[Line]) -> Result<Vec<PhaseTotal>, LedgerError> {
    let differs = |moment: Moment| {
        let stands_for = Moment::LayersBackward.index();
        lines.iter().any(|line| line.at[moment.index()] != line.at[stands_for])
    };
    let exists = |moment: &Moment| !Moment::TURNS.contains(moment) || differs(*moment);
    Moment::ALL.into_iter().filter(exists).map(|moment| total(lines, moment)).collect()
}

/// One total per phase, at the phase's highest moment.
pub(crate) fn phases(lines: &[Line]) -> Result<Vec<PhaseTotal>, LedgerError> {
    let mut phases: Vec<PhaseTotal> = Vec::with_capacity(4);
    for next in timeline(lines)? {
        match phases.last_mut() {
            Some(last) if last.phase == next.phase => {
                if next.bytes > last.bytes {
                    *last = next;
                }
            }
            _ => phases.push(next),
        }
    }
    Ok(phases)
}

/// The highest phase; of equals the earliest.
pub(crate) fn highest(phases: &[PhaseTotal]) -> PhaseTotal {
    let nothing = PhaseTotal {
        phase: Phase::Load,
        moment: Moment::Loaded,
        bytes: 0,
        parts: Vec::new(),
        cause: Object::Parameter,
        cause_part: Cow::Borrowed("weights"),
    };
    phases.iter().rev().max_by_key(|phase| phase.bytes).cloned().unwrap_or(nothing)
}
