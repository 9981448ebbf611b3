//! Block formats of ggml (`GGML_QUANT_SIZES` of the gguf package).

use std::str::FromStr;

/// A tensor type: `block` weights in `bytes` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "ggml's own names")]
#[non_exhaustive]
pub enum GgmlType {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    F64,
    Q8_1,
    Q8_K,
    IQ1_S,
    IQ1_M,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    TQ1_0,
    TQ2_0,
    MXFP4,
    NVFP4,
}

impl GgmlType {
    pub const ALL: &'static [GgmlType] = &[
        GgmlType::F32,
        GgmlType::F16,
        GgmlType::BF16,
        GgmlType::Q4_0,
        GgmlType::Q4_1,
        GgmlType::Q5_0,
        GgmlType::Q5_1,
        GgmlType::Q8_0,
        GgmlType::Q2_K,
        GgmlType::Q3_K,
        GgmlType::Q4_K,
        GgmlType::Q5_K,
        GgmlType::Q6_K,
        GgmlType::IQ4_NL,
        GgmlType::IQ4_XS,
        GgmlType::F64,
        GgmlType::Q8_1,
        GgmlType::Q8_K,
        GgmlType::IQ1_S,
        GgmlType::IQ1_M,
        GgmlType::IQ2_XXS,
        GgmlType::IQ2_XS,
        GgmlType::IQ2_S,
        GgmlType::IQ3_XXS,
        GgmlType::IQ3_S,
        GgmlType::TQ1_0,
        GgmlType::TQ2_0,
        GgmlType::MXFP4,
        GgmlType::NVFP4,
    ];

    /// Weights per block, bytes per block.
    pub const fn block(self) -> (u64, u64) {
        match self {
            GgmlType::F32 => (1, 4),
            GgmlType::F16 | GgmlType::BF16 => (1, 2),
            // An FP16 scale (and minimum) and 32 weights.
            GgmlType::Q4_0 => (32, 2 + 16),
            GgmlType::Q4_1 => (32, 2 + 2 + 16),
            GgmlType::Q5_0 => (32, 2 + 4 + 16),
            GgmlType::Q5_1 => (32, 2 + 2 + 4 + 16),
            GgmlType::Q8_0 => (32, 2 + 32),
            // Superblocks of 256 with their own scales of scales.
            GgmlType::Q2_K => (256, 2 + 2 + 16 + 64),
            GgmlType::Q3_K => (256, 2 + 64 + 32 + 12),
            GgmlType::Q4_K => (256, 2 + 2 + 128 + 12),
            GgmlType::Q5_K => (256, 2 + 2 + 128 + 32 + 12),
            GgmlType::Q6_K => (256, 2 + 128 + 64 + 16),
            GgmlType::IQ4_NL => (32, 2 + 16),
            GgmlType::IQ4_XS => (256, 2 + 2 + 128 + 4),
            GgmlType::F64 => (1, 8),
            GgmlType::Q8_1 => (32, 4 + 4 + 32),
            GgmlType::Q8_K => (256, 4 + 256 + 32),
            GgmlType::IQ1_S => (256, 2 + 32 + 16),
            GgmlType::IQ1_M => (256, 32 + 16 + 8),
            GgmlType::IQ2_XXS => (256, 2 + 64),
            GgmlType::IQ2_XS => (256, 2 + 64 + 8),
            GgmlType::IQ2_S => (256, 2 + 64 + 16),
            GgmlType::IQ3_XXS => (256, 2 + 64 + 32),
            GgmlType::IQ3_S => (256, 2 + 64 + 32 + 8 + 4),
            GgmlType::TQ1_0 => (256, 2 + 4 * 13),
            GgmlType::TQ2_0 => (256, 2 + 64),
            GgmlType::MXFP4 => (32, 1 + 16),
            // Four 16-weight groups with an E4M3 scale each.
            GgmlType::NVFP4 => (64, 4 + 32),
        }
    }

    pub const fn id(self) -> &'static str {
        match self {
            GgmlType::F32 => "F32",
            GgmlType::F16 => "F16",
            GgmlType::BF16 => "BF16",
            GgmlType::Q4_0 => "Q4_0",
            GgmlType::Q4_1 => "Q4_1",
            GgmlType::Q5_0 => "Q5_0",
            GgmlType::Q5_1 => "Q5_1",
            GgmlType::Q8_0 => "Q8_0",
            GgmlType::Q2_K => "Q2_K",
            GgmlType::Q3_K => "Q3_K",
            GgmlType::Q4_K => "Q4_K",
            GgmlType::Q5_K => "Q5_K",
            GgmlType::Q6_K => "Q6_K",
            GgmlType::IQ4_NL => "IQ4_NL",
            GgmlType::IQ4_XS => "IQ4_XS",
            GgmlType::F64 => "F64",
            GgmlType::Q8_1 => "Q8_1",
            GgmlType::Q8_K => "Q8_K",
            GgmlType::IQ1_S => "IQ1_S",
            GgmlType::IQ1_M => "IQ1_M",
            GgmlType::IQ2_XXS => "IQ2_XXS",
            GgmlType::IQ2_XS => "IQ2_XS",
            GgmlType::IQ2_S => "IQ2_S",
            GgmlType::IQ3_XXS => "IQ3_XXS",
            GgmlType::IQ3_S => "IQ3_S",
            GgmlType::TQ1_0 => "TQ1_0",
            GgmlType::TQ2_0 => "TQ2_0",
            GgmlType::MXFP4 => "MXFP4",
            GgmlType::NVFP4 => "NVFP4",
        }
    }

    /// Average bits per weight.
    pub fn bits_per_weight(self) -> f64 {
        let (weights, bytes) = self.block();
        (bytes * 8) as f64 / weights as f64
    }

    /// Bytes of `weights` numbers in whole blocks; `None` beyond 2⁶⁴.
    pub fn bytes(self, weights: u64) -> Option<u64> {
        let (block, bytes) = self.block();
        weights.div_ceil(block).checked_mul(bytes)
    }
}

/// The name is no tensor type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown ggml type {0:?}")]
pub struct UnknownGgmlType(pub String);

impl FromStr for GgmlType {
    type Err = UnknownGgmlType;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.id() == name)
            .ok_or_else(|| UnknownGgmlType(name.chars().take(40).collect()))
    }
}
