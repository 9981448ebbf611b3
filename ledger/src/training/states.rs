//! Weights, gradients, optimizer states and what `step()` needs for a moment.

use super::{Line, Moment, Optimizer, Precision, Training};
use crate::{
    LedgerError, Model, Object, Role,
    formula::{Term, b, n},
};

/// Block of bitsandbytes' 8-bit optimizers: one FP32 maximum per 256 numbers.
const BLOCK: u64 = 256;
/// Tensors with fewer elements keep FP32 states in bitsandbytes (`min_8bit_size`).
const MIN_8BIT: u64 = 4096;

/// Counts that several lines need; the tensors are listed once.
pub(crate) struct Facts {
    pub parameters: u64,
    pub matmul: u64,
    /// Weights of matrix products in one layer.
    pub layer_matmul: u64,
    pub head: u64,
    /// Parameters whose gradients exist when the backward pass reaches the first layer.
    behind_first_layer: u64,
    largest: u64,
    tensors: u64,
    small: u64,
    blocks: u64,
}

impl Facts {
    pub(crate) fn of(model: &Model) -> Result<Self, LedgerError> {
        let groups = model.tensors()?;
        let sum = |of: &dyn Fn(&crate::Tensors) -> Option<u64>| {
            groups
                .iter()
                .try_fold(0u64, |sum, group| sum.checked_add(of(group)?))
                .ok_or_else(|| LedgerError::Overflow { what: "parameters", formula: "Σ tensors".to_owned() })
        };
        let head_role = if model.tied { Role::Embedding } else { Role::Head };
        let parameters = sum(&|group| group.total())?;
        let linear = sum(&|group| match group.role {
            Role::Linear | Role::Expert => group.total(),
            _ => Some(0),
        })?;
        let head = sum(&|group| if group.role == head_role { group.total() } else { Some(0) })?;
        let embedding = sum(&|group| match group.role {
            Role::Position => group.total(),
            Role::Embedding if !model.tied => group.total(),
            _ => Some(0),
        })?;
        let outside = sum(&|group| match group.role {
            Role::Embedding | Role::Position | Role::Head => group.total(),
            _ => Some(0),
        })?;
        // The last norm counts as part of the layers here: a few kilobytes.
        let in_layers = parameters - outside;
        let first_layer = in_layers / model.layers.max(1);
        Ok(Self {
            behind_first_layer: parameters - embedding - first_layer,
            parameters,
            matmul: linear + head,
            layer_matmul: linear / model.layers.max(1),
            head,
            largest: groups.iter().map(|group| group.elements).max().unwrap_or(0),
            tensors: sum(&|group| Some(group.count))?,
            small: sum(&|group| if group.elements < MIN_8BIT { group.total() } else { Some(0) })?,
            blocks: sum(&|group| {
                if group.elements < MIN_8BIT {
                    Some(0)
                } else {
                    group.elements.div_ceil(BLOCK).checked_mul(group.count)
                }
            })?,
        })
    }
}

/// One state tensor per parameter tensor.
fn state(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
    match optimizer {
        Optimizer::AdamW8bit => {
            let large = n(facts.parameters - facts.small) * b(1) + n(facts.blocks) * b(4);
            if facts.small > 0 { large + n(facts.small) * b(4) } else { large }
        }
        _ => n(facts.parameters) * b(precision.state_bytes()),
    }
}

/// The temporary of `step()`, by slug. An **assumption** about the implementation, taken from PyTorch's sources: the
/// multi-tensor AdamW computes the denominator for all tensors at once (pytorch/pytorch#97712), the fused and 8-bit
/// kernels work in place, SGD updates in place.
fn temporary(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Option<(&'static str, Term)> {
    let bytes = b(precision.state_bytes());
    match optimizer {
        Optimizer::AdamWForeach => Some(("foreach_temporary", n(facts.parameters) * bytes)),
        Optimizer::AdamWInBackward => Some(("step_temporary", n(facts.largest) * bytes)),
        _ => None,
    }
}

fn gradient(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
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
    let behind_first = facts.behind_first_layer.saturating_mul(bytes);
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

/// Weights, gradients, master copy and optimizer states: what stays from step to step, gradients included.
///
/// # Errors
/// An inconsistent model or a sum of 2⁶⁴ bytes and more.
pub fn state_bytes(model: &Model, precision: Precision, optimizer: Optimizer) -> Result<u64, LedgerError> {
    Ok(state_term(&Facts::of(model)?, precision, optimizer).finish("train_states")?.0)
}

/// [`state_bytes`] and the optimizer's temporary: the least that `step()` needs.
///
/// # Errors
/// As [`state_bytes`].
pub fn optimizer_floor(model: &Model, precision: Precision, optimizer: Optimizer) -> Result<u64, LedgerError> {
    Ok(floor_term(&Facts::of(model)?, precision, optimizer).finish("optimizer_floor")?.0)
}

pub(crate) fn states(model: &Model, precision: Precision, optimizer: Optimizer) -> Result<Term, LedgerError> {
    Ok(state_term(&Facts::of(model)?, precision, optimizer))
}

pub(crate) fn floor(model: &Model, precision: Precision, optimizer: Optimizer) -> Result<Term, LedgerError> {
    Ok(floor_term(&Facts::of(model)?, precision, optimizer))
}

/// Bytes per parameter of weight, gradient, states and temporary; scales, counters and tensors that exist only one
/// at a time are left out.
pub(crate) fn per_parameter(precision: Precision, optimizer: Optimizer) -> Term {
    let sum = per_parameter_states(precision, optimizer);
    match optimizer {
        Optimizer::AdamWForeach => sum + b(precision.state_bytes()),
        Optimizer::AdamW8bit => optimizer.states().iter().fold(sum, |sum, _| sum + b(1)),
        _ => sum,
    }
}

/// The bytes that every parameter takes, added up in a bracket: weight, gradient, master copy, states.
fn per_parameter_states(precision: Precision, optimizer: Optimizer) -> Term {
    let mut sum = b(precision.weight_bytes());
    if optimizer != Optimizer::AdamWInBackward {
        sum = sum + b(precision.gradient_bytes());
    }
    if precision.has_master() {
        sum = sum + b(4);
    }
    if optimizer != Optimizer::AdamW8bit {
        for _ in optimizer.states() {
            sum = sum + b(precision.state_bytes());
        }
    }
    sum
}

pub(crate) fn state_term(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
    with_states(facts, precision, optimizer, per_parameter_states(precision, optimizer))
}

pub(crate) fn floor_term(facts: &Facts, precision: Precision, optimizer: Optimizer) -> Term {
    let mut per_parameter = per_parameter_states(precision, optimizer);
    if optimizer == Optimizer::AdamWForeach {
        per_parameter = per_parameter + b(precision.state_bytes());
        return with_states(facts, precision, optimizer, per_parameter);
    }
    let states = with_states(facts, precision, optimizer, per_parameter);
    match temporary(facts, precision, optimizer) {
        Some((_, term)) => states + term,
        None => states,
    }
}

/// Parameters × the bracket, and what is not counted per parameter.
fn with_states(facts: &Facts, precision: Precision, optimizer: Optimizer, per_parameter: Term) -> Term {
    let sum = n(facts.parameters) * per_parameter;
    match optimizer {
        Optimizer::AdamW8bit => optimizer.states().iter().fold(sum, |sum, _| sum + state(facts, precision, optimizer)),
        Optimizer::AdamWFused => sum + n(facts.tensors) * b(4),
        Optimizer::AdamWInBackward => sum + gradient(facts, precision, optimizer),
        _ => sum,
    }
}
