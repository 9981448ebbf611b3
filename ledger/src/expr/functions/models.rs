//! What a model is.

use super::{Arguments, ExprError, Quantity, Unit, ledger, whole};
use crate::{
    Model, adapters,
    formula::{Term, n},
};

pub(super) fn size(call: &Arguments<'_>, of: fn(&Model) -> u64) -> Result<Quantity, ExprError> {
    whole(call, Unit::Count, n(of(call.model()?)))
}

pub(super) fn params(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let (value, formula) = ledger(call, model.parameters_formula())?;
    Ok(Quantity::whole(Unit::Count, value, formula))
}

/// Parameters that one token uses.
pub(super) fn active_params(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let value = ledger(call, call.model()?.active_parameters())?;
    whole(call, Unit::Count, n(value))
}

/// Trainable parameters of LoRA on `targets="q,v"`.
pub(super) fn lora_params(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let targets = call.words("targets", "q,v")?;
    let term = |targets: &[&str]| {
        adapters::lora_term(model, call.need("rank")?, targets)
            .map_err(|error| ExprError::Ledger { at: call.at, error })
    };
    let term: Term = term(&targets)?;
    whole(call, Unit::Count, term)
}
