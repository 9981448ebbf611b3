//! What transformers assumes for keys that a configuration leaves out.
//!
//! Files written by the library state the sizes of a model of their own, but leave out those that equal the family's
//! defaults in the nested `text_config` of a multimodal model: Gemma 3 4B states neither heads nor vocabulary there.

use crate::Family;

/// Default sizes of a family's configuration class.
pub(super) struct Sizes {
    pub vocab: u64,
    pub hidden: u64,
    pub intermediate: u64,
    pub layers: u64,
    pub heads: u64,
    /// `None`: one per query head.
    pub kv_heads: Option<u64>,
    /// `None`: width ÷ heads.
    pub head_dim: Option<u64>,
    pub positions: u64,
}

const fn sizes(
    [vocab, hidden, intermediate, layers, heads, positions]: [u64; 6],
    kv_heads: Option<u64>,
    head_dim: Option<u64>,
) -> Sizes {
    Sizes { vocab, hidden, intermediate, layers, heads, kv_heads, head_dim, positions }
}

impl Family {
    /// From the `configuration_*.py` files of transformers.
    pub(super) const fn defaults(self) -> Sizes {
        match self {
            Family::Llama => sizes([32_000, 4_096, 11_008, 32, 32, 2_048], None, None),
            Family::Mistral => sizes([32_000, 4_096, 14_336, 32, 32, 131_072], Some(8), None),
            Family::Mixtral => sizes([32_000, 4_096, 14_336, 32, 32, 131_072], Some(8), None),
            Family::Qwen2 => sizes([151_936, 4_096, 22_016, 32, 32, 32_768], Some(32), None),
            Family::Qwen3 => sizes([151_936, 4_096, 22_016, 32, 32, 32_768], Some(32), Some(128)),
            Family::Qwen2Moe => sizes([151_936, 2_048, 5_632, 24, 16, 32_768], Some(16), None),
            Family::Qwen3Moe => sizes([151_936, 2_048, 6_144, 24, 32, 32_768], Some(4), None),
            Family::Gemma2 => sizes([256_000, 2_304, 9_216, 26, 8, 8_192], Some(4), Some(256)),
            Family::Gemma3 => sizes([262_208, 2_304, 9_216, 26, 8, 131_072], Some(4), Some(256)),
            Family::Phi => sizes([51_200, 2_048, 8_192, 24, 32, 2_048], None, None),
            Family::Phi3 => sizes([32_064, 3_072, 8_192, 32, 32, 4_096], None, None),
            Family::GptOss => sizes([201_088, 2_880, 2_880, 36, 64, 131_072], Some(8), Some(64)),
            Family::Gpt2 => sizes([50_257, 768, 3_072, 12, 12, 1_024], None, None),
            Family::DeepseekV2 => sizes([32_000, 4_096, 11_008, 32, 32, 2_048], None, None),
            Family::DeepseekV3 | Family::KimiK2 => sizes([129_280, 7_168, 18_432, 61, 128, 4_096], Some(128), None),
        }
    }
}
