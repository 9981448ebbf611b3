//! How much an attempt counts: from when it was handed in, the dates of its lab, and what was set by hand. Pure: read
//! anew each time, so that moved dates move every credit with them.

mod standing;
mod timeline;

pub use standing::{Attempt, Chosen, Credited, SetByHand, Standing};
pub use timeline::{Field, Step, Timeline, TimelineError};

/// Hundredths of a point as text: `7.5`, `8`. Points times percent are whole hundredths, so nothing is rounded.
pub fn points(hundredths: i64) -> String {
    let (whole, rest) = (hundredths.div_euclid(100), hundredths.rem_euclid(100));
    match rest {
        0 => whole.to_string(),
        rest if rest % 10 == 0 => format!("{whole}.{}", rest / 10),
        rest => format!("{whole}.{rest:02}"),
    }
}

/// `7`, `7.5` or `7.25` as hundredths; `None` for anything else, a sign or a third decimal included.
pub fn parse_points(text: &str) -> Option<i64> {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let digits = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 2 {
        return None;
    }
    let scale = if decimals.len() == 1 { 10 } else { 1 };
    Some(whole.parse::<i64>().ok()? * 100 + decimals.parse::<i64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::{parse_points, points};

    #[test]
    fn points_as_text() {
        for (hundredths, text) in [(0, "0"), (5, "0.05"), (50, "0.5"), (725, "7.25"), (800, "8"), (100_000, "1000")] {
            assert_eq!(points(hundredths), text);
            assert_eq!(parse_points(text), Some(hundredths));
        }
        for (text, hundredths) in [(" 7.50 ", 750), ("007", 700)] {
            assert_eq!(parse_points(text), Some(hundredths));
        }
        for text in ["", ".", "7.", ".5", "-1", "+1", "1e2", "7.123", "7,5", "NaN", "99999999999999999999", "７"] {
            assert_eq!(parse_points(text), None, "{text:?}");
        }
    }
}
