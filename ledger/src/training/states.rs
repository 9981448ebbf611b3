//! Weights, gradients, optimizer states and what `step()` needs for a moment.

use super::{GradientBuffer, Line, Moment, Optimizer, Precision, Run, facts::Facts, fp8};
use crate::{
    LedgerError, Model, Object,
    formula::{Term, b, n},
};

/// What stays on the device of one state, over all parameters.
pub(super) fn state(facts: &Facts, precision: Precision, optimizer: Optimizer, slug: &str) -> Term {
    let bytes = || b(precision.state_bytes());
    match optimizer {
        Optimizer::AdamW8bit => eight_bit(facts, facts.parameters - facts.small),
        // Paged: small tensors, and of 8-bit states every block's maximum.
        Optimizer::PagedAdamW => n(facts.unpaged) * b(4),
        Optimizer::PagedAdamW8bit => eight_bit(facts, facts.unpaged.saturating_sub(facts.small)),
        // Rows and columns in the format of the gradients.
        Optimizer::Adafactor => n(facts.factored) * bytes(),
        Optimizer::Muon if slug == "muon_momentum" => n(facts.matrices) * bytes(),
        Optimizer::Muon => n(facts.parameters - facts.matrices) * bytes(),
        _ => n(facts.parameters) * bytes(),
    }
}

/// Blockwise 8-bit numbers, the maxima of all blocks, and small tensors in FP32.
fn eight_bit(facts: &Facts, large: u64) -> Term {
    let sum = n(large) * b(1) + n(facts.blocks) * b(4);
    if facts.small > 0 { sum + n(facts.small) * b(4) } else { sum }
}

/// What of both states lives on the host.
pub(crate) fn paged(facts: &Facts, optimizer: Optimizer) -> Option<Term> {
    let numbers = facts.parameters - facts.unpaged;
    page_bytes(optimizer).filter(|_| numbers > 0).map(|bytes| n(2) * n(numbers) * b(bytes))
}

fn page_bytes(optimizer: Optimizer) -> Option<u64> {
    match optimizer {
        Optimizer::PagedAdamW => Some(4),
        Optimizer::PagedAdamW8bit => Some(1),
        _ => None,
    }
}

/// The temporaries of one Newton–Schulz iteration over an `r × c` matrix, `r ≤ c`: the update in the format of the
/// states, the matrix in BF16 before and after the iteration, its Gram matrix and the polynomial of it (`torch.optim`,
/// `_zeropower_via_newtonschulz`).
fn newton_schulz(facts: &Facts, precision: Precision) -> Term {
    let (few, many) = facts.widest;
    let matrix = || n(few) * n(many);
    matrix() * b(precision.state_bytes()) + n(2) * matrix() * b(2) + n(2) * n(few) * n(few) * b(2)
}

/// What `step()` holds for a moment, by slug. An **assumption** about the implementation, taken from the sources: the
/// multi-tensor AdamW computes the denominator for all tensors at once (pytorch/pytorch#97712), the fused and 8-bit
/// kernels work in place, SGD updates in place; Lion computes one update at a time, Adafactor the squared gradient and
/// the update of one tensor in FP32; a paged optimizer fetches the two states of one tensor.
pub(super) fn temporary(
    facts: &Facts,
    precision: Precision,
    optimizer: Optimizer,
) -> Option<(Object, &'static str, Term)> {
    let bytes = b(precision.state_bytes());
    let temporary = |slug, term| Some((Object::OptimizerTemporary, slug, term));
    match optimizer {
        Optimizer::AdamWForeach => temporary("foreach_temporary", n(facts.parameters) * bytes),
        Optimizer::AdamWInBackward | Optimizer::Lion => temporary("step_temporary", n(facts.largest) * bytes),
        Optimizer::Adafactor => temporary("step_temporary", n(2) * n(facts.largest) * b(4)),
        Optimizer::Muon => temporary("newton_schulz", newton_schulz(facts, precision)),
        Optimizer::PagedAdamW | Optimizer::PagedAdamW8bit => {
            let pages = n(2) * n(facts.largest_paged()) * b(page_bytes(optimizer)?);
            (facts.largest_paged() > 0).then_some((Object::OptimizerState, "paged_states", pages))
        }
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

pub(crate) fn lines(model: &Model, facts: &Facts, run: &Run) -> Result<Vec<Line>, LedgerError> {
    let (precision, optimizer) = (run.workload.precision, run.workload.optimizer);
    let mut lines = Vec::with_capacity(20);
    let weights = n(facts.parameters) * b(precision.weight_bytes());
    lines.extend(Line::new(Object::Parameter, "weights", weights, &ALWAYS)?);
    if precision.has_master() {
        let master = n(facts.parameters) * b(4);
        lines.extend(Line::new(Object::Parameter, "master_weights", master, &ALWAYS)?);
    }
    if precision == Precision::Fp8 {
        lines.extend(Line::new(Object::Buffer, "fp8_scales", fp8::scales(facts), &ALWAYS)?);
    }
    for slug in optimizer.states() {
        let state = state(facts, precision, optimizer, slug);
        lines.extend(Line::new(Object::OptimizerState, slug, state, &FROM_FORWARD)?);
    }
    if optimizer == Optimizer::AdamWFused {
        // `torch/optim/adamw.py`: the step counters are on the device only for the fused and capturable versions.
        let counters = n(facts.tensors) * b(4);
        lines.extend(Line::new(Object::OptimizerState, "step_counters", counters, &FROM_FORWARD)?);
    }
    gradients(model, facts, run, &mut lines)?;
    if let Some((object, slug, term)) = temporary(facts, precision, optimizer) {
        let in_backward = optimizer == Optimizer::AdamWInBackward;
        let moments = if in_backward { &FROM_GRADIENTS[..4] } else { &[Moment::Step][..] };
        lines.extend(Line::new(object, slug, term, moments)?);
    }
    Ok(lines)
}

/// Gradients: of one tensor at a time, growing through the backward pass, or there all the time.
fn gradients(model: &Model, facts: &Facts, run: &Run, lines: &mut Vec<Line>) -> Result<(), LedgerError> {
    let (precision, optimizer) = (run.workload.precision, run.workload.optimizer);
    if optimizer == Optimizer::AdamWInBackward {
        let one = gradient(facts, precision, optimizer);
        lines.extend(Line::new(Object::Gradient, "gradients", one, &FROM_GRADIENTS[..4])?);
        return Ok(());
    }
    let fresh = precision.gradient_bytes();
    if run.gradients == GradientBuffer::Fp32 {
        let buffer = n(facts.parameters) * b(4);
        lines.extend(Line::new(Object::Gradient, "gradient_buffer", buffer, &ALWAYS)?);
        incoming(facts, precision.weight_bytes(), lines)?;
    } else if run.micro_batches > 1 {
        // The ledger is that of the last micro-batch: the sum of the earlier ones is there from the start.
        let sum = gradient(facts, precision, optimizer);
        lines.extend(Line::new(Object::Gradient, "gradients", sum, &FROM_FORWARD)?);
        incoming(facts, fresh, lines)?;
    } else {
        let head = facts.head.saturating_mul(fresh);
        let segment = run.workload.checkpointing.segment_layers(model.layers);
        let behind_first = facts.behind(segment).saturating_mul(fresh);
        let gradients = gradient(facts, precision, optimizer);
        lines.extend(Line::new(Object::Gradient, "gradients", gradients, &FROM_GRADIENTS)?.map(|line| {
            line.reduced(Moment::HeadBackward, head)
                .reduced(Moment::LayersBackward, head)
                .reduced(Moment::FirstLayerBackward, behind_first)
        }));
    }
    if model.tied {
        // Two gradients meet in a tied matrix: the head's waits while the embedding's is computed.
        let bytes = if run.gradients == GradientBuffer::Fp32 { precision.weight_bytes() } else { fresh };
        let second = n(facts.head) * b(bytes);
        lines.extend(Line::new(Object::Temporary, "tied_gradient", second, &[Moment::BackwardEnd])?);
    }
    Ok(())
}

/// The gradient that is about to be added: the largest tensor's, as a bound for each moment of the backward pass.
fn incoming(facts: &Facts, bytes: u64, lines: &mut Vec<Line>) -> Result<(), LedgerError> {
    let one = n(facts.largest) * b(bytes);
    lines.extend(Line::new(Object::Temporary, "incoming_gradient", one, &FROM_GRADIENTS[..4])?);
    Ok(())
}
