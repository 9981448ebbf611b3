//! Answers as people type them.

use ledger::drill::{TypedError, Unit, parse};
use proptest::prelude::*;

#[test]
fn numbers_with_and_without_units() {
    let gib = 1_073_741_824.0;
    let cases = [
        ("12", Unit::Gib, 12.0),
        ("12", Unit::Mib, 12.0),
        (" 12 GiB ", Unit::Gib, 12.0),
        ("12gib", Unit::Gib, 12.0),
        ("12.9GB", Unit::Gib, 12.9e9 / gib),
        ("12,000 MiB", Unit::Gib, 12_000.0 / 1_024.0),
        ("12,000 MiB", Unit::Mib, 12_000.0),
        ("1.5G", Unit::Mib, 1_536.0),
        ("2 TiB", Unit::Gib, 2_048.0),
        ("1 TB", Unit::Gib, 1e12 / gib),
        ("128 K", Unit::Kib, 128.0),
        ("131072 B", Unit::Kib, 128.0),
        ("131,072 字节", Unit::Kib, 128.0),
        ("500 KB", Unit::Kib, 500_000.0 / 1_024.0),
        (".5", Unit::Gib, 0.5),
        ("5.", Unit::Gib, 5.0),
        ("+3", Unit::Gib, 3.0),
        // Full-width and leading marks.
        ("１２．９ＧＢ", Unit::Gib, 12.9e9 / gib),
        ("１２，０００　ＭｉＢ", Unit::Mib, 12_000.0),
        ("约 15 GiB", Unit::Gib, 15.0),
        ("≈15", Unit::Gib, 15.0),
        ("～15", Unit::Gib, 15.0),
        ("12\u{a0}000", Unit::Mib, 12_000.0),
        // Things.
        ("8192", Unit::Tokens, 8_192.0),
        ("8,192 tokens", Unit::Tokens, 8_192.0),
        ("8192个token", Unit::Tokens, 8_192.0),
        ("8K", Unit::Tokens, 8_000.0),
        ("8 Ki", Unit::Tokens, 8_192.0),
        ("8k tokens", Unit::Tokens, 8_000.0),
        ("1.2 万", Unit::Tokens, 12_000.0),
        ("1.2万个 token", Unit::Tokens, 12_000.0),
        ("1M", Unit::Tokens, 1e6),
        ("0.1 亿", Unit::Tokens, 1e7),
        ("16 张", Unit::Count, 16.0),
        ("16 cards", Unit::Count, 16.0),
        ("30 个请求", Unit::Count, 30.0),
    ];
    for (typed, unit, expected) in cases {
        let found = parse(typed, unit).unwrap_or_else(|error| panic!("{typed:?}: {error}"));
        assert!((found - expected).abs() <= expected * 1e-12, "{typed:?}: {found}, expected {expected}");
    }
}

#[test]
fn what_is_wrong_is_said_in_both_languages() {
    let cases = [
        ("", Unit::Gib, "Type a number.", "请输入一个数。"),
        (" 　", Unit::Gib, "Type a number.", "请输入一个数。"),
        ("≈", Unit::Gib, "Type a number.", "请输入一个数。"),
        ("GiB", Unit::Gib, "“GiB” is not a number.", "“GiB”不是一个数。"),
        ("1.2.3", Unit::Gib, "“1.2.3” is not a number.", "“1.2.3”不是一个数。"),
        (
            "12,9 GiB",
            Unit::Gib,
            "“12,9”: commas separate thousands; write decimals with a point, as in 12.9.",
            "“12,9”：逗号只用来分隔千位，小数请用点，例如 12.9。",
        ),
        ("0 GiB", Unit::Gib, "“0”: the answer is above 0.", "“0”：答案大于 0。"),
        ("-3", Unit::Gib, "“-3”: the answer is above 0.", "“-3”：答案大于 0。"),
        (
            "12 apples",
            Unit::Gib,
            "Unknown unit “apples”: write 12, 12 GiB, 12.9 GB or 12,000 MiB.",
            "不认识单位“apples”：可以写 12、12 GiB、12.9 GB 或 12,000 MiB。",
        ),
        (
            "12 GiB",
            Unit::Tokens,
            "“GiB” does not measure this: write 12,000, 12000 tokens or 12k.",
            "单位“GiB”不对：这里可以写 12,000、12000 token 或 1.2 万。",
        ),
        (
            "12 tokens",
            Unit::Gib,
            "“tokens” does not measure this: write 12, 12 GiB, 12.9 GB or 12,000 MiB.",
            "单位“tokens”不对：这里可以写 12、12 GiB、12.9 GB 或 12,000 MiB。",
        ),
    ];
    for (typed, unit, en, zh) in cases {
        let error = parse(typed, unit).expect_err(typed);
        assert_eq!((error.text().en.as_ref(), error.text().zh.as_ref()), (en, zh), "{typed:?}");
        assert_eq!(error.to_string(), en);
    }
    for comma in ["1,23", "1234,567", ",123", "1,,234", "1.5,000", "1,234,56"] {
        assert!(matches!(parse(comma, Unit::Mib), Err(TypedError::Comma { .. })), "{comma}");
    }
    assert_eq!(parse(&"1".repeat(41), Unit::Gib), Err(TypedError::TooLong));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn anything_typed_is_read_or_refused(typed in ".{0,50}") {
        for unit in [Unit::Kib, Unit::Mib, Unit::Gib, Unit::Tokens, Unit::Count] {
            if let Ok(answer) = parse(&typed, unit) {
                prop_assert!(answer.is_finite() && answer > 0.0);
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again(value in 0.1f64..1e6) {
        for unit in [Unit::Kib, Unit::Mib, Unit::Gib, Unit::Tokens, Unit::Count] {
            let written = unit.write(value);
            for text in [&written.zh, &written.en] {
                let read = parse(text, unit).expect("a number with its unit");
                prop_assert!((read - value).abs() <= value * 0.06, "{} for {}", text, value);
            }
        }
    }
}
