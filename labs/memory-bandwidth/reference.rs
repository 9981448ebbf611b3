//! The reference: every number rounded by 64-bit arithmetic, not by the bits of the kernels; a copy bit by bit.

use super::variant::{Conversion, Format};
use crate::run::Random;
use crate::run::formats::{from_bf16, from_e4m3};
use crate::run::study::{Checked, Outputs, Subject, Variant, Wrong};

/// Rounding is exact or wrong.
pub const TOLERANCE: f64 = 0.0;

pub struct Inputs {
    values: Vec<f32>,
    bf16: Vec<u32>,
    fp8: Vec<u32>,
    random: Random,
}

impl Inputs {
    pub fn new(elements: usize, seed: u64) -> Self {
        Self {
            values: vec![0.0; elements],
            bf16: vec![0; elements.div_ceil(2)],
            fp8: vec![0; elements.div_ceil(4)],
            random: Random::new(seed),
        }
    }
}

/// Round to nearest even with so many bits of mantissa and this smallest normal exponent; above `top` it saturates.
fn nearest(value: f64, mantissa: i32, smallest: i32, top: f64) -> f64 {
    if value == 0.0 {
        return value;
    }
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(smallest);
    let step = 2f64.powi(exponent - mantissa);
    ((value / step).round_ties_even() * step).clamp(-top, top)
}

fn rounded(value: f32, to: Format) -> f64 {
    match to {
        Format::Fp32 => f64::from(value),
        // The inputs are far from its ends.
        Format::Bf16 => nearest(value.into(), 7, -126, f64::INFINITY),
        Format::Fp8 => nearest(value.into(), 3, -6, 448.0),
    }
}

fn read(words: &[u32], index: usize, format: Format) -> f32 {
    let per = format.per_word() as usize;
    let word = words.get(index / per).copied().unwrap_or_default();
    match format {
        Format::Fp32 => f32::from_bits(word),
        Format::Bf16 => from_bf16((word >> (index % 2 * 16)) & 0xFFFF),
        Format::Fp8 => from_e4m3((word >> (index % 4 * 8)) & 0xFF),
    }
}

impl Subject for Inputs {
    /// Magnitudes from far below the smallest number of FP8 to beyond its largest.
    fn renew(&mut self) {
        self.random.fill_signed(&mut self.values);
        for (at, value) in self.values.iter_mut().enumerate() {
            *value *= f32::powi(2.0, at as i32 % 24 - 13);
        }
        // Neither infinite nor NaN: no exponent of BF16, and no magnitude of FP8, is all ones.
        for (words, mask) in [(&mut self.bf16, 0xBFFF_BFFF), (&mut self.fp8, 0xFEFE_FEFE)] {
            words.iter_mut().for_each(|word| *word = self.random.next_u64() as u32 & mask);
        }
        // What lies behind the last number is no input.
        let count = self.values.len();
        for (words, per) in [(&mut self.bf16, 2), (&mut self.fp8, 4)] {
            let rest = count % per;
            if let (Some(last), 1..) = (words.last_mut(), rest) {
                *last &= u32::MAX >> (32 - 32 / per * rest);
            }
        }
    }

    fn input(&self, part: &str) -> Option<&[u32]> {
        match part {
            "source_fp32" => Some(bytemuck::cast_slice(&self.values)),
            "source_bf16" => Some(&self.bf16),
            "source_fp8" => Some(&self.fp8),
            _ => None,
        }
    }

    fn check(&self, variant: &Variant, outputs: &Outputs) -> Result<Checked, Wrong> {
        let part = || variant.parts.last().map(|part| part.slug.clone()).unwrap_or_default();
        let it = Conversion::of(variant).ok_or_else(|| Wrong::Length { part: part(), expected: 1, found: 0 })?;
        let count = self.values.len();
        let target = it.target();
        let found = outputs.words(&target, count.div_ceil(it.to.per_word() as usize))?;
        let source = self.input(&it.source()).unwrap_or_default();
        if it.from == it.to {
            return match source.iter().zip(found).position(|(source, found)| source != found) {
                None => Ok(Checked::default()),
                Some(index) => Err(Wrong::Element {
                    part: target,
                    index,
                    expected: format!("{:#010x}", source[index]),
                    found: format!("{:#010x}", found[index]),
                }),
            };
        }
        let (mut square, mut off) = (0.0, 0.0);
        for index in 0..count {
            let given = read(source, index, it.from);
            let (expected, found) = (rounded(given, it.to), read(found, index, it.to));
            if f64::from(found) != expected {
                let (expected, found) = (expected.to_string(), found.to_string());
                return Err(Wrong::Element { part: target, index, expected, found });
            }
            square += f64::from(given).powi(2);
            off += (expected - f64::from(given)).powi(2);
        }
        // What the narrower format loses, in the mean over all numbers.
        let lost = (square > 0.0).then(|| (off / square).sqrt());
        Ok(Checked { error: 0.0, lost })
    }
}
