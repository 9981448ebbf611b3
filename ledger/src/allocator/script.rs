//! Scripts as people write them: one operation per line.

use super::{MAX_STEPS, Operation};
use crate::units::{GIB, KIB, MIB};

/// A line that is no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found:?}")]
pub struct ScriptError {
    /// Counted from 1.
    pub line: usize,
    pub expected: &'static str,
    pub found: String,
}

const OPERATION: &str = "alloc NAME SIZE, free NAME, later NAME, or empty";
const SIZE: &str = "a size such as 512, 10 MiB or 1.5GiB, below 16 PiB";
const NAME: &str = "a name of letters, digits, _ and -, at most 40 long";
const LENGTH: &str = "at most 500 operations";

/// Reads a script. Empty lines and what follows a `#` are left out; `alloc x 10MiB stream 1` asks on another stream.
///
/// ```
/// use ledger::allocator::{Operation, parse_script};
/// let script = parse_script("alloc x 1.5 MiB  # a tensor\n\nfree x\nempty")?;
/// assert_eq!(script[0], Operation::Allocate { name: "x".to_owned(), size: 1_572_864, stream: 0 });
/// assert_eq!(script.len(), 3);
/// let error = parse_script("alloc x\n").expect_err("no size");
/// assert_eq!(error.to_string(), "line 1: expected a size such as 512, 10 MiB or 1.5GiB, below 16 PiB, found \"\"");
/// # Ok::<(), ledger::allocator::ScriptError>(())
/// ```
///
/// # Errors
/// [`ScriptError`] for the first line that is no operation, or more than [`MAX_STEPS`] of them.
pub fn parse_script(text: &str) -> Result<Vec<Operation>, ScriptError> {
    let mut script = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let error =
            |expected, found: &str| ScriptError { line: at + 1, expected, found: found.chars().take(40).collect() };
        if script.len() == MAX_STEPS {
            return Err(error(LENGTH, line));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        script.push(match word {
            "alloc" => {
                let (name, size) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let (size, stream) = match size.split_once("stream") {
                    Some((size, stream)) => {
                        (size, stream.trim().parse().map_err(|_| error("a stream's number", stream))?)
                    }
                    None => (size, 0),
                };
                let size = size.trim();
                Operation::Allocate {
                    name: named(name).ok_or_else(|| error(NAME, name))?,
                    size: bytes(size).ok_or_else(|| error(SIZE, size))?,
                    stream,
                }
            }
            "free" => Operation::Free { name: named(rest).ok_or_else(|| error(NAME, rest))? },
            "later" => Operation::FreeLater { name: named(rest).ok_or_else(|| error(NAME, rest))? },
            "empty" if rest.is_empty() => Operation::EmptyCache,
            _ => return Err(error(OPERATION, line)),
        });
    }
    Ok(script)
}

fn named(name: &str) -> Option<String> {
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-');
    (plain && !name.is_empty() && name.chars().count() <= 40).then(|| name.to_owned())
}

/// `10 MiB` in bytes, rounded to the nearest byte.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" | "k" => KIB,
        "mib" | "m" => MIB,
        "gib" | "g" => GIB,
        _ => return None,
    };
    let number = number.trim().replace(['_', ','], "");
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).filter(|bytes| *bytes < 1 << 54);
    }
    let size = number.parse::<f64>().ok().filter(|number| *number >= 0.0)? * unit as f64;
    (size < (1_u64 << 54) as f64).then_some(size.round() as u64)
}
