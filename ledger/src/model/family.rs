//! Families of models: who wrote the layer decides its exact shape.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The architecture that `model_type` of a Hugging Face `config.json` names.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    Llama,
    Qwen2,
    Qwen3,
    Mistral,
    Gpt2,
    Gemma2,
    #[serde(rename = "gemma3_text")]
    Gemma3,
    Phi,
    Phi3,
    Mixtral,
    Qwen2Moe,
    Qwen3Moe,
    GptOss,
    DeepseekV2,
    DeepseekV3,
    KimiK2,
}

impl Family {
    pub const ALL: &'static [Family] = &[
        Family::Llama,
        Family::Qwen2,
        Family::Qwen3,
        Family::Mistral,
        Family::Gpt2,
        Family::Gemma2,
        Family::Gemma3,
        Family::Phi,
        Family::Phi3,
        Family::Mixtral,
        Family::Qwen2Moe,
        Family::Qwen3Moe,
        Family::GptOss,
        Family::DeepseekV2,
        Family::DeepseekV3,
        Family::KimiK2,
    ];

    /// The `model_type` of Hugging Face.
    pub const fn id(self) -> &'static str {
        match self {
            Family::Llama => "llama",
            Family::Qwen2 => "qwen2",
            Family::Qwen3 => "qwen3",
            Family::Mistral => "mistral",
            Family::Gpt2 => "gpt2",
            Family::Gemma2 => "gemma2",
            Family::Gemma3 => "gemma3_text",
            Family::Phi => "phi",
            Family::Phi3 => "phi3",
            Family::Mixtral => "mixtral",
            Family::Qwen2Moe => "qwen2_moe",
            Family::Qwen3Moe => "qwen3_moe",
            Family::GptOss => "gpt_oss",
            Family::DeepseekV2 => "deepseek_v2",
            Family::DeepseekV3 => "deepseek_v3",
            Family::KimiK2 => "kimi_k2",
        }
    }

    /// Query, key and value are one matrix, as are gate and up where there is a gate.
    pub const fn fuses_projections(self) -> bool {
        matches!(self, Family::Gpt2 | Family::Phi3)
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
