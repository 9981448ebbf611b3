//! A number that remembers how it was computed.
//!
//! Text and value are built by the same calls, so a formula on a page cannot disagree with the bytes beside it.

use crate::{LedgerError, units};

/// How tightly the outermost operator binds; decides about parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Sum,
    Product,
    Atom,
}

/// A formula with its numbers filled in, and its exact value as long as that fits 64 bits.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    text: String,
    value: Option<u64>,
    rank: Rank,
}

/// A plain number.
pub(crate) fn n(value: u64) -> Term {
    // Room for the factors that commonly follow.
    let mut text = String::with_capacity(64);
    units::group_into(&mut text, value);
    Term { text, value: Some(value), rank: Rank::Atom }
}

/// A number of bytes: `2 B`.
pub(crate) fn b(value: u64) -> Term {
    let mut text = String::with_capacity(64);
    units::group_into(&mut text, value);
    text.push_str(" B");
    Term { text, value: Some(value), rank: Rank::Atom }
}

impl Term {
    fn within(self, rank: Rank) -> String {
        if self.rank < rank { format!("({})", self.text) } else { self.text }
    }

    /// `⌈self ÷ divisor⌉`; a divisor of zero counts as an overflow, as no caller can mean it.
    pub(crate) fn ceil_div(self, divisor: u64) -> Term {
        let value = self.value.filter(|_| divisor > 0).map(|value| value.div_ceil(divisor));
        let text = format!("⌈{} ÷ {}⌉", self.within(Rank::Product), units::group(divisor));
        Term { text, value, rank: Rank::Atom }
    }

    /// `self − other`; a negative result counts as an overflow, as no caller can mean it.
    pub(crate) fn minus(self, other: Term) -> Term {
        let value = self.value.zip(other.value).and_then(|(a, b)| a.checked_sub(b));
        let text = format!("{} − {}", self.text, other.within(Rank::Product));
        Term { text, value, rank: Rank::Sum }
    }

    /// Bytes of `self` numbers of `bits` each, rounded up to whole bytes.
    pub(crate) fn of_bits(self, bits: u64) -> Term {
        match bits % 8 {
            0 => self * b(bits / 8),
            _ => (self * n(bits)).ceil_div(8),
        }
    }

    pub(crate) fn text(self) -> String {
        self.text
    }

    pub(crate) fn value(&self) -> Option<u64> {
        self.value
    }

    /// The bytes and the text, or the named overflow.
    pub(crate) fn finish(self, what: &'static str) -> Result<(u64, String), LedgerError> {
        match self.value {
            Some(value) => Ok((value, self.text)),
            None => Err(LedgerError::Overflow { what, formula: self.text }),
        }
    }
}

/// The product of sizes, without a text unless it overflows.
pub(crate) fn product(what: &'static str, factors: &[u64]) -> Result<u64, LedgerError> {
    factors.iter().try_fold(1u64, |product, factor| product.checked_mul(*factor)).ok_or_else(|| {
        let texts: Vec<String> = factors.iter().map(|factor| units::group(*factor)).collect();
        LedgerError::Overflow { what, formula: texts.join(" × ") }
    })
}

/// The sum of sizes, without a text unless it overflows.
pub(crate) fn sum(what: &'static str, mut terms: impl Iterator<Item = u64>) -> Result<u64, LedgerError> {
    terms.try_fold(0u64, u64::checked_add).ok_or_else(|| LedgerError::Overflow { what, formula: format!("Σ {what}") })
}

impl std::ops::Mul for Term {
    type Output = Term;

    fn mul(self, other: Term) -> Term {
        let value = self.value.zip(other.value).and_then(|(a, b)| a.checked_mul(b));
        let mut text = self.within(Rank::Product);
        text.push_str(" × ");
        text.push_str(&other.within(Rank::Product));
        Term { text, value, rank: Rank::Product }
    }
}

impl std::ops::Add for Term {
    type Output = Term;

    fn add(self, other: Term) -> Term {
        let value = self.value.zip(other.value).and_then(|(a, b)| a.checked_add(b));
        let mut text = self.text;
        text.push_str(" + ");
        text.push_str(&other.text);
        Term { text, value, rank: Rank::Sum }
    }
}
