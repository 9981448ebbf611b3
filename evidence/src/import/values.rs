//! Reading single values, with their faults.

use serde_json::Value;

use super::{Fault, FaultKind};
use crate::Phrase;
use crate::read::Locate as _;

/// Bytes in one MiB, the unit of every `*_mb` field.
pub(crate) const MIB: f64 = 1_048_576.0;
/// An `*_mb` value above this (2 TB) was written in bytes.
const MAX_MIB: f64 = 2_000_000.0;

/// Bytes as MiB.
pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB
}

/// A value and its JSON pointer joined to a parent's.
pub(crate) fn at(parent: &str, key: &str) -> String {
    [parent, "/", key].concat()
}

/// What a value is, for a reader.
pub(crate) fn describe(value: &Value) -> Phrase {
    match value {
        Value::Null => Phrase::plain("null"),
        Value::Bool(value) => Phrase::new(format!("布尔值 {value}"), format!("the boolean {value}")),
        Value::Number(number) => Phrase::plain(number.to_string()),
        Value::String(text) => {
            let short: String = text.chars().take(60).collect();
            Phrase::new(format!("字符串 {short:?}"), format!("the string {short:?}"))
        }
        Value::Array(items) => {
            Phrase::new(format!("{} 项的列表", items.len()), format!("a list of {} items", items.len()))
        }
        Value::Object(map) => {
            Phrase::new(format!("{} 个键的对象", map.len()), format!("an object of {} keys", map.len()))
        }
    }
}

/// Reads values of one file and remembers what was wrong.
pub(super) struct Reader<'a> {
    pub(super) raw: &'a Value,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(raw: &'a Value) -> Self {
        Self { raw, faults: Vec::new() }
    }

    /// A value that is there and not null.
    pub(super) fn value(&self, pointer: &str) -> Option<&'a Value> {
        self.raw.locate(pointer).filter(|value| !value.is_null())
    }

    fn fault(&mut self, kind: FaultKind, pointer: &str, expected: Phrase, found: Phrase) {
        self.faults.push(Fault { kind, pointer: pointer.to_owned(), expected, found });
    }

    /// A finite number, or nothing and a fault.
    pub(super) fn number(&mut self, pointer: &str) -> Option<f64> {
        let value = self.value(pointer)?;
        match value.as_f64() {
            Some(number) if value.is_number() && number.is_finite() => Some(number),
            _ => {
                self.fault(
                    FaultKind::NotANumber,
                    pointer,
                    Phrase::new("数字或 null", "a number or null"),
                    describe(value),
                );
                None
            }
        }
    }

    /// A number above zero, or nothing and a fault.
    pub(super) fn positive(&mut self, pointer: &str) -> Option<f64> {
        let number = self.number(pointer)?;
        if number > 0.0 {
            return Some(number);
        }
        self.fault(FaultKind::OutOfRange, pointer, Phrase::plain("> 0"), Phrase::plain(number.to_string()));
        None
    }

    /// A number that is not negative, or nothing and a fault.
    pub(super) fn not_negative(&mut self, pointer: &str) -> Option<f64> {
        let number = self.number(pointer)?;
        if number >= 0.0 {
            return Some(number);
        }
        self.fault(FaultKind::OutOfRange, pointer, Phrase::plain("≥ 0"), Phrase::plain(number.to_string()));
        None
    }

    /// Bytes of an `*_mb` field, which holds MiB. Zero, which the course writes on a CPU, is "not measured" there.
    pub(super) fn mib_field(&mut self, pointer: &str, zero_is_unmeasured: bool) -> Option<u64> {
        if zero_is_unmeasured && self.value(pointer).and_then(Value::as_f64) == Some(0.0) {
            return None;
        }
        let number = self.positive(pointer)?;
        if number > MAX_MIB {
            self.fault(
                FaultKind::Unit,
                pointer,
                Phrase::new("以 MiB 计", "MiB"),
                Phrase::new(format!("{number}（看起来是字节）"), format!("{number}, which looks like bytes")),
            );
            return None;
        }
        Some((number * MIB).round() as u64)
    }

    /// Bytes of an `*_mb` field that may be zero, or nothing and a fault.
    pub(super) fn mib_or_zero(&mut self, pointer: &str) -> Option<u64> {
        if self.value(pointer).and_then(Value::as_f64) == Some(0.0) {
            return Some(0);
        }
        self.mib_field(pointer, false)
    }

    pub(super) fn count(&mut self, pointer: &str) -> Option<u64> {
        let value = self.value(pointer)?;
        if let Some(count) = value.as_u64().filter(|_| value.is_number()) {
            return Some(count);
        }
        // Python writes 1.0 for a count that went through a float.
        if let Some(number) = value.as_f64().filter(|n| value.is_number() && *n >= 0.0 && n.fract() == 0.0 && *n < 1e15)
        {
            return Some(number as u64);
        }
        self.fault(FaultKind::Type, pointer, Phrase::new("非负整数", "a non-negative integer"), describe(value));
        None
    }

    pub(super) fn text(&mut self, pointer: &str) -> Option<String> {
        match self.value(pointer)? {
            Value::String(text) => Some(text.clone()),
            other => {
                self.fault(FaultKind::Type, pointer, Phrase::new("字符串", "a string"), describe(other));
                None
            }
        }
    }
}
