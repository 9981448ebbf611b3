//! The functions that exist.

mod cards;
mod models;
mod serving;
mod shapes;
mod training;

use cards::{card_capacity, cards_needed, link_rate, ridge, transfer_time};
use models::{active_params, lora_params, params, size};
use serving::{block_waste, blocks, kv_cache, kv_per_token, largest_batch, longest_context, weights};
use shapes::{flash_tile, gguf, gguf_bits, image_tokens, score_matrix, segment};
use training::{
    activations, attention_scores, bytes_per_param, logits, optimizer_floor, train_peak, train_states, zero_states,
};

use super::{
    ExprError, Quantity, Unit, Wish,
    arguments::{Arguments, list},
    join,
    parse::Node,
};
use crate::{LedgerError, formula::Term};

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
    quantity("active_params", &["model"], active_params),
    quantity("lora_params", &["model", "rank", "targets"], lora_params),
    quantity("zero_states", &["model", "stage", "ranks"], zero_states),
    quantity("ridge", &["card", "dtype"], ridge),
    quantity("link_rate", &["card", "link"], link_rate),
    quantity("image_tokens", &["side", "patch", "class"], image_tokens),
    quantity("score_matrix", &["seq", "dtype"], score_matrix),
    quantity("flash_tile", &["q", "kv", "head_dim", "dtype", "stages", "output"], flash_tile),
    quantity("gguf", &["model", "mixture"], gguf),
    quantity("gguf_bits", &["model", "mixture"], gguf_bits),
    quantity("segment", &["size"], segment),
    Function { name: "transfer_time", arguments: &["card", "link"], quantity: false, compute: transfer_time },
    Function { name: "cards_needed", arguments: &["card"], quantity: false, compute: cards_needed },
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
