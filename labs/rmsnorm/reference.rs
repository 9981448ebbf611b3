//! The reference: RMSNorm in f64, and the comparison of every element with it.

use super::config::{Config, EPS};
use crate::run::Random;
use crate::run::study::{Checked, Outputs, Subject, Variant, Wrong};

/// Largest relative error that counts as right. Rounding errors of a sum of n terms over 16 lanes grow like √(n / 16) × 2^-24 in
/// practice: 4e-6 at the longest row allowed; five more roundings follow. A kernel that leaves out `eps` or mixes up rows is off by
/// far more.
pub const TOLERANCE: f64 = 2e-5;

/// Input contents on the host.
pub struct Inputs {
    x: Vec<f32>,
    weight: Vec<f32>,
    random: Random,
}

impl Inputs {
    pub fn of(config: &Config) -> Self {
        let (x, weight) = (vec![0.0; config.elements()], vec![0.0; config.hidden as usize]);
        Self { x, weight, random: Random::new(config.seed) }
    }

    /// The largest relative error over every element of `y`.
    fn worst(&self, y: &[f32]) -> Result<f64, Wrong> {
        let hidden = self.weight.len().max(1);
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
                    return Err(Wrong::NotWritten { part: "output".to_owned(), index: index * hidden + column });
                }
                worst = worst.max(error);
            }
        }
        Ok(worst)
    }
}

impl Subject for Inputs {
    /// Rows differ in magnitude by powers of two, so that a row scaled with another row's root is caught.
    fn renew(&mut self) {
        self.random.fill_signed(&mut self.x);
        for row in self.x.chunks_mut(self.weight.len().max(1)) {
            let scale = f32::powi(2.0, (self.random.next_u64() % 9) as i32 - 4);
            row.iter_mut().for_each(|value| *value *= scale);
        }
        self.random.fill_signed(&mut self.weight);
        self.weight.iter_mut().for_each(|weight| *weight = 1.0 + 0.5 * *weight);
    }

    fn nudge(&mut self) -> bool {
        let middle = self.x.len() / 2;
        self.x.get_mut(middle).map(|value| *value = *value * 0.5 + 1.0).is_some()
    }

    fn input(&self, part: &str) -> Option<&[u32]> {
        match part {
            "input" => Some(bytemuck::cast_slice(&self.x)),
            "weight" => Some(bytemuck::cast_slice(&self.weight)),
            _ => None,
        }
    }

    fn check(&self, _variant: &Variant, outputs: &Outputs) -> Result<Checked, Wrong> {
        let error = self.worst(outputs.floats("output", self.x.len())?)?;
        if error > TOLERANCE {
            return Err(Wrong::Error { relative: error, tolerance: TOLERANCE });
        }
        Ok(Checked { error, lost: None })
    }
}
