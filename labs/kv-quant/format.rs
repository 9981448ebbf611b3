//! Number formats of the cache, and which numbers share a scale.

use crate::run::formats::{from_e4m3, to_e4m3};

/// A format with a scale. Its number is what the kernels are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Int8 = 1,
    Fp8 = 2,
    Int4 = 3,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Int8, Self::Fp8, Self::Int4];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Fp8 => "fp8",
            Self::Int4 => "int4",
        }
    }

    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| *format as u32 == number)
    }

    pub const fn bits(self) -> u32 {
        match self {
            Self::Int8 | Self::Fp8 => 8,
            Self::Int4 => 4,
        }
    }

    /// What the largest number of a group becomes.
    pub const fn top(self) -> f32 {
        match self {
            Self::Int8 => 127.0,
            Self::Fp8 => 448.0,
            Self::Int4 => 7.0,
        }
    }

    /// The code of a number that is divided by its scale already.
    pub fn code(self, scaled: f32) -> u32 {
        match self {
            Self::Fp8 => to_e4m3(scaled),
            Self::Int8 | Self::Int4 => {
                let whole = scaled.round_ties_even().clamp(-self.top(), self.top()) as i32;
                whole as u32 & (u32::MAX >> (32 - self.bits()))
            }
        }
    }

    /// The number of a code, still to be multiplied by its scale. Higher bits are left aside.
    pub fn value(self, code: u32) -> f32 {
        match self {
            Self::Fp8 => from_e4m3(code & 0xFF),
            Self::Int8 | Self::Int4 => {
                let unused = 32 - self.bits();
                ((code << unused) as i32 >> unused) as f32
            }
        }
    }
}

/// Which numbers share a scale. A row of the cache is a token, its columns are heads × head size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    Tensor = 0,
    /// One for each token, over all heads.
    Token = 1,
    /// One for each head, over all tokens.
    Head = 2,
}

impl Per {
    pub const ALL: [Self; 3] = [Self::Tensor, Self::Token, Self::Head];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Token => "token",
            Self::Head => "head",
        }
    }

    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|per| *per as u32 == number)
    }

    pub const fn groups(self, tokens: u32, heads: u32) -> u32 {
        match self {
            Self::Tensor => 1,
            Self::Token => tokens,
            Self::Head => heads,
        }
    }

    /// The group of a head of a token.
    pub const fn group(self, token: usize, head: usize) -> usize {
        match self {
            Self::Tensor => 0,
            Self::Token => token,
            Self::Head => head,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::formats::{Code, Granularity, quantise};

    /// The calculator of the course, which has arithmetic of its own, reads the same numbers back.
    #[test]
    fn codes_are_those_of_the_ledger() {
        let (tokens, heads, dim) = (6, 2, 8);
        let values = ledger::formats::with_outliers(tokens, heads * dim, 2, 20.0, 7).expect("an array");
        for (format, code) in [(Format::Int8, Code::Int8), (Format::Fp8, Code::E4m3), (Format::Int4, Code::Int4)] {
            for (per, granularity) in [
                (Per::Tensor, Granularity::Tensor),
                (Per::Token, Granularity::Token),
                (Per::Head, Granularity::Head { width: dim }),
            ] {
                let expected = quantise(&values, tokens, heads * dim, code, granularity).expect("sound");
                let groups = per.groups(tokens as u32, heads as u32) as usize;
                let group = |at: usize| per.group(at / 16, at % 16 / 8);
                let mut tops = vec![0.0f32; groups];
                values.iter().enumerate().for_each(|(at, value)| {
                    tops[group(at)] = tops[group(at)].max(value.abs());
                });
                assert_eq!(expected.loss.scales, groups as u64);
                for (at, (value, expected)) in values.iter().zip(&expected.values).enumerate() {
                    let scale = tops[group(at)] / format.top();
                    let found = scale * format.value(format.code(value / scale));
                    assert!((found - expected).abs() <= expected.abs() * 1e-6, "{format:?} {per:?}: {value}");
                }
            }
        }
    }
}
