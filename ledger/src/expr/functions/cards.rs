//! What a card has.

use super::{Arguments, ExprError, Quantity, Unit, whole};
use crate::{catalogue::Speed, formula::b, units};

pub(super) fn card_capacity(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, b(call.card()?.capacity_bytes))
}

fn speed(call: &Arguments<'_>) -> Result<Speed, ExprError> {
    let card = call.card()?;
    card.speed.ok_or_else(|| ExprError::NotKnown { at: call.at, what: format!("the rates of {}", card.id) })
}

/// Operations per byte at which arithmetic begins to limit: dense rate ÷ memory bandwidth.
pub(super) fn ridge(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (speed, format) = (speed(call)?, call.word("dtype", "bf16")?);
    let unknown = || ExprError::NotKnown { at: call.at, what: format!("the dense {format} rate of that card") };
    let (rate, ridge) = (speed.dense_rate(format).ok_or_else(unknown)?, speed.ridge(format).ok_or_else(unknown)?);
    let formula = format!("{} ÷ {}", units::group(rate), b(speed.memory).text());
    Ok(Quantity::real(Unit::Ratio, ridge, formula))
}

/// Bytes per second by data sheet, one way: to the card's memory (`memory`), to the host over PCIe (`pcie`) or over
/// NVLink-C2C (`c2c`), to other cards (`nvlink`).
fn rate(call: &Arguments<'_>) -> Result<u64, ExprError> {
    let (speed, link) = (speed(call)?, call.word("link", "pcie")?);
    let rate = match link {
        "memory" => Some(speed.memory),
        "pcie" => speed.pcie,
        "c2c" => speed.c2c,
        "nvlink" => speed.nvlink,
        other => {
            return Err(ExprError::UnknownValue {
                at: call.at,
                name: "link".to_owned(),
                what: "link",
                found: other.to_owned(),
                known: "memory, pcie, c2c, nvlink".to_owned(),
            });
        }
    };
    rate.ok_or_else(|| ExprError::NotKnown { at: call.at, what: format!("the {link} rate of that card") })
}

/// What a link moves in one second, one way.
pub(super) fn link_rate(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    whole(call, Unit::Bytes, b(rate(call)?))
}

/// The only operand, which must be bytes.
fn bytes(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let bytes = super::super::join::single(call)?;
    match bytes.unit {
        Unit::Bytes => Ok(bytes),
        other => Err(ExprError::UnitMismatch {
            at: call.at,
            function: call.function,
            left: Unit::Bytes.name(),
            right: other.name(),
        }),
    }
}

/// Seconds that an operand of bytes takes over one of the links of [`rate`].
pub(super) fn transfer_time(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (bytes, rate) = (bytes(call)?, rate(call)?);
    let formula = format!("{} ÷ {}/s", bytes.inner(), b(rate).text());
    Ok(Quantity::real(Unit::Seconds, bytes.value / rate as f64, formula))
}

/// Cards on which an operand of bytes fits if it can be divided at will and nothing else is there: a lower bound.
pub(super) fn cards_needed(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let (bytes, capacity) = (bytes(call)?, call.card()?.capacity_bytes);
    let cards = match bytes.exact {
        Some(exact) => exact.div_ceil(capacity),
        None => (bytes.value / capacity as f64).ceil() as u64,
    };
    let mut cards = Quantity::whole(Unit::Count, cards, format!("⌈{} ÷ {}⌉", bytes.inner(), b(capacity).text()));
    cards.compound = false;
    Ok(cards)
}
