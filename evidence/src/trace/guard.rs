//! A reader in front of the JSON parser: it knows the place, and ends what would not fit in memory.
//!
//! The parser reads a byte at a time, so the place is exact. It would keep a text as long as the file; here texts and
//! nesting have bounds, so that what is kept does not grow with the file.

use std::cell::Cell;
use std::io::{self, Read};

use super::{MAX_BYTES, MAX_DEPTH, MAX_TEXT};

/// Why reading was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breach {
    TooDeep,
    LongText,
    TooLarge,
    /// The compressed file is a small one that grows beyond reason.
    Bomb,
    /// The source itself failed.
    Source,
}

/// What is known of the reading so far, on both sides of the parser.
#[derive(Default)]
pub(super) struct Watch {
    /// Bytes read, after decompression.
    pub(super) offset: Cell<u64>,
    pub(super) breach: Cell<Option<Breach>>,
    /// The last bytes read, the newest last.
    recent: Cell<u128>,
    /// Bytes taken from the source, before decompression.
    pub(super) taken: Cell<u64>,
}

impl Watch {
    pub(super) fn refuse(&self, breach: Breach) -> io::Error {
        self.breach.set(Some(breach));
        io::Error::other("a bound was met")
    }

    /// The last bytes as text, for a message.
    pub(super) fn recent(&self) -> String {
        let bytes = self.recent.get().to_be_bytes();
        let text = String::from_utf8_lossy(&bytes);
        text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
    }
}

/// Reads on behalf of the parser.
pub(super) struct Guard<'a, R> {
    inner: R,
    watch: &'a Watch,
    depth: u32,
    /// Bytes of the text that is open, if one is.
    text: Option<u32>,
    escaped: bool,
}

impl<'a, R: Read> Guard<'a, R> {
    pub(super) fn new(inner: R, watch: &'a Watch) -> Self {
        Self { inner, watch, depth: 0, text: None, escaped: false }
    }

    fn note(&mut self, byte: u8) -> Result<(), Breach> {
        match &mut self.text {
            Some(long) => {
                *long += 1;
                if self.escaped {
                    self.escaped = false;
                } else if byte == b'\\' {
                    self.escaped = true;
                } else if byte == b'"' {
                    self.text = None;
                } else if *long > MAX_TEXT {
                    return Err(Breach::LongText);
                }
            }
            None => match byte {
                b'"' => self.text = Some(0),
                b'{' | b'[' => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(Breach::TooDeep);
                    }
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            },
        }
        Ok(())
    }
}

impl<R: Read> Read for Guard<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        for byte in &buffer[..count] {
            self.watch.offset.set(self.watch.offset.get() + 1);
            self.watch.recent.set(self.watch.recent.get() << 8 | u128::from(*byte));
            self.note(*byte).map_err(|breach| self.watch.refuse(breach))?;
        }
        if self.watch.offset.get() > MAX_BYTES {
            return Err(self.watch.refuse(Breach::TooLarge));
        }
        Ok(count)
    }
}

/// Counts what is taken from the source and remembers whether it failed.
pub(super) struct Taken<'a, R> {
    pub(super) inner: R,
    pub(super) watch: &'a Watch,
}

impl<R: Read> Read for Taken<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.watch.breach.set(Some(Breach::Source));
            }
        })?;
        self.watch.taken.set(self.watch.taken.get() + count as u64);
        Ok(count)
    }
}

/// Text that grows by more than this, once it is beyond [`FREE`], is a bomb: traces shrink ten to thirty times.
const MAX_GROWTH: u64 = 100;
/// So much may come out of any file.
const FREE: u64 = 16 << 20;

/// Holds the inflated size against the compressed one.
pub(super) struct Inflated<'a, R> {
    pub(super) inner: R,
    pub(super) watch: &'a Watch,
    pub(super) count: u64,
}

impl<R: Read> Read for Inflated<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        if self.count > FREE && self.count / MAX_GROWTH > self.watch.taken.get() {
            return Err(self.watch.refuse(Breach::Bomb));
        }
        Ok(count)
    }
}
