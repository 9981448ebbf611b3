//! A number with its unit on the way through an expression.

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    /// Parameters, tokens, layers, sequences, blocks …
    Count,
    Ratio,
    Percent,
    Seconds,
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Count => "a count",
            Unit::Ratio => "a ratio",
            Unit::Percent => "a percentage",
            Unit::Seconds => "a time",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Quantity {
    pub unit: Unit,
    pub value: f64,
    /// The integer behind `value`, as long as it is one.
    pub exact: Option<u64>,
    pub formula: String,
    /// The formula is a sum or product that wants parentheses inside another.
    pub compound: bool,
}

impl Quantity {
    pub(super) fn whole(unit: Unit, value: u64, formula: String) -> Self {
        let compound = formula.contains([' ']) && !is_plain(&formula);
        Self { unit, value: value as f64, exact: Some(value), formula, compound }
    }

    pub(super) fn real(unit: Unit, value: f64, formula: String) -> Self {
        Self { unit, value, exact: None, formula, compound: true }
    }

    pub(super) fn inner(&self) -> String {
        if self.compound { format!("({})", self.formula) } else { self.formula.clone() }
    }
}

/// `1,024` or `1,024 B`: no parentheses needed.
fn is_plain(formula: &str) -> bool {
    formula.strip_suffix(" B").unwrap_or(formula).chars().all(|letter| letter.is_ascii_digit() || letter == ',')
}
