//! The units of answers.

use serde::{Deserialize, Serialize};

use crate::{Text, units};

/// What an answer is counted in.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillUnit))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Kib,
    Mib,
    Gib,
    Tokens,
    /// Requests, cards: whole things.
    Count,
}

impl Unit {
    /// The largest that leaves at least 1; KiB for less.
    pub(super) const fn of_bytes(bytes: u64) -> Self {
        match bytes {
            units::GIB.. => Unit::Gib,
            units::MIB.. => Unit::Mib,
            _ => Unit::Kib,
        }
    }

    /// Bytes, or things, in one.
    pub const fn size(self) -> u64 {
        match self {
            Unit::Kib => units::KIB,
            Unit::Mib => units::MIB,
            Unit::Gib => units::GIB,
            Unit::Tokens | Unit::Count => 1,
        }
    }

    pub(super) const fn is_bytes(self) -> bool {
        !matches!(self, Unit::Tokens | Unit::Count)
    }

    /// The unit as it stands behind a number; empty for a plain count.
    pub fn name(self) -> Text {
        let (zh, en) = match self {
            Unit::Kib => ("KiB", "KiB"),
            Unit::Mib => ("MiB", "MiB"),
            Unit::Gib => ("GiB", "GiB"),
            Unit::Tokens => ("个 token", "tokens"),
            Unit::Count => ("", ""),
        };
        Text::new(zh, en)
    }
}

/// Three significant digits, thousands grouped: `0.24`, `14.9`, `1,234`.
pub(super) fn three(value: f64) -> String {
    if value >= 99.95 {
        return units::group(value.round() as u64);
    }
    let text = if value >= 9.995 { format!("{value:.1}") } else { format!("{value:.2}") };
    match text.split_once('.') {
        Some((whole, "0" | "00")) => whole.to_owned(),
        _ => text,
    }
}

/// Bytes with three significant digits, in the unit in which one would ask.
pub(super) fn about(bytes: f64) -> String {
    let unit = Unit::of_bytes(bytes as u64);
    format!("{} {}", three(bytes / unit.size() as f64), unit.name().en)
}
