//! Lab 74 as a tool: a trace of `torch.profiler`, or its table of operators, summed up.
//!
//! A trace is read as a stream from any [`Read`], plain or gzip. What is kept does not grow with the file: sums by name,
//! the spans of calls, kernels and copies (at most four million, 24 bytes each), the totals of the allocator.
//! Times are the doubles of the file, rounded to nanoseconds; from there on the arithmetic is exact.

mod category;
mod collect;
mod conclude;
mod error;
mod event;
mod guard;
mod interval;
mod nesting;
mod stream;
mod summary;
mod table;

use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

use guard::{Breach, Inflated, Taken, Watch};

pub use category::Category;
pub use error::TraceError;
pub use summary::{
    CategoryTime, DeviceName, DeviceTime, LeftOut, MemoryPoint, MemoryTrack, NameTime, Overhead, StepTime, Trace, share,
};
pub use table::{OperatorRow, OperatorTable, ProfiledTable, read_table};

/// Longer JSON is refused, after decompression: 2 GiB.
pub const MAX_BYTES: u64 = 2 << 30;
/// Deeper nesting is refused.
pub const MAX_DEPTH: u32 = 64;
/// Longer texts are refused.
pub const MAX_TEXT: u32 = 1 << 20;
/// Tables and reports are smaller.
const HEAD: u64 = 1 << 20;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What a file turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Trace(Box<Trace>),
    /// Operator tables: one that came alone, or those of a profile report.
    Tables(Vec<ProfiledTable>),
}

/// Reads a Chrome trace (`.json` or `.json.gz`), the text of `key_averages().table()`, or a profile report of lab 74.
///
/// Unknown fields are ignored. A single event with an impossible time is left out, counted, and the first is named.
///
/// # Errors
/// [`TraceError`], with the byte at which it went wrong where there is one.
pub fn read(source: impl Read) -> Result<Reading, TraceError> {
    let watch = Watch::default();
    let mut source = Taken { inner: source, watch: &watch };
    let mut magic = Vec::with_capacity(2);
    source.by_ref().take(2).read_to_end(&mut magic).map_err(|error| failed(&error, &watch, 0))?;
    let compressed = magic == GZIP;
    let joined = Cursor::new(magic).chain(source);
    let mut plain: Box<dyn Read + '_> = match compressed {
        true => Box::new(Inflated { inner: MultiGzDecoder::new(BufReader::new(joined)), watch: &watch, count: 0 }),
        false => Box::new(joined),
    };
    let mut head = Vec::new();
    if let Err(error) = plain.by_ref().take(HEAD + 1).read_to_end(&mut head) {
        return Err(failed(&error, &watch, head.len() as u64));
    }
    let complete = head.len() as u64 <= HEAD;
    let skipped = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let begin = &head[skipped..];
    match begin.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None if complete => Err(TraceError::Empty),
        Some(b'{' | b'[') => {
            if let Some(tables) = complete.then(|| report(&head)).flatten() {
                return Ok(Reading::Tables(tables));
            }
            watch.offset.set(skipped as u64);
            let gathered = stream::parse(BufReader::with_capacity(1 << 16, begin.chain(plain)), &watch)?;
            let collected = gathered.collected;
            if collected.timed == 0 && collected.memory.is_empty() {
                return Err(TraceError::NothingTimed { events: collected.events });
            }
            let trace = conclude::conclude(collected, watch.offset.get(), compressed, gathered.devices);
            Ok(Reading::Trace(Box::new(trace)))
        }
        _ => text(begin, complete),
    }
}

/// The tables of a profile report; none when it is something else.
fn report(head: &[u8]) -> Option<Vec<ProfiledTable>> {
    let doc = crate::read(head).ok().filter(|doc| doc.shape == crate::Shape::Lab74Profile)?;
    Some(table::of_report(&doc.raw)).filter(|tables| !tables.is_empty())
}

fn text(begin: &[u8], complete: bool) -> Result<Reading, TraceError> {
    let text = String::from_utf8_lossy(begin);
    if !complete || !table::looks_like_one(&text) {
        let begins = text.trim_start().chars().take(40).filter(|c| !c.is_control()).collect();
        return Err(TraceError::NotATrace { begins });
    }
    let table = read_table(&text)?;
    Ok(Reading::Tables(vec![ProfiledTable { name: String::new(), step_time_ms: None, table }]))
}

/// A failure before the parser began.
fn failed(error: &io::Error, watch: &Watch, offset: u64) -> TraceError {
    match watch.breach.get() {
        Some(Breach::Bomb) => TraceError::Bomb { offset },
        Some(Breach::Source) => TraceError::Read { offset, detail: error.to_string() },
        _ => TraceError::Gzip { offset, detail: error.to_string() },
    }
}
