//! Along one axis, the others fixed: where the decision changes, to the last byte and the last bit.
//!
//! A candidate keeps a limit from some point of the axis on, and the rule depends on nothing but which candidates keep
//! which limits. So the axis falls into pieces with one conclusion each, and their ends are found by halving: the test
//! of a single candidate is the one that the rule uses, tolerance included.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Axis, Conclusion};
use crate::decide::{Limits, fast_enough, fits, good_enough};
use crate::{Candidate, Document, Word};

/// A point of an axis: bytes for memory, a number for the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Amount {
    Bytes(u64),
    Number(f64),
}

impl Amount {
    pub fn bytes(self) -> Option<u64> {
        match self {
            Amount::Bytes(bytes) => Some(bytes),
            Amount::Number(_) => None,
        }
    }

    pub fn number(self) -> Option<f64> {
        match self {
            Amount::Bytes(_) => None,
            Amount::Number(number) => Some(number),
        }
    }
}

/// A stretch of an axis on which word, reason and best candidate stay the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Piece {
    /// The lowest point of it; absent where the axis begins.
    pub from: Option<Amount>,
    /// The highest point of it; absent where the axis has no end.
    pub to: Option<Amount>,
    pub decision: Word,
    pub reason: String,
    pub best: Option<String>,
    /// Whether the report's own limit lies on it.
    pub own: bool,
}

/// A point at which the word of the decision changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Flip {
    pub axis: Axis,
    /// The last point with the decision below it.
    pub last: Amount,
    /// The next representable point: the first with the decision above it.
    pub first: Amount,
    pub below: Word,
    pub above: Word,
    /// The candidates that keep the limit on one side and not on the other.
    pub because: Vec<String>,
}

/// One axis from end to end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Sweep {
    pub axis: Axis,
    /// The report's own limit; absent where it states none.
    pub own: Option<Amount>,
    pub pieces: Vec<Piece>,
    pub flips: Vec<Flip>,
}

/// The points of an axis in order, as integers.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

fn amount(axis: Axis, key: u64) -> Amount {
    match axis {
        Axis::Memory => Amount::Bytes(key),
        Axis::Throughput | Axis::Loss => Amount::Number(number(key)),
    }
}

/// Both ends of an axis. A rate below zero limits nothing, and a loss has no end on either side.
fn ends(axis: Axis) -> (u64, u64) {
    match axis {
        Axis::Memory => (0, u64::MAX),
        Axis::Throughput => (key(0.0), key(f64::MAX)),
        Axis::Loss => (key(f64::MIN), key(f64::MAX)),
    }
}

/// The first point at which `keeps` differs from what it is at the beginning; none when it never does.
fn turn(axis: Axis, keeps: impl Fn(Amount) -> bool) -> Option<u64> {
    let (mut low, mut high) = ends(axis);
    let before = keeps(amount(axis, low));
    if keeps(amount(axis, high)) == before {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if keeps(amount(axis, middle)) == before { low = middle } else { high = middle }
    }
    Some(high)
}

/// The first point at which one candidate begins to keep the limit, or ceases to.
fn turn_of(axis: Axis, candidate: &Candidate) -> Option<u64> {
    let metrics = &candidate.metrics;
    match axis {
        Axis::Memory => {
            let peak = metrics.peak_allocated_bytes?;
            turn(axis, |cap| cap.bytes().is_some_and(|cap| fits(peak, cap)))
        }
        Axis::Throughput => {
            let rate = metrics.samples_per_s?;
            turn(axis, |least| least.number().is_some_and(|least| fast_enough(rate, least)))
        }
        Axis::Loss => {
            let loss = candidate.quality.eval_loss?;
            turn(axis, |most| most.number().is_some_and(|most| good_enough(loss, most)))
        }
    }
}

fn with(own: Limits, axis: Axis, at: Amount) -> Limits {
    match axis {
        Axis::Memory => Limits { cap: at.bytes(), ..own },
        Axis::Throughput => Limits { min_samples_per_s: at.number(), ..own },
        Axis::Loss => Limits { max_eval_loss: at.number(), ..own },
    }
}

fn own_amount(own: &Limits, axis: Axis) -> Option<Amount> {
    match axis {
        Axis::Memory => own.cap.map(Amount::Bytes),
        Axis::Throughput => own.min_samples_per_s.map(Amount::Number),
        Axis::Loss => own.max_eval_loss.map(Amount::Number),
    }
}

/// Where the report's own limit lies: one that is not stated lies where nothing is refused.
fn own_key(own: Option<Amount>, axis: Axis) -> u64 {
    let (low, high) = ends(axis);
    match own {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Number(number)) => key(number).clamp(low, high),
        None if axis == Axis::Throughput => low,
        None => high,
    }
}

/// One axis; none where the limits that stay decide nothing.
pub(super) fn sweep(doc: &Document, own: Limits, axis: Axis) -> Option<Sweep> {
    let (low, high) = ends(axis);
    if !with(own, axis, amount(axis, low)).usable() {
        return None;
    }
    let candidates = &doc.report.candidates;
    let turns: Vec<(Option<u64>, &Candidate)> = candidates.iter().map(|c| (turn_of(axis, c), c)).collect();
    let starts: BTreeSet<u64> = std::iter::once(low).chain(turns.iter().filter_map(|(turn, _)| *turn)).collect();
    let here = own_key(own_amount(&own, axis), axis);
    let (mut pieces, mut flips): (Vec<Piece>, Vec<Flip>) = (Vec::new(), Vec::new());
    let mut starts = starts.into_iter().peekable();
    while let Some(start) = starts.next() {
        let end = starts.peek().map_or(high, |next| next - 1);
        let told = Conclusion::under(doc, &with(own, axis, amount(axis, start)));
        let (to, inside) = ((end < high).then(|| amount(axis, end)), (start..=end).contains(&here));
        match pieces.last_mut() {
            Some(last) if (last.decision, &last.reason, &last.best) == (told.decision, &told.reason, &told.best) => {
                last.to = to;
                last.own |= inside;
                continue;
            }
            Some(last) if last.decision != told.decision => flips.push(Flip {
                axis,
                last: amount(axis, start - 1),
                first: amount(axis, start),
                below: last.decision,
                above: told.decision,
                because: turns.iter().filter(|(turn, _)| *turn == Some(start)).map(|(_, c)| c.name.clone()).collect(),
            }),
            _ => {}
        }
        pieces.push(Piece {
            from: (start > low).then(|| amount(axis, start)),
            to,
            decision: told.decision,
            reason: told.reason,
            best: told.best,
            own: inside,
        });
    }
    Some(Sweep { axis, own: own_amount(&own, axis), pieces, flips })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let numbers = [f64::MIN, -1.0, -5e-324, 0.0, 5e-324, 0.1, 1.0, f64::MAX];
        for pair in numbers.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for n in numbers {
            assert_eq!(number(key(n)), n);
            assert_eq!(number(key(n) + 1), n.next_up());
        }
    }
}
