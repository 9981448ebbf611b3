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

/// Seconds that an operand of bytes takes over the card's memory (`memory`), to the host (`pcie`) or to other cards
/// (`nvlink`), one way, at the data sheet's rate.
pub(super) fn transfer_time(call: &Arguments<'_>) -> Result<Quantity, ExprError> {
    let bytes = super::super::join::single(call)?;
    if bytes.unit != Unit::Bytes {
        return Err(ExprError::UnitMismatch {
            at: call.at,
            function: call.function,
            left: Unit::Bytes.name(),
            right: bytes.unit.name(),
        });
    }
    let (speed, link) = (speed(call)?, call.word("link", "pcie")?);
    let rate = match link {
        "memory" => Some(speed.memory),
        "pcie" => speed.pcie,
        "nvlink" => speed.nvlink,
        other => {
            return Err(ExprError::UnknownValue {
                at: call.at,
                name: "link".to_owned(),
                what: "link",
                found: other.to_owned(),
                known: "memory, pcie, nvlink".to_owned(),
            });
        }
    };
    let rate =
        rate.ok_or_else(|| ExprError::NotKnown { at: call.at, what: format!("the {link} rate of that card") })?;
    let formula = format!("{} ÷ {}/s", bytes.inner(), b(rate).text());
    Ok(Quantity::real(Unit::Seconds, bytes.value / rate as f64, formula))
}
