//! The functions that exist.

use super::{
    ExprError, Quantity, Unit, Wish,
    arguments::{Arguments, list},
    join,
    parse::Node,
};
use crate::{
    LedgerError, Model,
    formula::{Term, b, n},
    inference,
    training::{self, head_terms, state_terms},
};

/// A function: its name, the arguments that it reads, and what it computes.
struct Function {
    name: &'static str,
    arguments: &'static [&'static str],
    /// It asks a ledger; the others only join.
    quantity: bool,
    compute: fn(&Arguments<'_>) -> Result<Quantity, ExprError>,
}

/// Every function reads these besides its own.
const COMMON: [&str; 2] = ["as", "digits"];
const TRAINING: &[&str] = &["model", "precision", "optimizer", "batch", "seq", "checkpointing"];
const SERVING: &[&str] = &["model", "dtype", "weights", "kv", "batch", "seq", "card", "reserve_gib"];

const fn quantity(
    name: &'static str,
    arguments: &'static [&'static str],
    compute: fn(&Arguments<'_>) -> Result<Quantity, ExprError>,
) -> Function {
    Function { name, arguments, quantity: true, compute }
}

const fn joining(name: &'static str, compute: fn(&Arguments<'_>) -> Result<Quantity, ExprError>) -> Function {
    Function { name, arguments: &[], quantity: false, compute }
}

const FUNCTIONS: &[Function] = &[
    quantity("params", &["model"], params),
    quantity("weights", &["model", "dtype", "weights"], weights),
    quantity("kv_per_token", &["model", "dtype", "kv"], kv_per_token),
    quantity("kv_cache", &["model", "dtype", "kv", "seq", "batch"], kv_cache),
    quantity("train_states", &["model", "precision", "optimizer"], train_states),
    quantity("optimizer_floor", &["model", "precision", "optimizer"], optimizer_floor),
    quantity("train_peak", TRAINING, train_peak),
    quantity("activations", &["model", "precision", "batch", "seq", "checkpointing"], activations),
    quantity("logits", &["model", "tokens", "batch", "seq"], logits),
    quantity("attention_scores", &["model", "dtype", "seq", "batch"], attention_scores),
    quantity("card_capacity", &["card"], card_capacity),
    quantity("longest_context", SERVING, longest_context),
    quantity("largest_batch", SERVING, largest_batch),
    quantity("bytes_per_param", &["precision", "optimizer", "dtype"], bytes_per_param),
    quantity("layers", &["model"], |call| size(call, |model| model.layers)),
    quantity("hidden", &["model"], |call| size(call, |model| model.hidden)),
    quantity("heads", &["model"], |call| size(call, |model| model.heads)),
    quantity("kv_heads", &["model"], |call| size(call, |model| model.kv_heads)),
    quantity("head_dim", &["model"], |call| size(call, |model| model.head_dim)),
    quantity("vocab", &["model"], |call| size(call, |model| model.vocab)),
    quantity("intermediate", &["model"], |call| size(call, |model| model.intermediate)),
    quantity("blocks", &["seq", "block"], blocks),
    quantity("block_waste", &["seq", "block"], block_waste),
    joining("ratio", join::ratio),
    joining("percent", join::percent),
    joining("difference", join::difference),
    joining("sum", join::sum),
    joining("times", join::times),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

pub(super) fn known() -> String {
    list(names())
}

pub(super) fn is_quantity(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.quantity && function.name == name)
}

pub(super) fn find(at: usize, name: &str) -> Result<(), ExprError> {
    function(at, name).map(|_| ())
}

fn function(at: usize, name: &str) -> Result<&'static Function, ExprError> {
    FUNCTIONS.iter().find(|function| function.name == name).ok_or_else(|| ExprError::UnknownFunction {
        at,
        found: name.to_owned(),
        known: known(),
    })
}

fn arguments(node: &Node) -> Result<(Arguments<'_>, &'static Function), ExprError> {
    let Node::Call { at, name, arguments, operands } = node else {
        return Err(ExprError::Empty { known: known() });
    };
    let function = function(*at, name)?;
    let allowed = || function.arguments.iter().chain(COMMON.iter()).copied();
    for argument in arguments {
        if !allowed().any(|known| known == argument.name) {
            return Err(ExprError::UnknownArgument {
                at: argument.at,
                function: function.name,
                found: argument.name.clone(),
                known: list(allowed()),
            });
        }
    }
    if function.quantity && !operands.is_empty() {
        return Err(ExprError::Operands {
            at: *at,
            function: function.name,
            expected: "arguments only, no operands",
            found: operands.len(),
        });
    }
    Ok((Arguments { at: *at, function: function.name, list: arguments, operands }, function))
}

/// How the outermost call wants to be shown.
pub(super) fn wish(node: &Node) -> Result<Wish, ExprError> {
    let (call, _) = arguments(node)?;
    Ok(Wish { unit: call.unit()?, digits: call.digits()? })
}

pub(super) fn value_of(node: &Node) -> Result<Quantity, ExprError> {
    let (call, function) = arguments(node)?;
    (function.compute)(&call)
}

fn ledger<T>(call: &Arguments<'_>, result: Result<T, LedgerError>) -> Result<T, ExprError> {
    result.map_err(|error| ExprError::Ledger { at: call.at, error })
}

fn whole(call: &Arguments<'_>, unit: Unit, term: Term) -> Result<Quantity, ExprError> {
    let (value, formula) = ledger(call, term.finish(call.function))?;
    Ok(Quantity::whole(unit, value, formula))
}

fn size(call: &Arguments<'_>, of: fn(&Model) -> u64) -> Result<Quantity, ExprError> {
    whole(call, Unit::Count, n(of(call.model()?)))
}

fn params(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let (value, formula) = ledger(call, model.parameters_formula())?;
    Ok(Quantity::whole(Unit::Count, value, formula))
}

fn weights(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let entry = ledger(call, inference::weights(call.model()?, call.dtype(&["weights", "dtype"])?))?;
    Ok(Quantity::whole(Unit::Bytes, entry.bytes, entry.formula))
}

fn kv_per_token(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, dtype) = (call.model()?, call.dtype(&["kv", "dtype"])?);
    let (bytes, formula) = ledger(call, inference::per_token_term(model, dtype))?;
    Ok(Quantity::whole(Unit::Bytes, bytes, formula))
}

fn kv_cache(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, dtype) = (call.model()?, call.dtype(&["kv", "dtype"])?);
    ledger(call, model.validate())?;
    whole(call, Unit::Bytes, inference::kv_term(model, dtype, call.whole_or("batch", 1)?, call.need("seq")?))
}

fn train_states(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::states(call.model()?, call.precision()?, call.optimizer()?))?;
    whole(call, Unit::Bytes, term)
}

fn optimizer_floor(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::floor(call.model()?, call.precision()?, call.optimizer()?))?;
    whole(call, Unit::Bytes, term)
}

fn train_peak(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let result = ledger(call, training::ledger(call.model()?, &call.training()?))?;
    let term = result.peak.parts.iter().map(|part| b(part.bytes)).reduce(|sum, next| sum + next);
    whole(call, Unit::Bytes, term.unwrap_or_else(|| b(0)))
}

fn activations(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let term = ledger(call, state_terms::saved(call.model()?, &call.training()?))?;
    whole(call, Unit::Bytes, term)
}

fn logits(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let model = call.model()?;
    let tokens = match call.whole("tokens")? {
        Some(tokens) => tokens,
        None => ledger(call, (n(call.whole_or("batch", 1)?) * n(call.need("seq")?)).finish("tokens"))?.0,
    };
    whole(call, Unit::Bytes, head_terms::log_softmax(model.vocab, tokens))
}

/// The N × N matrix of all layers' heads, one layer at a time: what FlashAttention never writes.
fn attention_scores(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, seq) = (call.model()?, call.need("seq")?);
    let bits = call.dtype(&["dtype"])?.bits();
    whole(call, Unit::Bytes, (n(call.whole_or("batch", 1)?) * n(model.heads) * n(seq) * n(seq)).of_bits(bits))
}

fn card_capacity(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, b(call.card()?.capacity_bytes))
}

fn longest_context(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (model, card, workload) = (call.model()?, call.card()?, call.inference()?);
    let fit = ledger(call, inference::fit(model, &workload, card.capacity_bytes))?;
    limit(call, fit.longest_context, &fit, &workload)
}

fn largest_batch(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    call.need("seq")?;
    let (model, card, workload) = (call.model()?, call.card()?, call.inference()?);
    let fit = ledger(call, inference::fit(model, &workload, card.capacity_bytes))?;
    limit(call, fit.largest_batch, &fit, &workload)
}

fn limit(
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

/// Without a model: the bytes of weight, gradient, states and temporary per parameter, scales left out.
fn bytes_per_param(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, state_terms::per_parameter(call.precision()?, call.optimizer()?))
}

fn blocks(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Count, n(call.need("seq")?).ceil_div(call.whole_or("block", 16)?))
}

/// Token places of the last block that stay empty.
fn block_waste(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (seq, block) = (call.need("seq")?, call.whole_or("block", 16)?);
    let value = ledger(call, (n(seq).ceil_div(block) * n(block)).finish("block_waste"))?.0 - seq;
    let text = format!("⌈{} ÷ {}⌉ × {} − {}", n(seq).text(), n(block).text(), n(block).text(), n(seq).text());
    Ok(Quantity::whole(Unit::Count, value, text))
}
