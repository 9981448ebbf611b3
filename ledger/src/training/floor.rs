//! What is alive in `step()`, whatever is done about activations.

use super::{
    Optimizer, Precision,
    facts::Facts,
    fp8,
    states::{gradient, state, temporary},
};
use crate::{
    LedgerError, Model,
    formula::{Term, b, n},
};

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
        // The momentum of a matrix; what AdamW updates is left out.
        Optimizer::Muon => sum + b(precision.state_bytes()),
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
    if optimizer.has_plain_states() {
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
        Some((_, _, term)) => states + term,
        None => states,
    }
}

/// Parameters × the bracket, and what is not counted per parameter.
fn with_states(facts: &Facts, precision: Precision, optimizer: Optimizer, per_parameter: Term) -> Term {
    let mut sum = n(facts.parameters) * per_parameter;
    if precision == Precision::Fp8 {
        sum = sum + fp8::scales(facts);
    }
    match optimizer {
        other if !other.has_plain_states() => {
            let states = other.states().iter().map(|slug| state(facts, precision, optimizer, slug));
            states.filter(|term| term.value() != Some(0)).fold(sum, |sum, term| sum + term)
        }
        Optimizer::AdamWFused => sum + n(facts.tensors) * b(4),
        Optimizer::AdamWInBackward => sum + gradient(facts, precision, optimizer),
        _ => sum,
    }
}
