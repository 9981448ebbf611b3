//! The levels of an axis: absolute, or relative to the baseline.

use std::fmt;

use super::{Axis, BudgetError};
use crate::import::MIB;

/// Levels of one axis at most: three axes of ten make a thousand scenarios.
pub const MAX_LEVELS: usize = 10;
/// A longer list is none.
const MAX_LIST: usize = 400;
/// 2 TB in MiB: no card has more, and bytes that were meant as MiB are told apart.
const MAX_CAP_MIB: f64 = 2_000_000.0;
const MAX_RATE: f64 = 1e9;
const MAX_LOSS: f64 = 1e6;
const MAX_TIMES: f64 = 100.0;

/// One level of an axis.
///
/// Written as `9500` (MiB for the cap, samples per second for the throughput, nats for the loss), as `0.7x` (times
/// the baseline's own) or as `+2%` (the baseline's own and so much more; the sign may be left out).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Level {
    Absolute(f64),
    Times(f64),
    Percent(f64),
}

impl Level {
    /// Reads one level of an axis.
    ///
    /// # Errors
    /// [`BudgetError::Level`] when it is no number, or out of the axis's range.
    pub fn parse(text: &str, axis: Axis) -> Result<Self, BudgetError> {
        let text = text.trim();
        let refuse = || BudgetError::Level { axis, found: text.chars().take(40).collect() };
        let number = |digits: &str| digits.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let level = if let Some(digits) = text.strip_suffix('%') {
            let percent = number(digits).filter(|p| (-99.9..=10_000.0).contains(p));
            Level::Percent(percent.ok_or_else(refuse)?)
        } else if let Some(digits) = text.strip_suffix(['x', 'X', '×']) {
            Level::Times(number(digits).filter(|times| *times > 0.0 && *times <= MAX_TIMES).ok_or_else(refuse)?)
        } else {
            let most = match axis {
                Axis::Memory => MAX_CAP_MIB,
                Axis::Throughput => MAX_RATE,
                Axis::Loss => MAX_LOSS,
            };
            let least = if axis == Axis::Memory { f64::MIN_POSITIVE } else { 0.0 };
            Level::Absolute(number(text).filter(|level| (least..=most).contains(level)).ok_or_else(refuse)?)
        };
        Ok(level)
    }

    /// Its number; relative ones need the baseline's own, in the axis's unit (bytes for the cap).
    pub(super) fn resolve(self, axis: Axis, baseline: Option<f64>) -> Option<f64> {
        match self {
            Level::Absolute(mib) if axis == Axis::Memory => Some(mib * MIB),
            Level::Absolute(level) => Some(level),
            Level::Times(times) => Some(baseline? * times),
            Level::Percent(percent) => Some(baseline? * (1.0 + percent / 100.0)),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Absolute(level) => write!(f, "{level}"),
            Level::Times(times) => write!(f, "{times}x"),
            Level::Percent(percent) => write!(f, "{percent:+}%"),
        }
    }
}

/// The three axes of a grid. An axis without levels limits nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    pub caps: Vec<Level>,
    pub rates: Vec<Level>,
    pub losses: Vec<Level>,
}

impl Default for Axes {
    /// The grid that the course recommends: caps of 9,500, 10,000 and 11,200 MiB; 0.5, 0.7 and 0.9 of the baseline's
    /// throughput; 1, 2 and 5 % above its loss.
    fn default() -> Self {
        Self {
            caps: [9500.0, 10_000.0, 11_200.0].map(Level::Absolute).to_vec(),
            rates: [0.5, 0.7, 0.9].map(Level::Times).to_vec(),
            losses: [1.0, 2.0, 5.0].map(Level::Percent).to_vec(),
        }
    }
}

impl Axes {
    /// Reads lists as people type them, separated by commas or spaces. An axis that is not given keeps the
    /// recommended levels; one that is given and empty limits nothing.
    ///
    /// # Errors
    /// [`BudgetError::Level`] and [`BudgetError::TooMany`], with the axis.
    pub fn read(caps: Option<&str>, rates: Option<&str>, losses: Option<&str>) -> Result<Self, BudgetError> {
        let default = Self::default();
        let list = |text: Option<&str>, axis, default| text.map_or(Ok(default), |text| levels(text, axis));
        Ok(Self {
            caps: list(caps, Axis::Memory, default.caps)?,
            rates: list(rates, Axis::Throughput, default.rates)?,
            losses: list(losses, Axis::Loss, default.losses)?,
        })
    }

    pub fn of(&self, axis: Axis) -> &[Level] {
        match axis {
            Axis::Memory => &self.caps,
            Axis::Throughput => &self.rates,
            Axis::Loss => &self.losses,
        }
    }

    /// An axis as it is typed.
    pub fn text(&self, axis: Axis) -> String {
        self.of(axis).iter().map(Level::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn levels(text: &str, axis: Axis) -> Result<Vec<Level>, BudgetError> {
    if text.len() > MAX_LIST {
        return Err(BudgetError::TooMany { axis, limit: MAX_LEVELS });
    }
    let parts = text.split([',', '，', '、', ';', ' ', '\n', '\t', '\r']).filter(|part| !part.is_empty());
    let levels = parts.map(|part| Level::parse(part, axis)).collect::<Result<Vec<Level>, _>>()?;
    if levels.len() > MAX_LEVELS {
        return Err(BudgetError::TooMany { axis, limit: MAX_LEVELS });
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_written() {
        let axes = Axes::read(None, Some("1.5, 0.7x  90%"), Some("")).expect("axes");
        assert_eq!(axes.rates, [Level::Absolute(1.5), Level::Times(0.7), Level::Percent(90.0)]);
        assert_eq!((axes.caps.len(), axes.losses.len()), (3, 0));
        for axis in Axis::ALL {
            let text = Axes::default().text(axis);
            assert_eq!(levels(&text, axis).expect("levels"), Axes::default().of(axis), "{text}");
        }
    }

    #[test]
    fn what_is_no_level_is_refused_with_its_axis() {
        for (text, axis) in [
            ("many", Axis::Memory),
            ("0", Axis::Memory),
            ("1e400", Axis::Memory),
            ("10257825792", Axis::Memory),
            ("NaN", Axis::Loss),
            ("-1", Axis::Throughput),
            ("0x", Axis::Throughput),
            ("-100%", Axis::Loss),
            ("%", Axis::Loss),
            ("<script>", Axis::Loss),
        ] {
            let refused = levels(text, axis).expect_err(text);
            assert!(matches!(refused, BudgetError::Level { axis: found, .. } if found == axis), "{text}: {refused}");
        }
        let many = ["1"; MAX_LEVELS + 1].join(",");
        assert!(matches!(levels(&many, Axis::Loss), Err(BudgetError::TooMany { .. })));
    }
}
