//! What training needs.

use super::{Arguments, ExprError, Quantity, Unit, ledger, whole};
use crate::{
    formula::{b, n},
    parallel::{StateBytes, ZeroStage, zero_term},
    training::{self, head_terms, state_terms},
};

pub(super) fn train_states(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::states(call.model()?, call.precision()?, call.optimizer()?))?;
    whole(call, Unit::Bytes, term)
}

pub(super) fn optimizer_floor(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::floor(call.model()?, call.precision()?, call.optimizer()?))?;
    whole(call, Unit::Bytes, term)
}

pub(super) fn train_peak(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let result = ledger(call, training::ledger(call.model()?, &call.training()?))?;
    let term = result.peak.parts.iter().map(|part| b(part.bytes)).reduce(|sum, next| sum + next);
    whole(call, Unit::Bytes, term.unwrap_or_else(|| b(0)))
}

pub(super) fn activations(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::saved(call.model()?, &call.training()?, state_terms::Saves::ALL))?;
    whole(call, Unit::Bytes, term)
}

pub(super) fn logits(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let tokens = match call.whole("tokens")? {
        Some(tokens) => tokens,
        None => ledger(call, (n(call.whole_or("batch", 1)?) * n(call.need("seq")?)).finish("tokens"))?.0,
    };
    whole(call, Unit::Bytes, head_terms::log_softmax(model.vocab, tokens))
}

/// The N × N matrix of all layers' heads, one layer at a time: what FlashAttention never writes.
pub(super) fn attention_scores(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, seq) = (call.model()?, call.need("seq")?);
    let bits = call.dtype(&["dtype"])?.bits();
    whole(call, Unit::Bytes, (n(call.whole_or("batch", 1)?) * n(model.heads) * n(seq) * n(seq)).of_bits(bits))
}

/// Without a model: the bytes of weight, gradient, states and temporary per parameter, scales left out.
pub(super) fn bytes_per_param(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, state_terms::per_parameter(call.precision()?, call.optimizer()?))
}

/// Model states on one of `ranks` ranks under ZeRO `stage`, 16-bit weights and AdamW with an FP32 master copy.
pub(super) fn zero_states(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let parameters = ledger(call, call.model()?.parameters())?;
    let (stage, ranks) = (call.count("stage", 3)?, call.need("ranks")?);
    let stage = ZeroStage::from_number(stage).ok_or_else(|| ExprError::WrongValue {
        at: call.at,
        name: "stage".to_owned(),
        expected: "0, 1, 2 or 3",
        found: stage.to_string(),
    })?;
    let term = ledger(call, zero_term(parameters, StateBytes::MIXED_ADAM, stage, ranks))?;
    whole(call, Unit::Bytes, term)
}
