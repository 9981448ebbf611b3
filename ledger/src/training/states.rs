//! Weights, gradients, optimizer states and what `step()` needs for a moment.

use super::{Line, Moment, Optimizer, Precision, Training, facts::Facts};
use crate::{
    LedgerError, Model, Object,
    formula::{Term, b, n},
};

/// One state tensor per parameter tensor.
pub(super) fn state(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
    match optimizer {
        Optimizer::AdamW8bit => {
            let large = n(facts.parameters - facts.small) * b(1) + n(facts.blocks) * b(4);
            if facts.small > 0 { large + n(facts.small) * b(4) } else { large }
        }
        // Rows and columns in the format of the gradients.
        Optimizer::Adafactor => n(facts.factored) * b(precision.state_bytes()),
        _ => n(facts.parameters) * b(precision.state_bytes()),
    }
}

/// The temporary of `step()`, by slug. An **assumption** about the implementation, taken from PyTorch's sources: the
/// multi-tensor AdamW computes the denominator for all tensors at once (pytorch/pytorch#97712), the fused and 8-bit
/// kernels work in place, SGD updates in place; Lion computes one update at a time, Adafactor the squared gradient and
/// the update of one tensor in FP32.
pub(super) fn temporary(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Option<(&'static str, Term)> {
    let bytes = b(precision.state_bytes());
    match optimizer {
        Optimizer::AdamWForeach => Some(("foreach_temporary", n(facts.parameters) * bytes)),
        Optimizer::AdamWInBackward | Optimizer::Lion => Some(("step_temporary", n(facts.largest) * bytes)),
        Optimizer::Adafactor => Some(("step_temporary", n(2) * n(facts.largest) * b(4))),
        _ => None,
    }
}

pub(super) fn gradient(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
    let numbers = match optimizer {
        Optimizer::AdamWInBackward => facts.largest,
        _ => facts.parameters,
    };
    n(numbers) * b(precision.gradient_bytes())
}

const ALWAYS: [Moment; Moment::COUNT] = Moment::ALL;
const FROM_FORWARD: [Moment; 7] = [
    Moment::ForwardEnd,
    Moment::LossBackward,
    Moment::HeadBackward,
    Moment::LayersBackward,
    Moment::FirstLayerBackward,
    Moment::BackwardEnd,
    Moment::Step,
];
/// From the first gradient on.
const FROM_GRADIENTS: [Moment; 5] =
    [Moment::HeadBackward, Moment::LayersBackward, Moment::FirstLayerBackward, Moment::BackwardEnd, Moment::Step];

pub(crate) fn lines(model: &Model, facts: &Facts, workload: &Training) -> Result<Vec<Line>, LedgerError> {
    let (precision, optimizer) = (workload.precision, workload.optimizer);
    let mut lines = Vec::with_capacity(16);
    let weights = n(facts.parameters) * b(precision.weight_bytes());
    lines.extend(Line::new(Object::Parameter, "weights", weights, &ALWAYS)?);
    if precision.has_master() {
        let master = n(facts.parameters) * b(4);
        lines.extend(Line::new(Object::Parameter, "master_weights", master, &ALWAYS)?);
    }
    for slug in optimizer.states() {
        let state = state(facts, precision, optimizer);
        lines.extend(Line::new(Object::OptimizerState, slug, state, &FROM_FORWARD)?);
    }
    if optimizer == Optimizer::AdamWFused {
        // `torch/optim/adamw.py`: the step counters are on the device only for the fused and capturable versions.
        let counters = n(facts.tensors) * b(4);
        lines.extend(Line::new(Object::OptimizerState, "step_counters", counters, &FROM_FORWARD)?);
    }
    let in_backward = optimizer == Optimizer::AdamWInBackward;
    let moments = if in_backward { &FROM_GRADIENTS[..4] } else { &FROM_GRADIENTS[..] };
    let bytes = precision.gradient_bytes();
    let head = facts.head.saturating_mul(bytes);
    let segment = workload.checkpointing.segment_layers(model.layers);
    let behind_first = facts.behind(segment).saturating_mul(bytes);
    let gradients = gradient(facts, precision, optimizer);
    lines.extend(Line::new(Object::Gradient, "gradients", gradients, moments)?.map(|line| {
        if in_backward {
            return line;
        }
        line.reduced(Moment::HeadBackward, head)
            .reduced(Moment::LayersBackward, head)
            .reduced(Moment::FirstLayerBackward, behind_first)
    }));
    if model.tied && !in_backward {
        // Two gradients meet in a tied matrix: the head's waits while the embedding's is computed.
        let second = n(facts.head) * b(precision.gradient_bytes());
        lines.extend(Line::new(Object::Temporary, "tied_gradient", second, &[Moment::BackwardEnd])?);
    }
    if let Some((slug, term)) = temporary(facts, precision, optimizer) {
        let moments = if in_backward { moments } else { &[Moment::Step] };
        lines.extend(Line::new(Object::OptimizerTemporary, slug, term, moments)?);
    }
    Ok(lines)
}
