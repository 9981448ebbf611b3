//! The reference in f64. Two questions are kept apart: do the kernels compute what their codes say (else they are wrong), and
//! how far is that from the cache before it was encoded (what the format loses).

use super::config::Config;
use super::format::{Format, Per};
use super::variant::{Stored, label, stored};
use crate::run::Random;
use crate::run::formats::from_bf16;
use crate::run::study::{Checked, Outputs, Subject, Variant, Wrong};

/// Largest error of a sum, relative to the sum of its terms' magnitudes. Sums are split into parts of at most 64 terms or
/// added in a tree: some ten roundings of 2^-24 lie far below; a scale or a head mixed up lies far above.
pub const TOLERANCE: f64 = 1e-5;

pub struct Inputs {
    config: Config,
    key: Vec<f32>,
    value: Vec<f32>,
    query: Vec<f32>,
    weights: Vec<f32>,
    /// What attention gives on the cache as it was.
    exact: Attention,
    random: Random,
}

/// Scores and sums, each with the sum of its terms' magnitudes.
#[derive(Default)]
struct Attention {
    scores: Vec<(f64, f64)>,
    sums: Vec<(f64, f64)>,
}

impl Inputs {
    pub fn new(config: Config) -> Self {
        let (numbers, row) = (config.numbers(), config.row());
        let tall = config.tokens as usize * config.heads as usize;
        Self {
            key: vec![0.0; numbers],
            value: vec![0.0; numbers],
            query: vec![0.0; row],
            weights: vec![0.0; tall],
            exact: Attention::default(),
            random: Random::new(config.seed),
            config,
        }
    }

    fn attend(&self, key: impl Fn(usize) -> f64, value: impl Fn(usize) -> f64) -> Attention {
        let (row, dim, heads) = (self.config.row(), self.config.dim as usize, self.config.heads as usize);
        let mut scores = vec![(0.0, 0.0); self.weights.len()];
        let mut sums = vec![(0.0, 0.0); row];
        let add = |(sum, size): &mut (f64, f64), term: f64| {
            *sum += term;
            *size += term.abs();
        };
        for at in 0..self.key.len() {
            let (token, column) = (at / row, at % row);
            let place = token * heads + column / dim;
            add(&mut scores[place], f64::from(self.query[column]) * key(at));
            add(&mut sums[column], f64::from(self.weights[place]) * value(at));
        }
        Attention { scores, sums }
    }

    /// Reads a side of the cache back, and holds every code against the number that it stands for.
    fn read(&self, side: &str, source: &[f32], stored: Stored, outputs: &Outputs) -> Result<Vec<f64>, Wrong> {
        let label = label(stored);
        let (codes, scales) = (format!("{label}_{side}_codes"), format!("{label}_{side}_scales"));
        let bits = stored.map_or(16, |(format, _)| format.bits());
        let of_word = (32 / bits) as usize;
        let words = outputs.words(&codes, source.len() / of_word)?;
        let code = |at: usize| words[at / of_word] >> (at % of_word * bits as usize) & (u32::MAX >> (32 - bits));
        let differs = |part: &str, index: usize, expected: f64, found: f64| Wrong::Element {
            part: part.to_owned(),
            index,
            expected: expected.to_string(),
            found: found.to_string(),
        };
        let mut read = Vec::with_capacity(source.len());
        let Some((format, per)) = stored else {
            for (at, value) in source.iter().enumerate() {
                let found = f64::from(from_bf16(code(at)));
                // Eight bits of mantissa, one of them not written: half of the last is 2^-9 of the number at most.
                let off = (found - f64::from(*value)).abs();
                if !found.is_finite() || off > f64::from(value.abs()) * 2f64.powi(-8) {
                    return Err(differs(&codes, at, (*value).into(), found));
                }
                read.push(found);
            }
            return Ok(read);
        };
        let (row, dim) = (self.config.row(), self.config.dim as usize);
        let of = |at: usize| per.group(at / row, at % row / dim);
        let expected = tops(source, per, &self.config, of);
        let scales_found = outputs.floats(&scales, expected.len())?;
        for (index, (top, found)) in expected.iter().zip(scales_found).enumerate() {
            let (expected, found) = (f64::from(*top) / f64::from(format.top()), f64::from(*found));
            // A division on a GPU may be off by 2.5 in the last place.
            if !found.is_finite() || (found - expected).abs() > expected * 1e-6 {
                return Err(differs(&scales, index, expected, found));
            }
        }
        for (at, value) in source.iter().enumerate() {
            let scale = f64::from(scales_found[of(at)]);
            let found = scale * f64::from(format.value(code(at)));
            let off = (found - f64::from(*value)).abs();
            // Half a step; a tie may fall to either side where the division is rounded otherwise.
            if !found.is_finite() || off > scale * half_step(format, f64::from(*value) / scale.max(f64::MIN_POSITIVE)) {
                return Err(differs(&codes, at, (*value).into(), found));
            }
            read.push(found);
        }
        Ok(read)
    }
}

/// The largest magnitude of each group.
fn tops(source: &[f32], per: Per, config: &Config, of: impl Fn(usize) -> usize) -> Vec<f32> {
    let mut tops = vec![0.0f32; per.groups(config.tokens, config.heads) as usize];
    for (at, value) in source.iter().enumerate() {
        let top = &mut tops[of(at)];
        *top = top.max(value.abs());
    }
    tops
}

/// How far a code may be from a number that is divided by its scale.
fn half_step(format: Format, scaled: f64) -> f64 {
    let step = match format {
        Format::Int8 | Format::Int4 => 1.0,
        // Three bits of mantissa, and 2^-9 at the low end.
        Format::Fp8 => 2f64.powi(((scaled.abs().to_bits() >> 52) as i32 - 1023).max(-6) - 3),
    };
    step * 0.500_01
}

impl Subject for Inputs {
    fn renew(&mut self) {
        for part in [&mut self.key, &mut self.value, &mut self.query, &mut self.weights] {
            self.random.fill_signed(part);
        }
        // Keys have channels that are larger than the others; values have not.
        let row = self.config.row();
        let outliers = (self.config.outliers as usize).min(row);
        let apart = row / outliers.max(1);
        for keys in self.key.chunks_exact_mut(row) {
            for outlier in 0..outliers {
                keys[outlier * apart] *= self.config.factor as f32;
            }
        }
        // As after a softmax: positive, and about 1 together.
        let even = 1.0 / self.config.tokens as f32;
        self.weights.iter_mut().for_each(|weight| *weight = (1.0 + *weight) * even);
        self.exact = self.attend(|at| self.key[at].into(), |at| self.value[at].into());
    }

    fn input(&self, part: &str) -> Option<&[u32]> {
        let found = match part {
            "k_source" => &self.key,
            "v_source" => &self.value,
            "query" => &self.query,
            "weights" => &self.weights,
            _ => return None,
        };
        Some(bytemuck::cast_slice(found))
    }

    fn check(&self, variant: &Variant, outputs: &Outputs) -> Result<Checked, Wrong> {
        let stored = stored(variant);
        let key = self.read("k", &self.key, stored, outputs)?;
        let value = self.read("v", &self.value, stored, outputs)?;
        let expected = self.attend(|at| key[at], |at| value[at]);
        let (mut error, mut lost) = (0.0f64, 0.0f64);
        for (part, expected, exact) in
            [("scores", &expected.scores, &self.exact.scores), ("sums", &expected.sums, &self.exact.sums)]
        {
            let found = outputs.floats(part, expected.len())?;
            let (mut off, mut size) = (0.0, 0.0);
            for (index, ((found, (expected, terms)), (exact, _))) in found.iter().zip(expected).zip(exact).enumerate() {
                let found = f64::from(*found);
                if !found.is_finite() {
                    return Err(Wrong::NotWritten { part: part.to_owned(), index });
                }
                error = error.max((found - expected).abs() / terms.max(f64::MIN_POSITIVE));
                off += (found - exact).powi(2);
                size += exact.powi(2);
            }
            // The length of the difference in lengths of the exact result.
            lost = lost.max((off / size.max(f64::MIN_POSITIVE)).sqrt());
        }
        if error > TOLERANCE {
            return Err(Wrong::Error { relative: error, tolerance: TOLERANCE });
        }
        Ok(Checked { error, lost: Some(lost) })
    }
}
