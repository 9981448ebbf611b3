//! Narrow number formats as bits, for the kernels of the processor: written with integers, so that the WGSL and CUDA sources
//! can do the same bit by bit. Rounding is to nearest, ties to even.

/// The upper half of an FP32, rounded. A number that rounds beyond the largest becomes infinite; NaN stays NaN.
pub fn to_bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) | 0x40;
    }
    let odd = (bits >> 16) & 1;
    // Infinity has no lower half, and no finite number is near enough to 2³² for a carry out of the word.
    (bits + 0x7FFF + odd) >> 16
}

pub fn from_bf16(code: u32) -> f32 {
    f32::from_bits(code << 16)
}

/// FP8 E4M3 without infinity: up to 448, beyond which it saturates; NaN is 0x7F.
pub fn to_e4m3(value: f32) -> u32 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 24) & 0x80, bits & 0x7FFF_FFFF);
    if magnitude > 0x7F80_0000 {
        return sign | 0x7F;
    }
    // 464 lies between 448 and what would be 480; ties to even take it down, and everything beyond saturates.
    if magnitude >= 0x43E0_0000 {
        return sign | 0x7E;
    }
    // Below 2⁻⁶ numbers are multiples of 2⁻⁹.
    if magnitude < 0x3C80_0000 {
        return sign | subnormal(magnitude);
    }
    let odd = (magnitude >> 20) & 1;
    let rounded = magnitude + 0x7_FFFF + odd;
    // From a bias of 127 to one of 7.
    sign | ((rounded >> 20) - (120 << 3))
}

/// The multiple of 2⁻⁹ nearest to a number below 2⁻⁶, of which 8 is 2⁻⁶ itself.
fn subnormal(magnitude: u32) -> u32 {
    let exponent = magnitude >> 23;
    // Half of the smallest is 2⁻¹⁰, a tie that goes to zero.
    if exponent < 117 {
        return 0;
    }
    let mantissa = (magnitude & 0x7F_FFFF) | 0x80_0000;
    // 2^(exponent − 127) × mantissa / 2²³ in units of 2⁻⁹.
    let shift = 141 - exponent;
    let (whole, rest, half) = (mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1));
    whole + u32::from(rest > half || (rest == half && whole & 1 == 1))
}

pub fn from_e4m3(code: u32) -> f32 {
    let (sign, exponent, mantissa) = ((code & 0x80) << 24, (code >> 3) & 0xF, code & 7);
    let magnitude = match (exponent, mantissa) {
        (15, 7) => f32::NAN,
        (0, _) => mantissa as f32 / 512.0,
        _ => f32::from_bits(((exponent + 120) << 23) | (mantissa << 20)),
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_code_of_e4m3_comes_back() {
        for code in 0..256u32 {
            let value = from_e4m3(code);
            assert_eq!(to_e4m3(value), if value.is_nan() { code | 0x7F } else { code }, "{code:#x} is {value}");
        }
        assert_eq!((from_e4m3(0x7E), from_e4m3(0x01), from_e4m3(0x08)), (448.0, 2f32.powi(-9), 2f32.powi(-6)));
    }

    #[test]
    fn ties_go_to_the_even_code_and_large_numbers_saturate() {
        for (value, code) in [
            (1.0625, 0x38),
            (1.1875, 0x3A),
            (464.0, 0x7E),
            (1e30, 0x7E),
            (f32::INFINITY, 0x7E),
            (-500.0, 0xFE),
            (2f32.powi(-10), 0x00),
            (3.0 * 2f32.powi(-10), 0x02),
            (15.0 * 2f32.powi(-10), 0x08),
            (1e-40, 0),
            (-0.0, 0x80),
        ] {
            assert_eq!(to_e4m3(value), code, "{value}");
        }
        for (value, code) in [(1.0 + 2f32.powi(-8), 0x3F80), (1.0 + 3.0 * 2f32.powi(-8), 0x3F82), (f32::MAX, 0x7F80)] {
            assert_eq!(to_bf16(value), code, "{value}");
        }
        assert!(from_bf16(to_bf16(f32::NAN)).is_nan());
    }

    proptest! {
        /// The calculator of the course rounds by arithmetic of its own.
        #[test]
        fn e4m3_rounds_as_the_ledger_does(value in -600.0f32..600.0, small in -0.05f32..0.05) {
            use ledger::formats::{Code, Granularity, quantise};
            let values = [value, small];
            let expected = quantise(&values, 1, 2, Code::E4m3, Granularity::Unscaled).expect("finite").values;
            for (value, expected) in values.iter().zip(expected) {
                prop_assert_eq!(from_e4m3(to_e4m3(*value)), expected, "{}", value);
            }
        }

        #[test]
        fn bf16_is_the_nearest(bits in 0u32..0x7F00_0000) {
            let value = f32::from_bits(bits);
            let code = to_bf16(value);
            let off = |code: u32| (f64::from(from_bf16(code)) - f64::from(value)).abs();
            prop_assert!(off(code) <= off(code + 1) && off(code) <= off(code.saturating_sub(1)));
        }
    }
}
