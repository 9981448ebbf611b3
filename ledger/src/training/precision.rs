//! How parameters, gradients and activations are stored while training.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::UnknownChoice;

/// The number formats of a training run.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Precision {
    /// Everything in FP32.
    Fp32,
    /// FP32 tensors, matrix products on TF32 tensor cores: faster, the same bytes as `Fp32`.
    Tf32,
    /// `torch.autocast(bfloat16)` over FP32 parameters: no master copy is needed, the parameters are the master.
    AmpBf16,
    /// `torch.autocast(float16)` with a gradient scaler; the same bytes as `AmpBf16`.
    AmpFp16,
    /// BF16 parameters and gradients, and an FP32 master copy with FP32 states (Megatron, DeepSpeed).
    Bf16Master,
    /// As `Bf16Master`, with gradients accumulated in FP32: 18 bytes per parameter with AdamW.
    Bf16MasterFp32Grad,
    /// FP16 parameters and gradients with a loss scaler, an FP32 master copy and FP32 states (apex O2, DeepSpeed).
    Fp16Master,
    /// Everything in BF16, the optimizer's states included.
    PureBf16,
    /// As `Bf16Master`, and the matrix products of the layers in FP8 ([`super::fp8`]); norms, attention and the output
    /// head stay in BF16.
    Fp8,
}

impl Precision {
    pub const ALL: &'static [Precision] = &[
        Precision::Fp32,
        Precision::Tf32,
        Precision::AmpBf16,
        Precision::AmpFp16,
        Precision::Bf16Master,
        Precision::Bf16MasterFp32Grad,
        Precision::Fp16Master,
        Precision::PureBf16,
        Precision::Fp8,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Precision::Fp32 => "fp32",
            Precision::Tf32 => "tf32",
            Precision::AmpBf16 => "amp_bf16",
            Precision::AmpFp16 => "amp_fp16",
            Precision::Bf16Master => "bf16_master",
            Precision::Bf16MasterFp32Grad => "bf16_master_fp32_grad",
            Precision::Fp16Master => "fp16_master",
            Precision::PureBf16 => "pure_bf16",
            Precision::Fp8 => "fp8",
        }
    }

    /// Bytes per parameter of the weights that the layers read.
    pub const fn weight_bytes(self) -> u64 {
        match self {
            Precision::Fp32 | Precision::Tf32 | Precision::AmpBf16 | Precision::AmpFp16 => 4,
            _ => 2,
        }
    }

    /// Bytes per parameter of the gradients: the format of the weights, or FP32 where they are accumulated in it.
    pub const fn gradient_bytes(self) -> u64 {
        match self {
            Precision::Bf16MasterFp32Grad => 4,
            other => other.weight_bytes(),
        }
    }

    /// Bytes per number in the tensors that the optimizer updates and in its states.
    pub const fn state_bytes(self) -> u64 {
        match self {
            Precision::PureBf16 => 2,
            _ => 4,
        }
    }

    /// An FP32 copy of the weights is kept beside them.
    pub const fn has_master(self) -> bool {
        matches!(self, Precision::Bf16Master | Precision::Bf16MasterFp32Grad | Precision::Fp16Master | Precision::Fp8)
    }

    /// Bytes per number of the activations that matrix products save.
    pub const fn compute_bytes(self) -> u64 {
        match self {
            Precision::Fp32 | Precision::Tf32 => 4,
            _ => 2,
        }
    }

    /// The residual stream and the norms are in FP32.
    pub const fn is_wide(self) -> bool {
        self.stream_bytes() == 4
    }

    /// Bytes per number of the residual stream: that of the parameters, as autocast leaves it in FP32.
    pub const fn stream_bytes(self) -> u64 {
        self.weight_bytes()
    }

    /// Matrix products run under `torch.autocast`.
    pub const fn is_autocast(self) -> bool {
        matches!(self, Precision::AmpBf16 | Precision::AmpFp16)
    }
}

impl FromStr for Precision {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.id() == name)
            .ok_or_else(|| UnknownChoice::new("precision", name, Self::ALL.iter().map(|choice| choice.id())))
    }
}
