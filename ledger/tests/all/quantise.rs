//! Quantisation: codes by hand, what granularity guarantees, what is refused.

use ledger::formats::{
    Code, Granularity, MAX_TEXT, MAX_TYPED, QuantiseError, different, granularity_sweep, parse_matrix, quantise,
    scale_channel, with_outliers,
};
use proptest::prelude::*;

fn back(code: Code, values: &[f32]) -> Vec<f32> {
    quantise(values, 1, values.len() as u64, code, Granularity::Tensor).expect("finite").values
}

#[test]
fn integers_by_hand() {
    // The largest is 12.7: the scale is 0.1.
    let read = back(Code::Int8, &[12.7, 0.26, -0.04, -12.7]);
    for (read, expected) in read.iter().zip([12.7, 0.3, 0.0, -12.7]) {
        assert!((read - expected).abs() < 1e-5, "{read}");
    }
    // −1…2 in 15 steps of 0.2: zero is code 5.
    let read = back(Code::Int4Asymmetric, &[-1.0, 0.0, 0.29, 2.0]);
    for (read, expected) in read.iter().zip([-1.0, 0.0, 0.2, 2.0]) {
        assert!((read - expected).abs() < 1e-5, "{read}");
    }
    // Ties go to even: the scale is 1.
    assert_eq!(back(Code::Int4, &[7.0, 0.5, 1.5, -2.5]), [7.0, 0.0, 2.0, -2.0]);
}

#[test]
fn floats_by_hand() {
    // Per tensor with a largest value of 448 the scale of E4M3 is 1. Between 16 and 32 the step is 2, below 2⁻⁶ it
    // is 2⁻⁹.
    assert_eq!(
        back(Code::E4m3, &[448.0, 17.0, 19.0, 1.06, 0.003, -240.0]),
        [448.0, 16.0, 20.0, 1.0, 2.0 / 512.0, -240.0]
    );
    assert_eq!(
        back(Code::E5m2, &[57_344.0, 17.0, 18.0, 1.1, 3e-5, 1e-6]),
        [57_344.0, 16.0, 16.0, 1.0, 2.0 / 65_536.0, 0.0]
    );
    let unscaled = quantise(&[1000.0, -1.0], 1, 2, Code::E4m3, Granularity::Unscaled).expect("finite");
    assert_eq!((unscaled.values.clone(), unscaled.loss.bytes, unscaled.loss.scales), (vec![448.0, -1.0], 2, 0));
    let nf4 = back(Code::Nf4, &[2.0, 0.0, -1.4, 0.9]);
    assert_eq!(nf4, [2.0, 0.0, -2.0 * 0.696_192_8, 2.0 * 0.440_709_83]);
}

#[test]
fn figures_by_hand() {
    // Scale 1: errors 0, 0.25, 0.25, 0.
    let result = quantise(&[127.0, 0.25, -0.25, 2.0], 2, 2, Code::Int8, Granularity::Tensor).expect("finite");
    assert_eq!((result.loss.max_error, result.loss.mean_square), (0.25, 0.125 / 4.0));
    let signal = 127.0 * 127.0 + 4.0 + 0.125f64;
    assert!((result.loss.relative - (0.125 / signal).sqrt()).abs() < 1e-15);
    let decibel = result.loss.signal_to_noise_db.expect("something is lost");
    assert!((decibel - 10.0 * (signal / 0.125).log10()).abs() < 1e-9);
    assert_eq!((result.loss.bytes, result.levels), (4 + 4, 3));
    assert_eq!(result.before.counts.iter().sum::<u64>(), 4);
    assert_eq!((result.before.low, result.after.high), (-0.25, 127.0));
    let exact = quantise(&[0.0; 4], 2, 2, Code::Nf4, Granularity::Token).expect("finite");
    assert_eq!((exact.loss.relative, exact.loss.signal_to_noise_db, exact.loss.bytes), (0.0, None, 2 + 8));
}

#[test]
fn bytes_with_their_scales() {
    let values = vec![1.0; 6 * 8];
    let bytes = |code, granularity| {
        quantise(&values, 6, 8, code, granularity).map(|result| (result.loss.bytes, result.loss.scales))
    };
    assert_eq!(bytes(Code::Int8, Granularity::Tensor), Ok((48 + 4, 1)));
    assert_eq!(bytes(Code::Int8, Granularity::Token), Ok((48 + 24, 6)));
    assert_eq!(bytes(Code::Int8Asymmetric, Granularity::Channel), Ok((48 + 32 + 8, 8)));
    assert_eq!(bytes(Code::Int4, Granularity::Head { width: 4 }), Ok((24 + 8, 2)));
    // Groups of 3 in 8 columns: three a row, the last of two. Their zero points take half a byte each.
    assert_eq!(bytes(Code::Int4Asymmetric, Granularity::Group { size: 3 }), Ok((24 + 18 * 4 + 9, 18)));
    assert_eq!(bytes(Code::Int4, Granularity::Group { size: 100 }), Ok((24 + 24, 6)));
}

/// The numbers a group can hold, by hand; whatever is read back is one of them.
#[test]
fn ladders_of_levels() {
    let ladder = |code, values: &[f32]| {
        quantise(values, 1, values.len() as u64, code, Granularity::Tensor).expect("finite").coarsest
    };
    // The scale is 1, then 0.2 with zero at code 5.
    assert_eq!(ladder(Code::Int4, &[7.0, 1.0]), (-7..=7).map(f64::from).collect::<Vec<_>>());
    let asymmetric = ladder(Code::Int4Asymmetric, &[-1.0, 2.0]);
    assert!(asymmetric.len() == 16 && (asymmetric[0] + 1.0).abs() < 1e-6 && asymmetric[5] == 0.0);
    assert_eq!(ladder(Code::Nf4, &[1.0]).len(), 16);
    // All codes but NaN and one of the two zeros: 256 − 2 − 1; E5M2 has six NaNs, two infinities.
    let e4m3 = ladder(Code::E4m3, &[448.0]);
    assert_eq!((e4m3.len(), e4m3[252], e4m3[127]), (253, 448.0, 2f64.powi(-9)));
    let e5m2 = ladder(Code::E5m2, &[57_344.0]);
    assert_eq!((e5m2.len(), e5m2[246]), (247, 57_344.0));
    // Two channels: one holds ±127, the other ±1.27.
    let two = quantise(&[127.0, 1.27], 1, 2, Code::Int8, Granularity::Channel).expect("finite");
    assert_eq!((two.coarsest[254], two.coarsest.len()), (127.0, 255));
    assert!((two.finest[254] - 1.27).abs() < 1e-6);
    let zeros = quantise(&[0.0; 4], 2, 2, Code::Int8, Granularity::Token).expect("finite");
    assert_eq!((zeros.coarsest, zeros.finest), (vec![0.0], vec![0.0]));
}

#[test]
fn a_sweep_is_every_granularity_by_itself() {
    let values = with_outliers(12, 8, 1, 20.0, 3).expect("small");
    for code in Code::ALL {
        let losses = granularity_sweep(&values, 12, 8, code, 4).expect("finite");
        assert_eq!(losses.len(), 6);
        for loss in losses {
            let alone = quantise(&values, 12, 8, code, loss.granularity).expect("finite").loss;
            assert_eq!(loss, alone);
        }
    }
    // Five columns are no whole heads of four.
    let uneven = granularity_sweep(&values[..60], 12, 5, Code::Int8, 4).expect("finite");
    assert!(uneven.iter().all(|loss| !matches!(loss.granularity, Granularity::Head { .. })) && uneven.len() == 5);
    assert!(granularity_sweep(&values, 12, 8, Code::Int8, 0).is_err());
}

#[test]
fn one_channel_becomes_an_outlier() {
    let mut values = vec![1.0, 2.0, 3.0, 4.0];
    scale_channel(&mut values, 2, 1, 10.0);
    assert_eq!(values, [1.0, 20.0, 3.0, 40.0]);
    scale_channel(&mut values, 2, 2, 10.0);
    scale_channel(&mut values, 0, 3, 10.0);
    assert_eq!(values, [1.0, 20.0, 3.0, 40.0]);
    assert_eq!(different((0..5000).map(|at| (at % 2500) as f32)), 2500, "more than the table keeps");
}

#[test]
fn pasted_matrices() {
    let shape = |text: &str| parse_matrix(text).map(|matrix| (matrix.rows, matrix.columns, matrix.values));
    let four = Ok((2, 2, vec![1.0, -2.0, 0.5, 4000.0]));
    let ways = [
        "1 -2\n.5 4e3",
        "1, -2,\r\n+0.5,\t4000\n\n",
        "1 -2; 0.5 4000",
        "[[1, -2], [0.5, 4e3]]",
        " [[1. -2.]\n [0.5 4000.]]\n",
        "[1,-2]\n[0.5,4000]",
        "1，-2\n0.5，4000",
    ];
    for text in ways {
        assert_eq!(shape(text), four, "{text:?}");
    }
    assert_eq!(shape("[1, 2, 3]"), Ok((1, 3, vec![1.0, 2.0, 3.0])));
    let wrong = [
        ("", "no number: expected rows of numbers"),
        (" \n ", "no number: expected rows of numbers"),
        ("1 2\n3 x", "row 2, column 2: expected a number, found \"x\""),
        ("1 2\n3", "row 2 has 1 numbers: expected 2, as in row 1"),
        ("1 2\n3 -inf", "row 2, column 2: expected a finite FP32 number, found \"-inf\""),
        ("1e39", "row 1, column 1: expected a finite FP32 number, found \"1e39\""),
        ("1,,2", "row 1, column 2: expected a number, found \",\""),
        (",1", "row 1, column 1: expected a number, found \",\""),
        ("[,1]", "row 1, column 1: expected a number, found \",\""),
        ("[[1], [null]]", "row 2, column 1: expected a number, found \"null\""),
        ("[[1, 2], []]", "row 2, column 1: expected rows in brackets, found \"]\""),
        ("[[1, [2]]]", "row 1, column 2: expected rows in brackets, found \"[\""),
        ("[[[1]]]", "row 1, column 1: expected rows in brackets, found \"[\""),
        ("[1, 2", "row 1, column 3: expected rows in brackets, found \"\""),
        ("[1] 2", "row 2, column 1: expected rows in brackets, found \"2\""),
        ("1 [2]", "row 1, column 2: expected a number, found \"[\""),
    ];
    for (text, message) in wrong {
        assert_eq!(parse_matrix(text).expect_err(text).to_string(), message, "{text:?}");
    }
    let long = "x".repeat(100);
    assert!(parse_matrix(&long).expect_err("no number").to_string().len() < 100, "what is wrong is cut short");
    assert!(parse_matrix(&"1 ".repeat(MAX_TYPED)).is_ok());
    let many = parse_matrix(&"1 ".repeat(MAX_TYPED + 1)).expect_err("one too many").to_string();
    assert_eq!(many, "row 1, column 65537: more than 65536 numbers");
    assert!(parse_matrix(&" ".repeat(MAX_TEXT + 1)).expect_err("too long").to_string().contains("1048576"));
}

#[test]
fn what_is_refused() {
    let refused = |values: &[f32], rows, columns, granularity| {
        quantise(values, rows, columns, Code::Int8, granularity).expect_err("refused").to_string()
    };
    let tensor = Granularity::Tensor;
    assert_eq!(refused(&[1.0, 2.0, 3.0, f32::NAN], 2, 2, tensor), "row 1, column 1 is NaN: expected a finite number");
    assert_eq!(refused(&[1.0, f32::INFINITY], 1, 2, tensor), "row 0, column 1 is infinite: expected a finite number");
    assert_eq!(refused(&[1.0], 2, 2, tensor), "1 values do not fill 2 rows of 2 columns");
    assert!(refused(&[1.0], u64::MAX, u64::MAX, tensor).starts_with("1 values do not fill"));
    assert!(refused(&[], 0, 0, tensor).starts_with("0 values"));
    assert_eq!(refused(&[1.0; 6], 1, 6, Granularity::Head { width: 4 }), "6 columns do not divide into heads of 4");
    assert_eq!(refused(&[1.0; 6], 1, 6, Granularity::Group { size: 0 }), "size is 0: it must be at least 1");
    assert!(matches!(with_outliers(u64::MAX, 2, 1, 2.0, 1), Err(QuantiseError::Count { .. })));
}

/// Two channels fifty times larger: the others keep few levels per tensor, and all of them per channel.
#[test]
fn outliers_stretch_the_range() {
    let values = with_outliers(128, 64, 2, 100.0, 7).expect("small");
    assert_eq!(Ok(&values), with_outliers(128, 64, 2, 100.0, 7).as_ref(), "the same on every machine");
    let inner = |granularity| {
        let result = quantise(&values, 128, 64, Code::Int8, granularity).expect("finite");
        let pairs = values.iter().zip(&result.values).enumerate().filter(|(at, _)| at % 32 != 0);
        let (noise, signal) = pairs.fold((0.0, 0.0), |(noise, signal), (_, (value, read))| {
            (noise + f64::from(value - read).powi(2), signal + f64::from(*value).powi(2))
        });
        (noise / signal).sqrt()
    };
    let (tensor, channel) = (inner(Granularity::Tensor), inner(Granularity::Channel));
    assert!(tensor > 0.5 && channel < 0.01, "{tensor} {channel}");
}

fn codes() -> impl Strategy<Value = Code> {
    prop::sample::select(Code::ALL.to_vec())
}

fn matrix() -> impl Strategy<Value = (u64, u64, Vec<f32>)> {
    (1u64..9, 1u64..9).prop_flat_map(|(rows, columns)| {
        let values = prop::collection::vec(-1000f32..1000.0, (rows * columns) as usize);
        (Just(rows), Just(columns), values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// No error exceeds half the widest step of the whole range, however fine the scales; finer groups have a range
    /// inside the coarser one's.
    #[test]
    fn errors_stay_within_half_a_step((rows, columns, values) in matrix(), code in codes()) {
        let (low, high) = values.iter().fold((0f32, 0f32), |(low, high), value| (low.min(*value), high.max(*value)));
        let (largest, range) = (f64::from(high.max(-low)), f64::from(high) - f64::from(low));
        let bound = match code {
            Code::Int8 => largest / 127.0 / 2.0,
            Code::Int4 => largest / 7.0 / 2.0,
            // The zero point is rounded too: an end may lie half a step further off.
            Code::Int8Asymmetric => range / 255.0,
            Code::Int4Asymmetric => range / 15.0,
            // The widest gap lies between −1 and −0.696.
            Code::Nf4 => largest * 0.152,
            // Three bits after the point: a sixteenth of the number; two: an eighth.
            Code::E4m3 => largest / 16.0,
            Code::E5m2 => largest / 8.0,
        };
        for granularity in [
            Granularity::Tensor,
            Granularity::Token,
            Granularity::Channel,
            Granularity::Head { width: columns },
            Granularity::Group { size: 2 },
        ] {
            let result = quantise(&values, rows, columns, code, granularity).expect("finite");
            prop_assert!(result.loss.max_error <= bound * (1.0 + 1e-5) + 1e-9, "{granularity:?} {}", result.loss.max_error);
            prop_assert_eq!(result.after.counts.iter().sum::<u64>(), rows * columns);
            prop_assert!(result.loss.relative >= 0.0 && result.loss.mean_square <= result.loss.max_error.powi(2) * (1.0 + 1e-9));
        }
    }

    /// What was read back is read back the same: the code keeps its own values.
    #[test]
    fn a_second_time_changes_nothing((rows, columns, values) in matrix(), code in codes()) {
        let once = quantise(&values, rows, columns, code, Granularity::Token).expect("finite");
        let twice = quantise(&once.values, rows, columns, code, Granularity::Token).expect("finite");
        let scale = once.values.iter().fold(0f64, |largest, value| largest.max(f64::from(value.abs())));
        prop_assert!(twice.loss.max_error <= scale * 1e-5, "{}", twice.loss.max_error);
    }

    /// What is read back is a level of its group; no text panics.
    #[test]
    fn levels_are_what_is_read_back((rows, columns, values) in matrix(), code in codes(), text in ".{0,40}") {
        let result = quantise(&values, rows, columns, code, Granularity::Tensor).expect("finite");
        for read in &result.values {
            prop_assert!(result.coarsest.iter().any(|level| *level as f32 == *read), "{read} {:?}", result.coarsest);
        }
        prop_assert!(result.coarsest.windows(2).all(|pair| pair[0] < pair[1]) || result.coarsest.len() == 1);
        let _ = parse_matrix(&text);
        let _ = parse_matrix(&format!("[{text}"));
    }

    /// Hostile sizes of numbers: no panic, nothing that is not finite.
    #[test]
    fn any_finite_array(bits in prop::collection::vec(any::<u32>(), 1..20), code in codes()) {
        let values: Vec<f32> = bits.into_iter().map(f32::from_bits).filter(|value| value.is_finite()).collect();
        prop_assume!(!values.is_empty());
        let result = quantise(&values, 1, values.len() as u64, code, Granularity::Tensor).expect("finite");
        prop_assert!(result.loss.max_error.is_finite() && result.loss.relative.is_finite());
    }
}
