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

/// The limit and the division that gives it: what is left of the card ÷ what one more takes.
fn limit(
    call: &Arguments<'_>,
    found: Option<u64>,
    fit: &inference::Fit,
    workload: &inference::Inference,
) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let weights = ledger(call, inference::weights(model, workload.weights))?.bytes;
    let cache = |batch, seq| ledger(call, inference::kv_bytes(model, workload.kv, batch, seq));
    let by_batch = call.function == "largest_batch";
    let one = if by_batch { cache(1, workload.seq)? } else { cache(workload.batch, 1)? };
    let room = fit.capacity.saturating_sub(weights).saturating_sub(workload.reserve);
    let value = found.ok_or_else(|| ExprError::DoesNotFit {
        at: call.at,
        function: call.function,
        shortfall: format!("{} are left, {} are needed for one", b(room).text(), b(one).text()),
    })?;
    let mut taken = vec![weights];
    if workload.reserve > 0 {
        taken.push(workload.reserve);
    }
    let mut per = one;
    if let Some(window) = model.window.filter(|window| !by_batch && value >= window.tokens) {
        // Beyond the window only the other layers grow.
        if window.layers == model.layers {
            return whole(call, Unit::Count, n(model.max_positions));
        }
        per = cache(workload.batch, window.tokens + 1)? - cache(workload.batch, window.tokens)?;
        taken.push(cache(workload.batch, window.tokens)? - per * window.tokens);
    }
    let taken: String = taken.into_iter().map(|bytes| format!(" − {}", b(bytes).text())).collect();
    let formula = format!("⌊({}{taken}) ÷ {}⌋", b(fit.capacity).text(), b(per).text());
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
