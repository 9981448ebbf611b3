//! What serving needs.

use super::{Arguments, ExprError, Quantity, Unit, ledger, whole};
use crate::{
    formula::{b, n},
    inference,
};

pub(super) fn weights(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let entry = ledger(call, inference::weights(call.model()?, call.dtype(&["weights", "dtype"])?))?;
    Ok(Quantity::whole(Unit::Bytes, entry.bytes, entry.formula))
}

pub(super) fn kv_per_token(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, dtype) = (call.model()?, call.dtype(&["kv", "dtype"])?);
    let (bytes, formula) = ledger(call, inference::per_token_term(model, dtype))?;
    Ok(Quantity::whole(Unit::Bytes, bytes, formula))
}

pub(super) fn kv_cache(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, dtype) = (call.model()?, call.dtype(&["kv", "dtype"])?);
    ledger(call, model.validate())?;
    whole(call, Unit::Bytes, inference::kv_term(model, dtype, call.whole_or("batch", 1)?, call.need("seq")?))
}

pub(super) fn longest_context(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, card, workload) = (call.model()?, call.card()?, call.inference()?);
    let fit = ledger(call, inference::fit(model, &workload, card.capacity_bytes))?;
    limit(call, fit.longest_context, &fit, &workload)
}

pub(super) fn largest_batch(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    call.need("seq")?;
    let (model, card, workload) = (call.model()?, call.card()?, call.inference()?);
    let fit = ledger(call, inference::fit(model, &workload, card.capacity_bytes))?;
    limit(call, fit.largest_batch, &fit, &workload)
}

pub(super) fn limit(
    call: &Arguments<'_>,
    found: Option<u64>,
    fit: &inference::Fit,
    workload: &inference::Inference,
) -> Result<Quantity, ExprError> {
    let (model, capacity) = (call.model()?, fit.capacity);
    let weights = ledger(call, inference::weights(model, workload.weights))?.bytes;
    let per = match call.function {
        "largest_batch" => ledger(call, inference::kv_bytes(model, workload.kv, 1, workload.seq))?,
        _ => ledger(call, inference::kv_bytes(model, workload.kv, workload.batch, 1))?,
    };
    let room = capacity.saturating_sub(weights).saturating_sub(workload.reserve);
    let value = found.ok_or_else(|| ExprError::DoesNotFit {
        at: call.at,
        function: call.function,
        shortfall: format!("{} are left, {} are needed for one", b(room).text(), b(per).text()),
    })?;
    let taken = if workload.reserve > 0 { format!(" − {}", b(workload.reserve).text()) } else { String::new() };
    let formula = format!("⌊({} − {}{taken}) ÷ {}⌋", b(capacity).text(), b(weights).text(), b(per).text());
    let mut quantity = Quantity::whole(Unit::Count, value, formula);
    quantity.compound = false;
    Ok(quantity)
}

pub(super) fn blocks(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Count, n(call.need("seq")?).ceil_div(call.whole_or("block", 16)?))
}

/// Token places of the last block that stay empty.
pub(super) fn block_waste(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (seq, block) = (call.need("seq")?, call.whole_or("block", 16)?);
    let value = ledger(call, (n(seq).ceil_div(block) * n(block)).finish("block_waste"))?.0 - seq;
    let text = format!("⌈{} ÷ {}⌉ × {} − {}", n(seq).text(), n(block).text(), n(block).text(), n(seq).text());
    Ok(Quantity::whole(Unit::Count, value, text))
}
