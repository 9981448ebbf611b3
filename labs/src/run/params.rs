//! Parameters of a run: parsed once, with limits; an unknown name is an error that lists the known ones.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Integer(u64),
    Text(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Params(BTreeMap<String, Value>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    #[error("unknown parameter {name}; this lab knows: {known}")]
    Unknown { name: String, known: String },
    #[error("parameter {name}: expected an integer from {least} to {most}, found {found}")]
    Range { name: &'static str, least: u64, most: u64, found: String },
    #[error("parameter {name}: expected one of {allowed}, found {found}")]
    Choice { name: &'static str, allowed: String, found: String },
    #[error("parameter {name}: expected a multiple of {of}, found {found}")]
    Multiple { name: &'static str, of: u64, found: u64 },
    #[error("parameters {names}: {product} elements together; expected at most {most}")]
    Product { names: &'static str, product: u64, most: u64 },
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl FromIterator<(String, Value)> for Params {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl Params {
    pub fn reader(&self) -> Reader<'_> {
        Reader { params: self, known: Vec::new() }
    }
}

/// Takes parameters one by one and, at the end, refuses what no one asked for.
pub struct Reader<'a> {
    params: &'a Params,
    known: Vec<&'static str>,
}

impl Reader<'_> {
    pub fn integer(&mut self, name: &'static str, default: u64, range: RangeInclusive<u64>) -> Result<u64, ParamError> {
        self.known.push(name);
        match self.params.0.get(name) {
            None => Ok(default),
            Some(Value::Integer(value)) if range.contains(value) => Ok(*value),
            Some(other) => {
                let (least, most) = range.into_inner();
                Err(ParamError::Range { name, least, most, found: other.to_string() })
            }
        }
    }

    pub fn choice(
        &mut self,
        name: &'static str,
        default: &'static str,
        allowed: &[&'static str],
    ) -> Result<&'static str, ParamError> {
        self.known.push(name);
        let Some(value) = self.params.0.get(name) else { return Ok(default) };
        let chosen = match value {
            Value::Text(text) => allowed.iter().find(|candidate| *candidate == text),
            Value::Integer(_) => None,
        };
        chosen.copied().ok_or_else(|| ParamError::Choice {
            name,
            allowed: allowed.join(", "),
            found: value.to_string(),
        })
    }

    pub fn finish(self) -> Result<(), ParamError> {
        match self.params.0.keys().find(|name| !self.known.contains(&name.as_str())) {
            Some(name) => Err(ParamError::Unknown { name: name.clone(), known: self.known.join(", ") }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, Value)]) -> Params {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn a_parameter_is_given_defaulted_or_refused() {
        let text = || Value::Text("12".into());
        for (given, expected) in [
            (None, Ok(8)),
            (Some(Value::Integer(1)), Ok(1)),
            (Some(Value::Integer(16)), Ok(16)),
            (Some(Value::Integer(0)), Err("0")),
            (Some(Value::Integer(17)), Err("17")),
            (Some(text()), Err("\"12\"")),
        ] {
            let params = given.map_or_else(Params::default, |value| params(&[("rows", value)]));
            let found = params.reader().integer("rows", 8, 1..=16);
            let expected = expected.map_err(|found| ParamError::Range {
                name: "rows",
                least: 1,
                most: 16,
                found: found.to_owned(),
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_unknown_name_is_told_with_the_known_ones() {
        let params = params(&[("rows", Value::Integer(1)), ("row", Value::Integer(1))]);
        let mut reader = params.reader();
        reader.integer("rows", 1, 1..=1).unwrap();
        reader.choice("dtype", "fp32", &["fp32"]).unwrap();
        let expected = ParamError::Unknown { name: "row".into(), known: "rows, dtype".into() };
        assert_eq!(reader.finish(), Err(expected));
    }
}
