//! Number formats and their width.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// How one number is stored.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dtype {
    #[serde(rename = "fp32")]
    F32,
    #[serde(rename = "bf16")]
    Bf16,
    #[serde(rename = "fp16")]
    F16,
    #[serde(rename = "fp8")]
    Fp8,
    #[serde(rename = "int8")]
    Int8,
    #[serde(rename = "int4")]
    Int4,
}

impl Dtype {
    pub const ALL: [Dtype; 6] = [Dtype::F32, Dtype::Bf16, Dtype::F16, Dtype::Fp8, Dtype::Int8, Dtype::Int4];

    pub const fn id(self) -> &'static str {
        match self {
            Dtype::F32 => "fp32",
            Dtype::Bf16 => "bf16",
            Dtype::F16 => "fp16",
            Dtype::Fp8 => "fp8",
            Dtype::Int8 => "int8",
            Dtype::Int4 => "int4",
        }
    }

    /// Bits per number, without scales or zero points.
    pub const fn bits(self) -> u64 {
        match self {
            Dtype::F32 => 32,
            Dtype::Bf16 | Dtype::F16 => 16,
            Dtype::Fp8 | Dtype::Int8 => 8,
            Dtype::Int4 => 4,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The name is no dtype; `Dtype::ALL` lists those that are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dtype {0:?}: expected one of fp32, bf16, fp16, fp8, int8, int4")]
pub struct UnknownDtype(pub String);

impl FromStr for Dtype {
    type Err = UnknownDtype;

    /// Accepts the ids and PyTorch's long names (`float32`, `bfloat16`, `float16`).
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let long = match name {
            "float32" => Some(Dtype::F32),
            "bfloat16" => Some(Dtype::Bf16),
            "float16" => Some(Dtype::F16),
            _ => Self::ALL.into_iter().find(|dtype| dtype.id() == name),
        };
        long.ok_or_else(|| UnknownDtype(name.to_owned()))
    }
}
