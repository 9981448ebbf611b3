use serde::{Serialize, de::DeserializeOwned};

use super::StoreError;

/// JSON kept as text on both engines. PostgreSQL's JSONB refuses `\u0000` and reorders keys; a report may contain
/// the one, and readers expect back what was stored.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct JsonText(String);

impl JsonText {
    pub fn of(value: &impl Serialize) -> Result<Self, StoreError> {
        Ok(Self(serde_json::to_string(value)?))
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        Ok(serde_json::from_str(&self.0)?)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
