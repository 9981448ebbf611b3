//! Typed access to the keys of a configuration, each with its place.

use std::cell::RefCell;

use serde_json::{Map, Value};

use super::{
    Assumed,
    error::{ImportError, Kind},
};

/// No size of a real model comes near: 2⁴⁰. Products of a few such sizes are still checked.
pub(super) const MAX_SIZE: u64 = 1 << 40;

/// One JSON object of the document and the pointer to it.
pub(super) struct Reader<'a> {
    base: String,
    object: &'a Map<String, Value>,
    assumed: RefCell<Vec<Assumed>>,
}

/// A short picture of a value for an error message; long text is cut.
fn picture(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(base: &str, value: &'a Value) -> Result<Self, ImportError> {
        match value {
            Value::Object(object) => Ok(Self { base: base.to_owned(), object, assumed: RefCell::default() }),
            other => {
                Err(ImportError::WrongType { pointer: base.to_owned(), expected: Kind::Object, found: picture(other) })
            }
        }
    }

    /// The document itself, not a part of it.
    pub(super) fn is_top(&self) -> bool {
        self.base.is_empty()
    }

    pub(super) fn pointer(&self, key: &str) -> String {
        format!("{}/{}", self.base, key.replace('~', "~0").replace('/', "~1"))
    }

    /// The value, where the key is there and not null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// The key is written down as `null`, which overrides a family's default.
    pub(super) fn is_null(&self, key: &str) -> bool {
        self.object.get(key).is_some_and(Value::is_null)
    }

    fn wrong(&self, key: &str, expected: Kind, found: &Value) -> ImportError {
        ImportError::WrongType { pointer: self.pointer(key), expected, found: picture(found) }
    }

    /// The value of a key is none that its meaning allows.
    pub(super) fn unsupported(&self, key: &str, expected: &'static str) -> ImportError {
        let found = self.get(key).map_or_else(|| "∅".to_owned(), picture);
        ImportError::Unsupported { pointer: self.pointer(key), expected, found }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a String> {
        self.object.keys()
    }

    pub(super) fn child(&self, key: &str) -> Result<Option<Reader<'a>>, ImportError> {
        self.get(key).map(|value| Reader::new(&self.pointer(key), value)).transpose()
    }

    /// An integer in `min..=MAX_SIZE`; `4096.0` counts as 4096.
    fn integer(&self, key: &str, min: u64) -> Result<Option<u64>, ImportError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let Value::Number(number) = value else { return Err(self.wrong(key, Kind::Integer, value)) };
        let outside =
            || ImportError::OutOfRange { pointer: self.pointer(key), min, max: MAX_SIZE, found: picture(value) };
        let whole = match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => whole,
            (None, Some(float)) if float.fract() != 0.0 => return Err(self.wrong(key, Kind::Integer, value)),
            (None, Some(float)) if float >= 0.0 && float <= MAX_SIZE as f64 => float as u64,
            _ => return Err(outside()),
        };
        if (min..=MAX_SIZE).contains(&whole) { Ok(Some(whole)) } else { Err(outside()) }
    }

    /// A size of at least 1, if the key is there.
    pub(super) fn size(&self, key: &str) -> Result<Option<u64>, ImportError> {
        self.integer(key, 1)
    }

    /// A number that may be 0, if the key is there.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, ImportError> {
        self.integer(key, 0)
    }

    /// A size of at least 1, or the family's default, which is noted.
    pub(super) fn size_or(&self, key: &str, default: u64) -> Result<u64, ImportError> {
        Ok(self.size(key)?.unwrap_or_else(|| {
            self.assumed.borrow_mut().push(Assumed { pointer: self.pointer(key), value: default });
            default
        }))
    }

    pub(super) fn into_assumed(self) -> Vec<Assumed> {
        self.assumed.into_inner()
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, ImportError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong(key, Kind::Boolean, other)),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, ImportError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, Kind::Text, other)),
        }
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&'a [Value]>, ImportError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(self.wrong(key, Kind::List, other)),
        }
    }

    /// The quotient of two sizes that must divide.
    pub(super) fn divide(&self, key: &str, value: u64, by: &str, by_value: u64) -> Result<u64, ImportError> {
        if by_value != 0 && value.is_multiple_of(by_value) {
            return Ok(value / by_value);
        }
        Err(ImportError::NotDivisible { pointer: self.pointer(key), value, by: self.pointer(by), by_value })
    }
}
