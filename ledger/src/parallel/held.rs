//! Which share of a line of the training ledger a rank holds.

use super::{Offload, Place, ZeroStage};
use crate::{Object, training::pieces::Line};

/// What a line is, as far as ZeRO and offload are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Weights,
    Gradients,
    /// Optimizer states, master copy and the step's temporaries.
    States,
    /// A gradient before it is added to the sum: part of the bucket, where there is one.
    Incoming,
    /// Whole on every rank.
    Whole,
}

impl Kind {
    pub(crate) fn of(line: &Line) -> Kind {
        match line.entry.object {
            Object::Parameter if line.entry.part == "master_weights" => Kind::States,
            Object::Parameter => Kind::Weights,
            Object::Gradient => Kind::Gradients,
            Object::OptimizerState | Object::OptimizerTemporary => Kind::States,
            _ if line.entry.part == "incoming_gradient" => Kind::Incoming,
            _ => Kind::Whole,
        }
    }

    /// In the order of their numbers.
    pub(crate) const ALL: [Kind; 5] = [Kind::Weights, Kind::Gradients, Kind::States, Kind::Incoming, Kind::Whole];

    /// Which of a line's two versions is held, and where; `None` where another line stands for it.
    pub(crate) fn held(self, zero: ZeroStage, offload: Offload) -> Option<(Share, Place)> {
        let divided = |from: ZeroStage| if zero >= from { Share::Divided } else { Share::Whole };
        Some(match self {
            Kind::Weights => (divided(ZeroStage::Three), offload.weights),
            // Gradients are added up in the memory of the processor that steps.
            Kind::Gradients => (divided(ZeroStage::Two), offload.states.min(Place::Host)),
            Kind::States => (divided(ZeroStage::One), offload.states),
            Kind::Incoming if zero >= ZeroStage::Two || offload.states != Place::Device => return None,
            Kind::Incoming | Kind::Whole => (Share::Whole, Place::Device),
        })
    }
}

/// A line over whole tensors, or over a rank's share of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    Whole,
    Divided,
}
