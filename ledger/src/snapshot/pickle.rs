//! A reader of pickles that knows plain data only.

use super::value::{Data, Id, Value};

/// The largest file that is read.
pub const MAX_PICKLE_BYTES: usize = 512 << 20;
/// Values on the stack at once; Python's own dumps stay far below.
const MAX_STACK: usize = 1 << 22;

/// Why a file is no pickle of plain data. Positions are byte offsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PickleError {
    #[error("the file has {bytes} bytes: at most {limit} are read")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("byte {at}: the file ends in the middle")]
    Truncated { at: usize },
    #[error("byte {at}: protocol {found} is not read: expected 2 to 5")]
    Protocol { at: usize, found: u8 },
    /// A snapshot needs no class; a pickle that names one could run code in Python.
    #[error("byte {at}: the pickle names a class or calls a function: refused")]
    Class { at: usize },
    #[error("byte {at}: unknown instruction 0x{code:02x}")]
    Unknown { at: usize, code: u8 },
    #[error("byte {at}: {problem}")]
    Malformed { at: usize, problem: &'static str },
}

struct Machine<'a> {
    input: &'a [u8],
    at: usize,
    data: Data,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: Vec<Option<Id>>,
}

pub(super) fn parse(input: &[u8]) -> Result<Data, PickleError> {
    if input.len() > MAX_PICKLE_BYTES {
        return Err(PickleError::TooLarge { bytes: input.len() as u64, limit: MAX_PICKLE_BYTES as u64 });
    }
    let mut machine =
        Machine { input, at: 0, data: Data::default(), stack: Vec::new(), marks: Vec::new(), memo: Vec::new() };
    match machine.take(2)? {
        [0x80, 2..=5] => {}
        [0x80, found] => return Err(PickleError::Protocol { at: 1, found: *found }),
        _ => return Err(PickleError::Malformed { at: 0, problem: "not a pickle of protocol 2 to 5" }),
    }
    while machine.step()? {}
    Ok(machine.data)
}

impl<'a> Machine<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], PickleError> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.input.len());
        let end = end.ok_or(PickleError::Truncated { at: self.input.len() })?;
        let bytes = &self.input[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    /// A little-endian unsigned number of up to eight bytes.
    fn number(&mut self, length: usize) -> Result<u64, PickleError> {
        Ok(self.take(length)?.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn length(&mut self, width: usize) -> Result<usize, PickleError> {
        let at = self.at;
        usize::try_from(self.number(width)?).map_err(|_| PickleError::Truncated { at })
    }

    fn malformed(&self, problem: &'static str) -> PickleError {
        PickleError::Malformed { at: self.at.saturating_sub(1), problem }
    }

    fn push(&mut self, value: Value) -> Result<(), PickleError> {
        let id = Id::try_from(self.data.values.len()).map_err(|_| self.malformed("too many values"))?;
        self.data.values.push(value);
        self.push_id(id)
    }

    fn push_id(&mut self, id: Id) -> Result<(), PickleError> {
        if self.stack.len() >= MAX_STACK {
            return Err(self.malformed("too many values on the stack"));
        }
        self.stack.push(id);
        Ok(())
    }

    /// Values above the last mark must not be touched from below it.
    fn pop(&mut self) -> Result<Id, PickleError> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err(self.malformed("nothing on the stack"));
        }
        self.stack.pop().ok_or_else(|| self.malformed("nothing on the stack"))
    }

    fn pop_mark(&mut self) -> Result<Vec<Id>, PickleError> {
        let from = self.marks.pop().ok_or_else(|| self.malformed("no mark on the stack"))?;
        Ok(self.stack.split_off(from.min(self.stack.len())))
    }

    fn text(&mut self, length: usize) -> Result<(), PickleError> {
        let text = std::str::from_utf8(self.take(length)?).map(Box::from);
        let text = text.map_err(|_| self.malformed("text is not UTF-8"))?;
        self.push(Value::Text(text))
    }

    fn bytes(&mut self, length: usize) -> Result<(), PickleError> {
        self.take(length)?;
        self.push(Value::Bytes)
    }

    /// A two's-complement number of up to sixteen bytes.
    fn long(&mut self, length: usize) -> Result<(), PickleError> {
        if length > 16 {
            return Err(self.malformed("a number of more than 128 bits"));
        }
        let bytes = self.take(length)?;
        let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
        let mut wide = [fill; 16];
        wide[..length].copy_from_slice(bytes);
        self.push(Value::Int(i128::from_le_bytes(wide)))
    }

    fn tuple(&mut self, length: usize) -> Result<(), PickleError> {
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(self.pop()?);
        }
        items.reverse();
        self.push(Value::List(items))
    }

    fn append(&mut self, items: Vec<Id>) -> Result<(), PickleError> {
        let list = self.stack.last().copied().ok_or_else(|| self.malformed("nothing to append to"))?;
        match self.data.values.get_mut(list as usize) {
            Some(Value::List(known)) => known.extend(items),
            _ => return Err(self.malformed("appends to no list")),
        }
        Ok(())
    }

    fn set(&mut self, items: Vec<Id>) -> Result<(), PickleError> {
        if !items.len().is_multiple_of(2) {
            return Err(self.malformed("a key without a value"));
        }
        let dict = self.stack.last().copied().ok_or_else(|| self.malformed("nothing to set in"))?;
        match self.data.values.get_mut(dict as usize) {
            Some(Value::Dict(known)) => known.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            _ => return Err(self.malformed("sets in no dictionary")),
        }
        Ok(())
    }

    fn put(&mut self, at: usize) -> Result<(), PickleError> {
        let id = self.stack.last().copied().ok_or_else(|| self.malformed("nothing to remember"))?;
        // Python numbers its memo densely; a gap larger than the file is hostile.
        if at > self.input.len() {
            return Err(self.malformed("a memo number beyond the file"));
        }
        if self.memo.len() <= at {
            self.memo.resize(at + 1, None);
        }
        self.memo[at] = Some(id);
        Ok(())
    }

    fn recall(&mut self, at: usize) -> Result<(), PickleError> {
        let id = self.memo.get(at).copied().flatten();
        let id = id.ok_or_else(|| self.malformed("nothing under that memo number"))?;
        self.push_id(id)
    }

    /// One instruction; `false` at the end. Codes and their meaning: Python's `pickletools`.
    fn step(&mut self) -> Result<bool, PickleError> {
        let at = self.at;
        let code = self.take(1)?[0];
        match code {
            b'.' => {
                self.data.root = self.pop()?;
                return Ok(false);
            }
            0x80 | 0x95 => {
                self.take(if code == 0x80 { 1 } else { 8 })?;
            }
            b'N' => self.push(Value::None)?,
            0x88 | 0x89 => self.push(Value::Bool(code == 0x88))?,
            b'K' => {
                let number = self.number(1)?;
                self.push(Value::Int(number.into()))?;
            }
            b'M' => {
                let number = self.number(2)?;
                self.push(Value::Int(number.into()))?;
            }
            b'J' => self.long(4)?,
            0x8a => {
                let length = self.length(1)?;
                self.long(length)?;
            }
            0x8b => {
                let length = self.length(4)?;
                self.long(length)?;
            }
            b'G' => {
                let bits = self.number(8)?.swap_bytes();
                self.push(Value::Float(f64::from_bits(bits)))?;
            }
            0x8c | b'X' | 0x8d => {
                let length = self.length(width(code))?;
                self.text(length)?;
            }
            b'C' | b'B' | 0x8e | 0x96 | b'U' | b'T' => {
                let length = self.length(width(code))?;
                self.bytes(length)?;
            }
            b'}' => self.push(Value::Dict(Vec::new()))?,
            b']' | b')' | 0x8f => self.push(Value::List(Vec::new()))?,
            0x85..=0x87 => self.tuple(usize::from(code - 0x84))?,
            b'(' => self.marks.push(self.stack.len()),
            b't' | b'l' | 0x91 => {
                let items = self.pop_mark()?;
                self.push(Value::List(items))?;
            }
            b'd' => {
                let items = self.pop_mark()?;
                self.push(Value::Dict(Vec::new()))?;
                self.set(items)?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' | 0x90 => {
                let items = self.pop_mark()?;
                self.append(items)?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set(vec![key, value])?;
            }
            b'u' => {
                let items = self.pop_mark()?;
                self.set(items)?;
            }
            0x94 => self.put(self.memo.len())?,
            b'q' | b'r' => {
                let number = self.length(if code == b'q' { 1 } else { 4 })?;
                self.put(number)?;
            }
            b'h' | b'j' => {
                let number = self.length(if code == b'h' { 1 } else { 4 })?;
                self.recall(number)?;
            }
            b'0' => {
                self.pop()?;
            }
            b'1' => {
                self.pop_mark()?;
            }
            b'2' => {
                let top = self.pop()?;
                self.push_id(top)?;
                self.push_id(top)?;
            }
            b'c' | 0x93 | b'R' | b'b' | b'i' | b'o' | 0x81 | 0x92 | 0x82..=0x84 | b'P' | b'Q' | 0x97 | 0x98 => {
                return Err(PickleError::Class { at });
            }
            _ => return Err(PickleError::Unknown { at, code }),
        }
        Ok(true)
    }
}

/// Bytes of the length that stands before a text or byte string.
fn width(code: u8) -> usize {
    match code {
        0x8c | b'C' | b'U' => 1,
        0x8d | 0x8e | 0x96 => 8,
        _ => 4,
    }
}
