//! The reference: RMSNorm in f64, and the comparison of every element with it.

use super::config::EPS;
use crate::run::Random;

/// Largest relative error that counts as right. Rounding errors of a sum of n terms over 16 lanes grow like √(n / 16) × 2^-24 in
/// practice: 4e-6 at the longest row allowed; five more roundings follow. A kernel that leaves out `eps` or mixes up rows is off by
/// far more.
pub const TOLERANCE: f64 = 2e-5;

/// Input contents on the host.
pub struct Inputs {
    pub x: Vec<f32>,
    pub weight: Vec<f32>,
    random: Random,
}

impl Inputs {
    pub fn new(elements: usize, hidden: usize, seed: u64) -> Self {
        Self { x: vec![0.0; elements], weight: vec![0.0; hidden], random: Random::new(seed) }
    }

    /// New contents. Rows differ in magnitude by powers of two, so that a row scaled with another row's root is caught.
    pub fn renew(&mut self) {
        self.random.fill_signed(&mut self.x);
        for row in self.x.chunks_mut(self.weight.len().max(1)) {
            let scale = f32::powi(2.0, (self.random.next_u64() % 9) as i32 - 4);
            row.iter_mut().for_each(|value| *value *= scale);
        }
        self.random.fill_signed(&mut self.weight);
        self.weight.iter_mut().for_each(|weight| *weight = 1.0 + 0.5 * *weight);
    }

    /// The largest relative error over every element of `y`.
    pub fn check(&self, y: &[f32]) -> Result<f64, Wrong> {
        let hidden = self.weight.len().max(1);
        if y.len() != self.x.len() {
            return Err(Wrong::Length { expected: self.x.len(), found: y.len() });
        }
        let mut worst = 0.0f64;
        for (index, (row, out)) in self.x.chunks(hidden).zip(y.chunks(hidden)).enumerate() {
            let mean = row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / hidden as f64;
            let inverse = 1.0 / (mean + f64::from(EPS)).sqrt();
            for (column, ((value, weight), found)) in row.iter().zip(&self.weight).zip(out).enumerate() {
                let expected = f64::from(*value) * inverse * f64::from(*weight);
                let found = f64::from(*found);
                // A zero must be met exactly: 0 / MIN_POSITIVE is 0, anything else is huge.
                let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
                if !error.is_finite() {
                    return Err(Wrong::NotWritten { row: index, column });
                }
                worst = worst.max(error);
            }
        }
        if worst > TOLERANCE { Err(Wrong::Error { relative: worst }) } else { Ok(worst) }
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Wrong {
    #[error("{found} elements came back, expected {expected}")]
    Length { expected: usize, found: usize },
    #[error("row {row}, column {column} was not written, or is not a number")]
    NotWritten { row: usize, column: usize },
    #[error("the kernel changed its input {part}")]
    InputChanged { part: &'static str },
    #[error("at {rows} × {hidden}: {wrong}")]
    AtShape { rows: u32, hidden: u32, wrong: Box<Wrong> },
    #[error("relative error {relative:.3e} is above the tolerance {TOLERANCE:.0e}")]
    Error { relative: f64 },
}
