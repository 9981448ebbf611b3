//! JSON with a bound on its depth and the place of every error; a key that appears twice is one.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::ReadError;
use crate::Phrase;

/// Nesting deeper than this is refused; real reports stay below 8.
pub const MAX_DEPTH: usize = 64;
/// Values in one document: each takes many times the bytes that it has in the file. Real reports hold some thousands.
pub const MAX_NODES: usize = 100_000;

/// A step from a value to one inside. A key is lent by its object while what it names is read.
enum Step {
    Key(String),
    Index(usize),
}

/// Where the parser is, and what it noticed on the way.
#[derive(Default)]
struct Trail {
    path: RefCell<Vec<Step>>,
    twice: Cell<bool>,
    too_deep: Cell<bool>,
    nodes: Cell<usize>,
}

impl Trail {
    fn pointer(&self) -> String {
        let segments: Vec<String> = self.path.borrow().iter().map(Step::to_string).collect();
        pointer_of(&segments)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Key(key) => f.write_str(key),
            Step::Index(index) => write!(f, "{index}"),
        }
    }
}

/// An RFC 6901 pointer from its segments.
pub(crate) fn pointer_of<S: AsRef<str>>(segments: &[S]) -> String {
    let mut pointer = String::new();
    for segment in segments {
        pointer.push('/');
        pointer.push_str(&segment.as_ref().replace('~', "~0").replace('/', "~1"));
    }
    pointer
}

pub(super) fn parse(text: &str) -> Result<Value, ReadError> {
    let trail = Trail::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // Our own bound is lower than what the stack holds, and names the place.
    Node { trail: &trail }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| explain(&error, text, &trail))
}

fn explain(error: &serde_json::Error, text: &str, trail: &Trail) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let pointer = trail.pointer();
    if trail.too_deep.get() {
        return ReadError::TooDeep { pointer, line, column, limit: MAX_DEPTH };
    }
    if trail.twice.get() {
        return ReadError::Field {
            pointer,
            expected: Phrase::new("每个键只出现一次", "each key once"),
            found: Phrase::new("同一个键两次", "this key twice"),
        };
    }
    if trail.nodes.get() > MAX_NODES {
        return ReadError::TooMany { pointer, count: trail.nodes.get(), limit: MAX_NODES };
    }
    if error.is_eof() {
        return ReadError::Truncated { pointer, line, column };
    }
    if let Some(token) = non_finite(text, line, column) {
        return ReadError::NonFinite { pointer, line, column, token: token.to_owned() };
    }
    let full = error.to_string();
    let detail = full.rsplit_once(" at line ").map_or(full.as_str(), |(detail, _)| detail).to_owned();
    ReadError::Syntax { pointer, line, column, detail }
}

/// The token of Python's `json` that stands where a number should be.
fn non_finite(text: &str, line: usize, column: usize) -> Option<&'static str> {
    let line = text.split('\n').nth(line.checked_sub(1)?)?.as_bytes();
    let from = column.saturating_sub(2).min(line.len());
    ["-Infinity", "Infinity", "NaN"].into_iter().find(|token| {
        // The parser stops on the first letter or just after the sign.
        (from.saturating_sub(1)..=column.min(line.len())).any(|at| line[at..].starts_with(token.as_bytes()))
    })
}

#[derive(Clone, Copy)]
struct Node<'a> {
    trail: &'a Trail,
}

impl Node<'_> {
    fn enter<E: serde::de::Error>(self, step: Step) -> Result<(), E> {
        let mut path = self.trail.path.borrow_mut();
        path.push(step);
        if path.len() > MAX_DEPTH {
            self.trail.too_deep.set(true);
            return Err(E::custom("too deep"));
        }
        Ok(())
    }

    fn leave(self) -> Option<Step> {
        self.trail.path.borrow_mut().pop()
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let nodes = self.trail.nodes.get() + 1;
        self.trail.nodes.set(nodes);
        if nodes > MAX_NODES {
            return Err(serde::de::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            self.enter(Step::Index(items.len()))?;
            match seq.next_element_seed(self)? {
                Some(item) => items.push(item),
                None => break,
            }
            self.leave();
        }
        self.leave();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let twice = object.contains_key(&key);
            self.enter(Step::Key(key))?;
            if twice {
                self.trail.twice.set(true);
                return Err(serde::de::Error::custom("this key stands here twice"));
            }
            let value = map.next_value_seed(self)?;
            if let Some(Step::Key(key)) = self.leave() {
                object.insert(key, value);
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_their_place() {
        let cases: [(&str, &str, &str); 7] = [
            (r#"{"a": {"b": NaN}}"#, "/a/b", "NonFinite"),
            ("{\"a\": [1,\n -Infinity]}", "/a/1", "NonFinite"),
            (r#"{"a": Infinity}"#, "/a", "NonFinite"),
            (r#"{"a": {"b": 1"#, "/a", "Truncated"),
            (r#"{"a": 1,}"#, "", "Syntax"),
            (r#"{"a": 1} x"#, "", "Syntax"),
            (r#"{"a": 1e999}"#, "/a", "Syntax"),
        ];
        for (text, pointer, kind) in cases {
            let error = parse(text).expect_err(text);
            assert_eq!(error.pointer(), pointer, "{text}: {error}");
            assert!(format!("{error:?}").starts_with(kind), "{text}: {error:?}");
        }
    }

    #[test]
    fn a_key_that_appears_twice_is_refused_at_its_place() {
        for (text, pointer) in [(r#"{"a": {"x": 1, "x": 2}}"#, "/a/x"), (r#"{"b/c": 1, "b/c": 1}"#, "/b~1c")] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.pointer(), pointer, "{text}: {error}");
            assert!(matches!(error, ReadError::Field { .. }), "{text}: {error:?}");
        }
        assert!(parse(r#"{"a": {"x": 1}, "b": {"x": 1}}"#).is_ok());
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(matches!(parse(&nested(MAX_DEPTH + 2)), Err(ReadError::TooDeep { limit: MAX_DEPTH, .. })));
        assert!(matches!(parse(&"[".repeat(100_000)), Err(ReadError::TooDeep { .. })));
    }
}
