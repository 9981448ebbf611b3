//! The small language in which lessons ask for numbers.
//!
//! `function key=value …`; a value is a number or a `"text"`; operands of the joining functions are expressions in
//! parentheses or, for `times`, plain numbers:
//!
//! ```
//! let kv = ledger::expr::evaluate(r#"kv_cache model="Llama-3-8B" seq=8192 dtype="bf16""#)?;
//! assert_eq!((kv.text.as_str(), kv.exact.as_str()), ("1.00 GiB", "1,073,741,824 B"));
//! assert_eq!(kv.formula, "2 × 32 × 8 × 128 × 2 B × 8,192 × 1");
//!
//! let share = ledger::expr::evaluate(
//!     r#"percent (kv_cache model="Llama-3-8B" seq=131072) (weights model="Llama-3-8B")"#,
//! )?;
//! assert_eq!(share.text, "107.0%");
//! # Ok::<(), ledger::expr::ExprError>(())
//! ```
//!
//! | function | arguments besides `as`, `digits` | value |
//! |---|---|---|
//! | `params`, `active_params`, `layers`, `hidden`, `heads`, `kv_heads`, `head_dim`, `vocab`, `intermediate` | `model` | count |
//! | `lora_params` | `model rank targets="q,v"` | count |
//! | `weights` | `model dtype` | bytes |
//! | `kv_per_token`, `kv_cache` | `model dtype` (or `kv`), `seq batch` | bytes |
//! | `train_states`, `optimizer_floor` | `model precision optimizer` | bytes |
//! | `train_peak`, `activations` | `model precision optimizer batch seq checkpointing` | bytes |
//! | `logits` | `model`, `tokens` or `batch seq` | bytes |
//! | `attention_scores` | `model dtype seq batch`: one layer | bytes |
//! | `zero_states` | `model stage ranks` | bytes |
//! | `bytes_per_param` | `precision optimizer` | bytes |
//! | `card_capacity` | `card` | bytes |
//! | `ridge` | `card dtype`: operations per byte | ratio |
//! | `link_rate` | `card link="memory\|pcie\|c2c\|nvlink"`: one way, per second | bytes |
//! | `transfer_time (bytes)` | `card link` | seconds |
//! | `cards_needed (bytes)` | `card`: rounded up, a lower bound | count |
//! | `gguf`, `gguf_bits` | `model mixture="Q4_K_M"`: tensor data; bits per weight | bytes, ratio |
//! | `image_tokens` | `side patch`, `class=1` with a class token | count |
//! | `score_matrix` | `seq dtype`: one head, one sequence | bytes |
//! | `flash_tile` | `q kv head_dim dtype stages`, `output=1` holds the output | bytes |
//! | `segment` | `size` in bytes: what the caching allocator asks from the driver | bytes |
//! | `longest_context`, `largest_batch` | `model card weights kv batch seq reserve_gib` | count |
//! | `blocks`, `block_waste` | `seq block` | count |
//! | `ratio`, `percent`, `difference` | two expressions | |
//! | `sum`, `times` | expressions, for `times` also numbers | |
//!
//! A number that no ledger computes is refused: it belongs into the text, with its source.

mod arguments;
mod error;
mod format;
mod functions;
mod join;
mod parse;
mod quantity;

pub use error::ExprError;
use format::Wish;
use parse::{Node, Value};
use quantity::{Quantity, Unit};

/// The value of an expression, ready for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// In the unit asked for, rounded half up: `1.00 GiB`.
    pub text: String,
    /// Without rounding: `1,073,741,824 B`. Ratios are given to six decimals.
    pub exact: String,
    /// The arithmetic with its numbers filled in.
    pub formula: String,
    /// The number in its base unit: bytes, counts, ratio or per cent.
    pub value: f64,
}

const EXAMPLE: &str = r#"kv_cache model="Llama-3-8B" seq=8192"#;

/// Evaluates an expression.
///
/// Without `as=`, bytes are shown in GiB with two decimals, below 1 GiB in the largest binary unit that leaves at
/// least 1; counts are grouped; ratios have two decimals and percentages one. `digits=` (0 to 9) changes that.
///
/// # Errors
/// [`ExprError`], which names the position (characters from 1) and lists what exists.
pub fn evaluate(source: &str) -> Result<Computed, ExprError> {
    let node = parse::parse(source)?;
    if let Node::Call { at, name, .. } = &node {
        functions::find(*at, name)?;
    }
    if !node.asks_ledger() {
        return Err(ExprError::OnlyTypedNumber { source_text: source.trim().to_owned(), example: EXAMPLE });
    }
    let wish = functions::wish(&node)?;
    let quantity = functions::value_of(&node)?;
    Ok(Computed {
        text: format::text(&quantity, &wish)?,
        exact: format::exact(&quantity),
        value: quantity.value,
        formula: quantity.formula,
    })
}

/// The functions that exist, in the order of the documentation.
pub fn function_names() -> Vec<&'static str> {
    functions::names().collect()
}
