//! The format of a golden file.

use std::{error::Error, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

/// One quantity with its expected value.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub inputs: Value,
    pub value: Value,
    #[serde(default)]
    pub tolerance: Value,
    #[serde(default = "yes")]
    pub reference: bool,
}

fn yes() -> bool {
    true
}

pub fn read(file: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    Ok(serde_json::from_str(&fs::read_to_string(file)?)?)
}

impl Case {
    /// The id up to its first `/`.
    pub fn kind(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }

    /// The id after its first `/`.
    pub fn rest(&self) -> &str {
        self.id.split_once('/').map_or("", |(_, rest)| rest)
    }

    pub fn whole(&self, key: &str) -> Option<u64> {
        let value = self.inputs.get(key)?;
        value.as_u64().or_else(|| {
            value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64)
        })
    }

    pub fn real(&self, key: &str) -> Option<f64> {
        self.inputs.get(key)?.as_f64()
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.inputs.get(key)?.as_str()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.inputs.get(key)?.as_bool()
    }
}
