//! Families of models: who wrote the layer decides its exact shape.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The architecture that `model_type` of a Hugging Face `config.json` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    Llama,
    Qwen2,
    Qwen3,
    Mistral,
    Gpt2,
}

impl Family {
    pub const ALL: &'static [Family] = &[Family::Llama, Family::Qwen2, Family::Qwen3, Family::Mistral, Family::Gpt2];

    /// The `model_type` of Hugging Face.
    pub const fn id(self) -> &'static str {
        match self {
            Family::Llama => "llama",
            Family::Qwen2 => "qwen2",
            Family::Qwen3 => "qwen3",
            Family::Mistral => "mistral",
            Family::Gpt2 => "gpt2",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|family| family.id() == id)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
