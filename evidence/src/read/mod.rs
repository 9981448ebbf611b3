//! From bytes to a [`Document`].

mod detect;
mod error;
mod json;
mod locate;
mod nearest;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::import::{self, Paper};
use crate::{Report, Shape};

pub use error::ReadError;
pub(crate) use json::pointer_of;
pub(crate) use locate::Locate;
pub(crate) use nearest::{Nearest, nearest};

/// Larger files are refused; the largest real report is below 10 kB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A report as it was handed in, and as we understand it.
#[derive(Debug, Clone)]
pub struct Document {
    pub shape: Shape,
    /// In the one schema. Memory is in bytes, whatever the file's unit was.
    pub report: Report,
    /// SHA-256 of the exact bytes, lower-case hex.
    pub sha256: String,
    /// The file's JSON. Checks point into it.
    pub raw: Value,
    pub(crate) paper: Paper,
}

/// Reads a report of any known shape.
///
/// A UTF-8 byte order mark is tolerated. A key that appears twice is refused: nobody can tell which value was meant.
///
/// # Errors
///
/// [`ReadError`] when the file is too large, not JSON (Python's `NaN` and `Infinity` are named as such), not an object,
/// empty, or when a part that gives it its structure has the wrong type. A file of no known shape is a document all the
/// same, [`Shape::Unrecognised`]: it is kept, and its grade names the nearest shape. A single metric or field of the
/// wrong type is no read error: it becomes a failed check of the grade.
pub fn read(bytes: &[u8]) -> Result<Document, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReadError::TooLarge { bytes: bytes.len(), limit: MAX_BYTES });
    }
    let sha256 = sha256(bytes);
    // No JSON has the letter; every UTF-16 and UTF-32 does, and some of it passes for UTF-8.
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(ReadError::Encoding { offset });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::Encoding { offset: error.valid_up_to() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let raw = json::parse(text)?;
    if !raw.is_object() {
        return Err(import::wrong_type("", "对象", "an object", &raw));
    }
    let shape = detect::shape(&raw)?;
    let (report, paper) = import::import(shape, &raw, &sha256)?;
    Ok(Document { shape, report, sha256, raw, paper })
}

impl Document {
    /// The lab the report is about: `73`, `75`, `76`, a v1 report's own; empty when the file does not say.
    pub fn lab(&self) -> &str {
        &self.report.lab
    }

    /// Whether the file declares itself, or turns out, to hold no measurement.
    pub fn is_dry_run(&self) -> bool {
        self.shape == Shape::DryRun
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256, lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
