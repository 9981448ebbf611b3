//! Numbers on their way into a text.

use std::borrow::Cow;

use super::question::Number;
use crate::{Dtype, LedgerError, Model, Text, units};

/// Remembers every number that a text tells, and writes it.
#[derive(Default)]
pub(super) struct Told(pub Vec<Number>);

impl Told {
    fn push(&mut self, id: &'static str, value: u64, shown: Text) {
        self.0.push(Number { id: Cow::Borrowed(id), value, shown });
    }

    /// As it is, thousands grouped.
    pub fn number(&mut self, id: &'static str, value: u64) -> String {
        let shown = units::group(value);
        self.push(id, value, Text::new(shown.clone(), shown.clone()));
        shown
    }

    /// Three significant digits, in the words of each language for large numbers.
    pub fn large(&mut self, id: &'static str, value: u64) -> Text {
        let (unit, word) = if value >= 1_000_000_000 { (1_000_000_000, "billion") } else { (1_000_000, "million") };
        let zh = format!("{} 亿", significant(value, 100_000_000));
        let shown = Text::new(zh, format!("{} {word}", significant(value, unit)));
        self.push(id, value, shown.clone());
        shown
    }

    /// The parameters of a model.
    pub fn parameters(&mut self, model: &Model) -> Result<(u64, Text), LedgerError> {
        let parameters = model.parameters()?;
        Ok((parameters, self.large("parameters", parameters)))
    }

    /// `BF16`; its value is the bits.
    pub fn format(&mut self, id: &'static str, dtype: Dtype) -> String {
        let shown = dtype.id().to_uppercase();
        self.push(id, dtype.bits(), Text::new(shown.clone(), shown.clone()));
        shown
    }

    /// Layers and key-value heads: what the cache follows from, as the beginning of a sentence.
    pub fn cache(&mut self, model: &Model) -> Text {
        let (name, layers) = (&model.name, self.number("layers", model.layers));
        let (heads, size) = (self.number("kv_heads", model.kv_heads), self.number("head_dim", model.head_dim));
        Text::new(
            format!("{name} 有 {layers} 层，每层 {heads} 个 KV 头，头维度 {size}"),
            format!("{name} has {layers} layers, each with {heads} KV heads of size {size}"),
        )
    }
}

/// `value ÷ unit` with at least three significant digits and two decimals at most.
fn significant(value: u64, unit: u64) -> String {
    let digits = match value / unit {
        100.. => 0,
        10.. => 1,
        1.. => 2,
        _ => 3,
    };
    units::decimal(value, unit, digits)
}
