//! What a small calculator answers: named lines with their arithmetic, curves, and the assumptions they rest on.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use super::Plot;
use crate::{LedgerError, Text, formula::Term, units};

/// A value with its unit. Bytes, counts and operations are exact; seconds and ratios are estimates or quotients.
///
/// ```
/// use ledger::calculators::Quantity;
/// assert_eq!(Quantity::Bytes(3 << 29).to_string(), "1.50 GiB");
/// assert_eq!(Quantity::Operations(989_400_000_000_000).to_string(), "989.4 TFLOP");
/// assert_eq!(Quantity::Seconds(0.0032).to_string(), "3.20 ms");
/// assert_eq!(Quantity::BytesPerSecond(63.015e9).to_string(), "63.02 GB/s");
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "unit", content = "value", rename_all = "snake_case")]
pub enum Quantity {
    Bytes(u64),
    Count(u64),
    /// Floating-point operations; a multiply-add counts as two.
    Operations(u64),
    Seconds(f64),
    BytesPerSecond(f64),
    Ratio(f64),
}

impl fmt::Display for Quantity {
    /// Rounded for reading: `1.50 GiB`, `12`, `989.4 TFLOP`, `3.20 ms`, `63.02 GB/s`, `53.200`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Quantity::Bytes(bytes) => f.write_str(&units::human_binary(bytes)),
            Quantity::Count(count) => f.write_str(&units::group(count)),
            Quantity::Operations(count) => {
                let steps = [(1_000_000_000_000, "TFLOP"), (1_000_000_000, "GFLOP"), (1_000_000, "MFLOP")];
                match steps.into_iter().find(|(unit, _)| count >= *unit) {
                    Some((unit, name)) => write!(f, "{} {name}", units::decimal(count, unit, 1)),
                    None => write!(f, "{} FLOP", units::group(count)),
                }
            }
            Quantity::Seconds(seconds) => {
                let steps = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
                let (unit, name) = steps.into_iter().find(|(unit, _)| seconds.abs() >= *unit).unwrap_or((1e-9, "ns"));
                write!(f, "{:.2} {name}", seconds / unit)
            }
            Quantity::BytesPerSecond(rate) => write!(f, "{:.2} GB/s", rate / 1e9),
            Quantity::Ratio(ratio) => write!(f, "{ratio:.3}"),
        }
    }
}

/// One result.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// A slug, unique in its sheet.
    pub id: Cow<'static, str>,
    pub name: Text,
    #[serde(flatten)]
    pub quantity: Quantity,
    /// The arithmetic with its numbers filled in; language-neutral.
    pub formula: String,
}

/// The whole answer.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    pub lines: Vec<Line>,
    /// Curves of the answer.
    pub plots: Vec<Plot>,
    /// What the lines take for granted; never empty.
    pub assumptions: Vec<Text>,
    /// The answer in one sentence, where the calculator decides something.
    pub verdict: Option<Text>,
}

/// A number in a formula: seven significant digits, so that the reader gets the value again.
pub(super) fn figure(value: f64) -> String {
    let above = if value == 0.0 { 0 } else { value.abs().log10().floor() as i64 };
    format!("{value:.*}", usize::try_from(6 - above).unwrap_or(0).min(24))
}

/// A rate in `unit` per second, and the share of it that is reached.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    pub per_second: u64,
    pub unit: &'static str,
    pub share: f64,
}

impl Rate {
    pub fn bytes(per_second: u64) -> Self {
        Self { per_second, unit: "B", share: 1.0 }
    }

    pub fn operations(per_second: u64, share: f64) -> Self {
        Self { per_second, unit: "FLOP", share }
    }

    fn text(self) -> String {
        let full = format!("{} {}/s", units::group(self.per_second), self.unit);
        if self.share == 1.0 { full } else { format!("({full} × {})", self.share) }
    }

    fn effective(self) -> f64 {
        self.per_second as f64 * self.share
    }
}

impl Sheet {
    /// The line of that id.
    pub fn line(&self, id: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.id == id)
    }

    pub(super) fn push(
        &mut self,
        id: impl Into<Cow<'static, str>>,
        name: (&'static str, &'static str),
        quantity: Quantity,
        formula: String,
    ) {
        self.lines.push(Line { id: id.into(), name: Text::new(name.0, name.1), quantity, formula });
    }

    fn exact(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        term: Term,
        quantity: fn(u64) -> Quantity,
    ) -> Result<u64, LedgerError> {
        let (value, formula) = term.finish(id)?;
        self.push(id, name, quantity(value), formula);
        Ok(value)
    }

    pub(crate) fn bytes(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        term: Term,
    ) -> Result<u64, LedgerError> {
        self.exact(id, name, term, Quantity::Bytes)
    }

    pub(crate) fn count(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        term: Term,
    ) -> Result<u64, LedgerError> {
        self.exact(id, name, term, Quantity::Count)
    }

    pub(super) fn operations(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        term: Term,
    ) -> Result<u64, LedgerError> {
        self.exact(id, name, term, Quantity::Operations)
    }

    /// `amount ÷ rate`. Ranges of the inputs keep the rate above zero.
    pub(super) fn seconds(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        amount: u64,
        rate: Rate,
    ) -> f64 {
        let seconds = amount as f64 / rate.effective();
        let formula = format!("{} {} ÷ {}", units::group(amount), rate.unit, rate.text());
        self.push(id, name, Quantity::Seconds(seconds), formula);
        seconds
    }

    /// `above ÷ below`, both exact; a divisor of zero gives zero.
    pub(super) fn ratio(
        &mut self,
        id: &'static str,
        name: (&'static str, &'static str),
        above: u64,
        below: u64,
    ) -> f64 {
        let ratio = if below == 0 { 0.0 } else { above as f64 / below as f64 };
        let formula = format!("{} ÷ {}", units::group(above), units::group(below));
        self.push(id, name, Quantity::Ratio(ratio), formula);
        ratio
    }

    pub(crate) fn assume(&mut self, zh: &'static str, en: &'static str) {
        self.assumptions.push(Text::new(zh, en));
    }

    pub(super) fn decide(&mut self, zh: impl Into<Cow<'static, str>>, en: impl Into<Cow<'static, str>>) {
        self.verdict = Some(Text::new(zh, en));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_seven_digits() {
        let cases = [(0.0, "0.000000"), (4.369_066_7e-7, "0.0000004369067"), (12.5, "12.50000"), (1e9, "1000000000")];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
    }
}
