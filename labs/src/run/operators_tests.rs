//! Against the same in double precision, on sizes around the widths of lanes and runs.

use proptest::prelude::*;

use super::*;

const WIDTHS: [usize; 12] = [1, 2, 31, 32, 33, 63, 64, 65, 127, 1021, 4099, 20_011];

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut out = vec![0.0; count];
    crate::run::Random::new(seed).fill_signed(&mut out);
    out.iter_mut().for_each(|value| *value *= 3.0);
    out
}

fn near(found: f32, expected: f64, tolerance: f64) {
    let error = (f64::from(found) - expected).abs() / expected.abs().max(1e-30);
    assert!(error < tolerance, "{found} for {expected}: {error:e}");
}

#[test]
fn rows_are_normalised_as_in_double_precision() {
    for (rows, hidden) in WIDTHS.map(|width| (3, width)).into_iter().chain([(0, 64), (3, 0), (1000, 7)]) {
        let (x, weight) = (numbers(rows * hidden, 1), numbers(hidden, 2));
        let mut y = vec![f32::NAN; x.len()];
        rms_norm(&x, &weight, 1e-6, &mut y).unwrap();
        for (row, out) in x.chunks(hidden.max(1)).zip(y.chunks(hidden.max(1))) {
            let mean = row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / hidden as f64;
            for ((value, weight), out) in row.iter().zip(&weight).zip(out) {
                near(*out, f64::from(*value) / (mean + 1e-6).sqrt() * f64::from(*weight), 2e-6);
            }
        }
    }
}

#[test]
fn softmax_is_that_of_double_precision_and_masks_are_exact() {
    for width in WIDTHS {
        let mut x = numbers(3 * width, 5);
        if width > 2 {
            x[1] = f32::NEG_INFINITY;
        }
        let mut y = vec![f32::NAN; x.len()];
        softmax(&x, width, &mut y).unwrap();
        for (row, out) in x.chunks(width).zip(y.chunks(width)) {
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = row.iter().map(|v| (f64::from(*v) - f64::from(most)).exp()).sum();
            for (value, out) in row.iter().zip(out) {
                match value.is_finite() {
                    // The largest difference of these numbers loses so much in single precision.
                    true => near(*out, (f64::from(*value) - f64::from(most)).exp() / sum, 5e-6),
                    false => assert_eq!(out.to_bits(), 0),
                }
            }
        }
    }
    let mut y = [1.0; 4];
    softmax(&[f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0, f32::NAN], 2, &mut y).unwrap();
    assert!(y.iter().all(|value| value.is_nan()), "{y:?}");
    softmax(&[0.0, -1e30, 5.0, f32::INFINITY], 2, &mut y).unwrap();
    assert_eq!(y[..2], [1.0, 0.0]);
    assert!(y[2..].iter().any(|value| value.is_nan()), "{y:?}");
}

#[test]
fn the_exponential_is_right_to_two_units() {
    let mut worst = 0.0_f64;
    for step in 0..1_000_000 {
        let x = step as f32 * -8.7e-5;
        let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
        worst = worst.max((found - expected).abs() / expected / f64::from(f32::EPSILON));
    }
    assert!(worst < 2.0, "{worst} units");
    assert_eq!((exp(0.0), exp(-88.0), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
    assert!(exp(f32::NAN).is_nan());
}

#[test]
fn products_of_matrices_are_those_of_double_precision() {
    for [m, k, n] in [[1, 1, 1], [0, 3, 4], [3, 0, 4], [5, 7, 3], [17, 64, 33], [130, 257, 65], [64, 1000, 1]] {
        let (a, b) = (numbers(m * k, 3), numbers(k * n, 4));
        let mut c = vec![f32::NAN; m * n];
        gemm([m, k, n], &a, &b, &mut c).unwrap();
        for (at, found) in c.iter().enumerate() {
            let (row, column) = (at / n, at % n);
            let terms = (0..k).map(|inner| f64::from(a[row * k + inner]) * f64::from(b[inner * n + column]));
            let (sum, size) = terms.fold((0.0, 1e-9), |(sum, size), term| (sum + term, size + term.abs()));
            assert!((f64::from(*found) - sum).abs() / size < 1e-6, "{m} × {k} × {n} at {at}: {found} for {sum}");
        }
    }
}

#[test]
fn what_is_no_number_stays_in_its_row() {
    let mut x = vec![1.0; 3 * 40];
    x[45] = f32::NAN;
    let (mut y, mut codes, mut scales) = (vec![0.0; 120], vec![9; 120], [0.0; 3]);
    rms_norm(&x, &[1.0; 40], 1e-6, &mut y).unwrap();
    assert!(y[40..80].iter().all(|v| v.is_nan()) && y[..40].iter().chain(&y[80..]).all(|v| v.is_finite()));
    quantise_int8(&x, 40, &mut codes, &mut scales).unwrap();
    assert!(scales[1].is_nan() && scales[0] == 1.0 / 127.0 && codes[0] == 127);
}

#[test]
fn a_length_that_does_not_fit_is_refused_and_nothing_is_written() {
    let (mut y, mut codes, mut scales) = ([7.0; 6], [7; 6], [7.0; 2]);
    assert!(rms_norm(&[1.0; 6], &[1.0; 4], 0.0, &mut y).is_err());
    assert!(rms_norm(&[1.0; 5], &[1.0; 5], 0.0, &mut y).is_err());
    assert!(softmax(&[1.0; 6], 4, &mut y).is_err());
    assert!(softmax(&[1.0; 6], 0, &mut y).is_err());
    assert!(gemm([2, 3, 3], &[1.0; 6], &[1.0; 8], &mut y).is_err());
    assert!(gemm([usize::MAX, 2, 1], &[1.0; 6], &[1.0; 2], &mut y).is_err());
    assert!(quantise_int8(&[1.0; 6], 3, &mut codes, &mut [0.0]).is_err());
    assert!(quantise_int8(&[1.0; 6], 4, &mut codes, &mut scales).is_err());
    assert_eq!((y, codes, scales), ([7.0; 6], [7; 6], [7.0; 2]));
}

proptest! {
    /// Every code is the nearest, half to even, and gives its number back to within half a step.
    #[test]
    fn codes_are_the_nearest(
        values in proptest::collection::vec(prop_oneof![8 => -1e6_f32..1e6, 1 => Just(0.0), 1 => Just(-0.0)], 1..200),
        power in -30_i32..30,
    ) {
        let x: Vec<f32> = values.iter().map(|value| value * 2.0_f32.powi(power)).collect();
        let (mut codes, mut scales) = (vec![99; x.len()], [f32::NAN]);
        quantise_int8(&x, x.len(), &mut codes, &mut scales).unwrap();
        let top = x.iter().fold(0.0_f32, |top, value| top.max(value.abs()));
        prop_assert_eq!(scales[0], top / 127.0);
        for (value, code) in x.iter().zip(&codes) {
            let expected = if scales[0] > 0.0 { (value / scales[0]).round_ties_even() } else { 0.0 };
            prop_assert_eq!(f32::from(*code), expected, "{} / {}", value, scales[0]);
        }
    }
}
