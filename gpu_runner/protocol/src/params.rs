//! Parameters of a job: a small, flat map. What each means is the lab's affair.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::{PARAM_TEXT_BYTES, PARAMS};

/// `{"rows": 4096, "dtype": "fp32"}`. A JSON number must be a non-negative integer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, ParamValue>", into = "BTreeMap<String, ParamValue>")]
pub struct Params(BTreeMap<String, ParamValue>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    Integer(u64),
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    #[error("{found} parameters; expected at most {PARAMS}")]
    TooMany { found: usize },
    #[error("parameter name {name:?}: expected 1 to 32 of a-z, 0-9 and '_'")]
    Name { name: String },
    #[error("parameter {name}: {found} bytes of text; expected at most {PARAM_TEXT_BYTES}")]
    TextTooLong { name: String, found: usize },
}

impl Params {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn insert(&mut self, name: &str, value: ParamValue) -> Result<(), ParamError> {
        check(name, &value)?;
        if !self.0.contains_key(name) && self.0.len() == PARAMS {
            return Err(ParamError::TooMany { found: PARAMS + 1 });
        }
        self.0.insert(name.to_owned(), value);
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<&ParamValue> {
        self.0.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn check(name: &str, value: &ParamValue) -> Result<(), ParamError> {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 32 || !name.chars().all(known) {
        return Err(ParamError::Name { name: name.chars().take(32).collect() });
    }
    match value {
        ParamValue::Text(text) if text.len() > PARAM_TEXT_BYTES => {
            Err(ParamError::TextTooLong { name: name.to_owned(), found: text.len() })
        }
        _ => Ok(()),
    }
}

impl TryFrom<BTreeMap<String, ParamValue>> for Params {
    type Error = ParamError;

    fn try_from(map: BTreeMap<String, ParamValue>) -> Result<Self, ParamError> {
        if map.len() > PARAMS {
            return Err(ParamError::TooMany { found: map.len() });
        }
        map.iter().try_for_each(|(name, value)| check(name, value))?;
        Ok(Self(map))
    }
}

impl From<Params> for BTreeMap<String, ParamValue> {
    fn from(params: Params) -> Self {
        params.0
    }
}

impl From<u64> for ParamValue {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for ParamValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
