//! Eight- and four-bit codes of one number, given the scale of its group.

use serde::{Deserialize, Serialize};

use crate::Text;

/// How one number is stored beside a scale.
///
/// ```
/// use ledger::formats::Code;
/// assert_eq!(Code::from_id("int4_asymmetric").map(|code| (code.bits(), code.has_zero_point())), Some((4, true)));
/// assert_eq!(Code::E4m3.name().en, "FP8 E4M3");
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// −127…127, zero in the middle.
    Int8,
    /// 0…255 with a zero point.
    Int8Asymmetric,
    /// −7…7, zero in the middle.
    Int4,
    /// 0…15 with a zero point.
    Int4Asymmetric,
    /// The sixteen levels of QLoRA's NormalFloat (arXiv 2305.14314, appendix E).
    Nf4,
    /// FP8 with four exponent bits, up to 448, no infinity (OCP 8-bit floating point).
    E4m3,
    /// FP8 with five exponent bits, up to 57,344.
    E5m2,
}

/// Levels of NF4, in units of the group's largest magnitude.
const NF4: [f64; 16] = [
    -1.0,
    -0.696_192_800_998_687_7,
    -0.525_073_051_452_636_7,
    -0.394_917_488_098_144_53,
    -0.284_441_381_692_886_35,
    -0.184_773_430_228_233_34,
    -0.091_050_036_251_544_95,
    0.0,
    0.079_580_299_556_255_34,
    0.160_930_201_411_247_25,
    0.246_112_301_945_686_34,
    0.337_915_241_718_292_24,
    0.440_709_829_330_444_34,
    0.562_617_003_917_694_1,
    0.722_956_836_223_602_3,
    1.0,
];

/// Scale and zero point of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub scale: f64,
    pub zero: f64,
}

impl Code {
    pub const ALL: [Code; 7] =
        [Code::Int8, Code::Int8Asymmetric, Code::Int4, Code::Int4Asymmetric, Code::Nf4, Code::E4m3, Code::E5m2];

    /// The name used in reports and URLs; equal to the serialised form.
    pub const fn id(self) -> &'static str {
        match self {
            Code::Int8 => "int8",
            Code::Int8Asymmetric => "int8_asymmetric",
            Code::Int4 => "int4",
            Code::Int4Asymmetric => "int4_asymmetric",
            Code::Nf4 => "nf4",
            Code::E4m3 => "e4m3",
            Code::E5m2 => "e5m2",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.id() == id)
    }

    /// The choice in words.
    pub fn name(self) -> Text {
        let (zh, en) = self.names();
        Text::new(zh, en)
    }

    pub(crate) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Code::Int8 => ("INT8 对称", "INT8, symmetric"),
            Code::Int8Asymmetric => ("INT8 非对称", "INT8, asymmetric"),
            Code::Int4 => ("INT4 对称", "INT4, symmetric"),
            Code::Int4Asymmetric => ("INT4 非对称", "INT4, asymmetric"),
            Code::Nf4 => ("NF4", "NF4"),
            Code::E4m3 => ("FP8 E4M3", "FP8 E4M3"),
            Code::E5m2 => ("FP8 E5M2", "FP8 E5M2"),
        }
    }

    pub const fn bits(self) -> u64 {
        match self {
            Code::Int4 | Code::Int4Asymmetric | Code::Nf4 => 4,
            _ => 8,
        }
    }

    /// A zero point, in the code's own width, stands beside the scale.
    pub const fn has_zero_point(self) -> bool {
        matches!(self, Code::Int8Asymmetric | Code::Int4Asymmetric)
    }

    /// The largest code of the integers, the largest number of the floats, 1 for the levels of NF4.
    const fn top(self) -> f64 {
        match self {
            Code::Int8 => 127.0,
            Code::Int8Asymmetric => 255.0,
            Code::Int4 => 7.0,
            Code::Int4Asymmetric => 15.0,
            Code::Nf4 => 1.0,
            Code::E4m3 => 448.0,
            Code::E5m2 => 57_344.0,
        }
    }

    /// The scale that maps a group onto the whole range, kept as FP32. A range of zeros has the scale 0.
    pub(super) fn fit(self, low: f64, high: f64) -> Scale {
        if self.has_zero_point() {
            // Zero stays a code of its own: padding and masks are exact.
            let (low, high) = (low.min(0.0), high.max(0.0));
            let scale = f64::from(((high - low) / self.top()) as f32);
            let zero = if scale > 0.0 { (-low / scale).round_ties_even().clamp(0.0, self.top()) } else { 0.0 };
            return Scale { scale, zero };
        }
        Scale { scale: f64::from((low.abs().max(high.abs()) / self.top()) as f32), zero: 0.0 }
    }

    /// Every number that a group with this scale can hold, rising.
    pub(super) fn levels(self, by: Scale) -> Vec<f64> {
        let floats = |mantissa, smallest| {
            let up: Vec<f64> = positive_floats(mantissa, smallest, self.top()).collect();
            up.iter().rev().map(|value| -value).chain(up.iter().skip(1).copied()).collect::<Vec<_>>()
        };
        let integers = |from: i32, to: i32| (from..=to).map(f64::from).collect();
        let top = self.top() as i32;
        let units: Vec<f64> = match self {
            Code::Int8 | Code::Int4 => integers(-top, top),
            Code::Int8Asymmetric | Code::Int4Asymmetric => integers(-(by.zero as i32), top - by.zero as i32),
            Code::Nf4 => NF4.to_vec(),
            Code::E4m3 => floats(3, -6),
            Code::E5m2 => floats(2, -14),
        };
        units.into_iter().map(|unit| unit * by.scale).collect()
    }

    /// The number that is read back.
    pub(super) fn through(self, value: f64, by: Scale) -> f64 {
        if by.scale <= 0.0 {
            return 0.0;
        }
        let scaled = value / by.scale;
        by.scale
            * match self {
                Code::Int8 | Code::Int4 => scaled.round_ties_even().clamp(-self.top(), self.top()),
                Code::Int8Asymmetric | Code::Int4Asymmetric => {
                    (scaled.round_ties_even() + by.zero).clamp(0.0, self.top()) - by.zero
                }
                Code::Nf4 => nearest(scaled),
                Code::E4m3 => float(scaled, 3, -6, self.top()),
                Code::E5m2 => float(scaled, 2, -14, self.top()),
            }
    }
}

/// The numbers of a float with `mantissa` bits from zero upward.
fn positive_floats(mantissa: i32, smallest: i32, top: f64) -> impl Iterator<Item = f64> {
    let steps = 1 << mantissa;
    let subnormal = (0..steps).map(move |step| (step, smallest));
    let normal = (smallest..).flat_map(move |power| (steps..2 * steps).map(move |step| (step, power)));
    let number = move |(step, power): (i32, i32)| f64::from(step) * 2f64.powi(power - mantissa);
    subnormal.chain(normal).map(number).take_while(move |value| *value <= top)
}

/// The nearest level; of two as near, the lower.
fn nearest(value: f64) -> f64 {
    let above = NF4.partition_point(|level| *level < value).clamp(1, NF4.len() - 1);
    let (lower, upper) = (NF4[above - 1], NF4[above]);
    if (value - lower).abs() <= (value - upper).abs() { lower } else { upper }
}

/// Round to nearest even with `mantissa` bits and the given smallest normal exponent; too large saturates.
fn float(value: f64, mantissa: i32, smallest: i32, top: f64) -> f64 {
    // The exponent field of an f64; subnormals of f64 lie far below every FP8 number.
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // Between 2⁻¹⁷ and 2¹⁰²²: a normal number, written by its exponent.
    let step = f64::from_bits(((exponent.max(smallest) - mantissa + 1023) as u64) << 52);
    ((value / step).round_ties_even() * step).clamp(-top, top)
}
