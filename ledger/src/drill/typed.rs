//! Answers as people type them.

use super::{Unit, unit::three};
use crate::{Text, units};

/// Longest input that is looked at, in characters.
const LONGEST: usize = 40;

/// Why a typed answer is no number. [`TypedError::text`] says it in both languages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypedError {
    #[error("{}", self.text().en)]
    Empty,
    #[error("{}", self.text().en)]
    TooLong,
    #[error("{}", self.text().en)]
    NotANumber { found: String },
    /// A comma that does not separate three digits.
    #[error("{}", self.text().en)]
    Comma { found: String },
    /// Every answer is above zero.
    #[error("{}", self.text().en)]
    NotPositive { found: String },
    #[error("{}", self.text().en)]
    UnknownUnit { found: String, asked: Unit },
    /// Bytes where things are counted, or the other way round.
    #[error("{}", self.text().en)]
    WrongUnit { found: String, asked: Unit },
}

impl TypedError {
    /// The message for the reader.
    pub fn text(&self) -> Text {
        let examples = |asked: Unit| match asked {
            Unit::Tokens => ("12,000、12000 token 或 1.2 万", "12,000, 12000 tokens or 12k"),
            Unit::Count => ("12", "12"),
            _ => ("12、12 GiB、12.9 GB 或 12,000 MiB", "12, 12 GiB, 12.9 GB or 12,000 MiB"),
        };
        match self {
            Self::Empty => Text::new("请输入一个数。", "Type a number."),
            Self::TooLong => Text::new(
                format!("太长了：一个数和单位最多 {LONGEST} 个字符。"),
                format!("Too long: a number with its unit has at most {LONGEST} characters."),
            ),
            Self::NotANumber { found } => {
                Text::new(format!("“{found}”不是一个数。"), format!("“{found}” is not a number."))
            }
            Self::Comma { found } => Text::new(
                format!("“{found}”：逗号只用来分隔千位，小数请用点，例如 12.9。"),
                format!("“{found}”: commas separate thousands; write decimals with a point, as in 12.9."),
            ),
            Self::NotPositive { found } => {
                Text::new(format!("“{found}”：答案大于 0。"), format!("“{found}”: the answer is above 0."))
            }
            Self::UnknownUnit { found, asked } => {
                let (zh, en) = examples(*asked);
                Text::new(format!("不认识单位“{found}”：可以写 {zh}。"), format!("Unknown unit “{found}”: write {en}."))
            }
            Self::WrongUnit { found, asked } => {
                let (zh, en) = examples(*asked);
                Text::new(
                    format!("单位“{found}”不对：这里可以写 {zh}。"),
                    format!("“{found}” does not measure this: write {en}."),
                )
            }
        }
    }
}

/// Reads a typed answer and gives it in the unit of the question.
///
/// A bare number is in that unit. Bytes: `B`, `KiB`, `MiB`, `GiB`, `TiB` and `KB`, `MB`, `GB`, `TB`, in any case; a bare
/// `K`, `M`, `G` or `T` is the binary one, as on the command line of most tools. Counts: `k` or `K` 1,000, `M` 10⁶,
/// `Ki` 1,024, `Mi` 2²⁰, `万`, `亿`, with or without a counted word behind (`tokens`, `个`, `张`). Full-width
/// characters are read as their narrow ones; a leading `≈`, `~` or `约` is skipped.
///
/// ```
/// use ledger::drill::{Unit, parse};
/// assert_eq!(parse("１２，０００ MiB", Unit::Mib), Ok(12_000.0));
/// assert_eq!(parse("1.5 TiB", Unit::Gib), Ok(1_536.0));
/// assert_eq!(parse("3.2 万", Unit::Tokens), Ok(32_000.0));
/// let error = parse("12,9 GiB", Unit::Gib).expect_err("a decimal comma");
/// assert_eq!(error.text().en, "“12,9”: commas separate thousands; write decimals with a point, as in 12.9.");
/// ```
///
/// # Errors
/// A [`TypedError`] that names what is wrong.
pub fn parse(typed: &str, asked: Unit) -> Result<f64, TypedError> {
    if typed.chars().count() > LONGEST {
        return Err(TypedError::TooLong);
    }
    let narrow: String = typed.chars().map(narrow).filter(|letter| !letter.is_whitespace()).collect();
    let text = narrow.trim_start_matches(['≈', '~', '约']);
    if text.is_empty() {
        return Err(TypedError::Empty);
    }
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | ',' | '.' | '-' | '+')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let value = number(digits, text)?;
    let factor = factor(unit, asked)?;
    let answer = value * factor / asked.size() as f64;
    if answer > 0.0 { Ok(answer) } else { Err(TypedError::NotPositive { found: digits.to_owned() }) }
}

/// Full-width forms (U+FF01 to U+FF5E) and spaces as their ASCII counterparts.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '\u{3000}' => ' ',
        '。' => '.',
        '−' => '-',
        other => other,
    }
}

fn number(digits: &str, text: &str) -> Result<f64, TypedError> {
    let whole = digits.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let separated = digits.contains(',');
    if separated {
        let in_threes = groups.all(|group| group.len() == 3) && (1..=3).contains(&first.trim_start_matches('-').len());
        if !in_threes || digits[whole.len()..].contains(',') {
            return Err(TypedError::Comma { found: digits.to_owned() });
        }
    }
    let plain = digits.replace(',', "");
    let value: f64 = plain.parse().map_err(|_| TypedError::NotANumber { found: text.to_owned() })?;
    if value.is_finite() { Ok(value) } else { Err(TypedError::NotANumber { found: text.to_owned() }) }
}

/// Bytes or things in one of the typed unit.
fn factor(unit: &str, asked: Unit) -> Result<f64, TypedError> {
    if unit.is_empty() {
        return Ok(asked.size() as f64);
    }
    let (bytes, things) = (bytes(unit), things(unit));
    let found = || unit.to_owned();
    match (asked.is_bytes(), bytes, things) {
        (true, Some(bytes), _) => Ok(bytes as f64),
        (false, _, Some(things)) => Ok(things as f64),
        (_, None, None) => Err(TypedError::UnknownUnit { found: found(), asked }),
        _ => Err(TypedError::WrongUnit { found: found(), asked }),
    }
}

fn bytes(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "b" | "字节" => 1,
        "kib" | "ki" | "k" => units::KIB,
        "mib" | "mi" | "m" => units::MIB,
        "gib" | "gi" | "g" => units::GIB,
        "tib" | "ti" | "t" => units::TIB,
        "kb" => units::KB,
        "mb" => units::MB,
        "gb" => units::GB,
        "tb" => 1_000 * units::GB,
        _ => return None,
    })
}

fn things(unit: &str) -> Option<u64> {
    const WORDS: [&str; 10] = ["tokens", "token", "词元", "requests", "cards", "个请求", "张卡", "个", "张", "块"];
    let lower = unit.to_ascii_lowercase();
    let scale = WORDS.iter().find_map(|word| lower.strip_suffix(word)).unwrap_or(&lower);
    // `个 token`
    Some(match scale.strip_suffix('个').unwrap_or(scale) {
        "" => 1,
        "k" | "千" => 1_000,
        "ki" => units::KIB,
        "m" | "百万" => 1_000_000,
        "mi" => units::MIB,
        "万" => 10_000,
        "亿" => 100_000_000,
        _ => return None,
    })
}

/// An answer as a page repeats it: three significant digits and the unit.
impl Unit {
    /// ```
    /// assert_eq!(ledger::drill::Unit::Gib.write(14.937_8).en, "14.9 GiB");
    /// assert_eq!(ledger::drill::Unit::Tokens.write(33_554.0).en, "33,554 tokens");
    /// ```
    pub fn write(self, value: f64) -> Text {
        let (number, unit) = (three(value.max(0.0)), self.name());
        let of = |unit: &str| if unit.is_empty() { number.clone() } else { format!("{number} {unit}") };
        Text::new(of(&unit.zh), of(&unit.en))
    }
}
