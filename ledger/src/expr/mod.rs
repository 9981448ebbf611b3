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
//! assert_eq!(share.text, "107.0 %");
//! # Ok::<(), ledger::expr::ExprError>(())
//! ```
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
