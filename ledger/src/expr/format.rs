//! From a computed quantity to the text of a page.

use super::{
    ExprError,
    quantity::{Quantity, Unit},
};
use crate::units;

/// Names of units and their size.
const SIZES: [(&str, u64); 7] = [
    ("GiB", units::GIB),
    ("GB", units::GB),
    ("MiB", units::MIB),
    ("MB", units::MB),
    ("KiB", units::KIB),
    ("KB", units::KB),
    ("B", 1),
];
const BYTE_NAMES: &str = "GiB, GB, MiB, MB, KiB, KB, B";
const COUNT_NAMES: &str = "count, million, billion";

/// How the author wants to see the result.
pub(super) struct Wish {
    /// Where `as=` stands, and its value.
    pub unit: Option<(usize, String)>,
    pub digits: Option<u32>,
}

/// A number that is not whole: fixed decimals, thousands grouped.
fn fixed(value: f64, digits: u32) -> String {
    let text = format!("{:.*}", digits as usize, value.abs());
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), units::group);
    let sign = if value < 0.0 { "−" } else { "" };
    match rest {
        Some(rest) => format!("{sign}{whole}.{rest}"),
        None => format!("{sign}{whole}"),
    }
}

/// `value ÷ size`, from the exact integer where there is one.
fn scaled(quantity: &Quantity, size: u64, digits: u32) -> String {
    match quantity.exact {
        Some(exact) => units::decimal(exact, size, digits),
        None => fixed(quantity.value / size as f64, digits),
    }
}

pub(super) fn text(quantity: &Quantity, wish: &Wish) -> Result<String, ExprError> {
    let wrong = |known: &str| {
        let (at, found) = wish.unit.clone().unwrap_or_default();
        ExprError::WrongUnit { at, found, unit: quantity.unit.name(), known: known.to_owned() }
    };
    let digits = wish.digits.unwrap_or(2).min(9);
    let name = wish.unit.as_ref().map(|(_, name)| name.as_str());
    match quantity.unit {
        Unit::Bytes => match name {
            None => Ok(match quantity.exact {
                Some(exact) if wish.digits.is_none() && exact < units::GIB => units::human_binary(exact),
                _ => {
                    let (name, size) = match quantity.value.abs() {
                        large if large >= units::GIB as f64 => ("GiB", units::GIB),
                        medium if medium >= units::MIB as f64 => ("MiB", units::MIB),
                        _ => ("KiB", units::KIB),
                    };
                    format!("{} {name}", scaled(quantity, size, digits))
                }
            }),
            Some(name) => {
                let (name, size) =
                    SIZES.into_iter().find(|(known, _)| *known == name).ok_or_else(|| wrong(BYTE_NAMES))?;
                let digits = if size == 1 && quantity.exact.is_some() { 0 } else { digits };
                Ok(format!("{} {name}", scaled(quantity, size, digits)))
            }
        },
        Unit::Count => {
            let whole = if quantity.exact.is_some() { 0 } else { digits };
            match name {
                None | Some("count") => Ok(scaled(quantity, 1, whole)),
                Some("million") => Ok(format!("{} × 10⁶", scaled(quantity, units::MB, digits))),
                Some("billion") => Ok(format!("{} × 10⁹", scaled(quantity, units::GB, digits))),
                Some(_) => Err(wrong(COUNT_NAMES)),
            }
        }
        Unit::Ratio => match name {
            None => Ok(fixed(quantity.value, digits)),
            Some(_) => Err(wrong("no unit")),
        },
        Unit::Seconds => {
            let (name, factor) = match (name, quantity.value) {
                (Some("s"), _) => ("s", 1.0),
                (Some("ms"), _) => ("ms", 1e3),
                (Some("us"), _) => ("µs", 1e6),
                (Some(_), _) => return Err(wrong("s, ms, us")),
                (None, long) if long >= 1.0 => ("s", 1.0),
                (None, middle) if middle >= 1e-3 => ("ms", 1e3),
                (None, _) => ("µs", 1e6),
            };
            Ok(format!("{} {name}", fixed(quantity.value * factor, digits)))
        }
        Unit::Percent => match name {
            None => Ok(format!("{}%", fixed(quantity.value, wish.digits.unwrap_or(1).min(9)))),
            Some(_) => Err(wrong("no unit")),
        },
    }
}

/// The value without rounding to a larger unit.
pub(super) fn exact(quantity: &Quantity) -> String {
    let number = match quantity.exact {
        Some(exact) => units::group(exact),
        None if quantity.value.fract() == 0.0 => fixed(quantity.value, 0),
        None => fixed(quantity.value, 6),
    };
    match quantity.unit {
        Unit::Bytes => format!("{number} B"),
        Unit::Percent => format!("{number}%"),
        Unit::Seconds => format!("{} s", fixed(quantity.value, 9)),
        Unit::Count | Unit::Ratio => number,
    }
}
