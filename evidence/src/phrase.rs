//! A text in both languages.

use serde::{Deserialize, Serialize};

use crate::Lang;

/// The same statement in Chinese and English. A value that reads the same in both is stored twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrase {
    pub zh: String,
    pub en: String,
}

impl Phrase {
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Self {
        Self { zh: zh.into(), en: en.into() }
    }

    /// A value that needs no translation: a number, a field, a formula.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { zh: text.clone(), en: text }
    }

    pub fn get(&self, lang: Lang) -> &str {
        lang.pick(&self.zh, &self.en)
    }

    pub fn is_empty(&self) -> bool {
        self.zh.is_empty() && self.en.is_empty()
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}
