//! The mixtures of `llama-quantize` by name.

use std::str::FromStr;

use super::GgmlType;

/// What `llama-quantize` is asked for: a type for most tensors, and better ones for those that matter most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "llama.cpp's own names")]
#[non_exhaustive]
pub enum Mixture {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K_S,
    Q2_K,
    Q3_K_S,
    Q3_K_M,
    Q3_K_L,
    Q4_K_S,
    Q4_K_M,
    Q5_K_S,
    Q5_K_M,
    Q6_K,
    IQ1_S,
    IQ1_M,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ2_M,
    IQ3_XXS,
    IQ3_XS,
    IQ3_S,
    IQ3_M,
    IQ4_NL,
    IQ4_XS,
    TQ1_0,
    TQ2_0,
    MXFP4_MOE,
}

impl Mixture {
    pub const ALL: &'static [Mixture] = &[
        Mixture::F32,
        Mixture::F16,
        Mixture::BF16,
        Mixture::Q4_0,
        Mixture::Q4_1,
        Mixture::Q5_0,
        Mixture::Q5_1,
        Mixture::Q8_0,
        Mixture::Q2_K_S,
        Mixture::Q2_K,
        Mixture::Q3_K_S,
        Mixture::Q3_K_M,
        Mixture::Q3_K_L,
        Mixture::Q4_K_S,
        Mixture::Q4_K_M,
        Mixture::Q5_K_S,
        Mixture::Q5_K_M,
        Mixture::Q6_K,
        Mixture::IQ1_S,
        Mixture::IQ1_M,
        Mixture::IQ2_XXS,
        Mixture::IQ2_XS,
        Mixture::IQ2_S,
        Mixture::IQ2_M,
        Mixture::IQ3_XXS,
        Mixture::IQ3_XS,
        Mixture::IQ3_S,
        Mixture::IQ3_M,
        Mixture::IQ4_NL,
        Mixture::IQ4_XS,
        Mixture::TQ1_0,
        Mixture::TQ2_0,
        Mixture::MXFP4_MOE,
    ];

    /// The name on the command line of `llama-quantize`, and the type of the tensors that no rule picks out
    /// (`llama_ftype_get_default_type`).
    const fn entry(self) -> (&'static str, GgmlType) {
        match self {
            Mixture::F32 => ("F32", GgmlType::F32),
            Mixture::F16 => ("F16", GgmlType::F16),
            Mixture::BF16 => ("BF16", GgmlType::BF16),
            Mixture::Q4_0 => ("Q4_0", GgmlType::Q4_0),
            Mixture::Q4_1 => ("Q4_1", GgmlType::Q4_1),
            Mixture::Q5_0 => ("Q5_0", GgmlType::Q5_0),
            Mixture::Q5_1 => ("Q5_1", GgmlType::Q5_1),
            Mixture::Q8_0 => ("Q8_0", GgmlType::Q8_0),
            Mixture::Q2_K_S => ("Q2_K_S", GgmlType::Q2_K),
            Mixture::Q2_K => ("Q2_K", GgmlType::Q2_K),
            Mixture::Q3_K_S => ("Q3_K_S", GgmlType::Q3_K),
            Mixture::Q3_K_M => ("Q3_K_M", GgmlType::Q3_K),
            Mixture::Q3_K_L => ("Q3_K_L", GgmlType::Q3_K),
            Mixture::Q4_K_S => ("Q4_K_S", GgmlType::Q4_K),
            Mixture::Q4_K_M => ("Q4_K_M", GgmlType::Q4_K),
            Mixture::Q5_K_S => ("Q5_K_S", GgmlType::Q5_K),
            Mixture::Q5_K_M => ("Q5_K_M", GgmlType::Q5_K),
            Mixture::Q6_K => ("Q6_K", GgmlType::Q6_K),
            Mixture::IQ1_S => ("IQ1_S", GgmlType::IQ1_S),
            Mixture::IQ1_M => ("IQ1_M", GgmlType::IQ1_M),
            Mixture::IQ2_XXS => ("IQ2_XXS", GgmlType::IQ2_XXS),
            Mixture::IQ2_XS => ("IQ2_XS", GgmlType::IQ2_XS),
            // The names of these four are not those of their types.
            Mixture::IQ2_S => ("IQ2_S", GgmlType::IQ2_XS),
            Mixture::IQ2_M => ("IQ2_M", GgmlType::IQ2_S),
            Mixture::IQ3_XS => ("IQ3_XS", GgmlType::IQ3_S),
            Mixture::IQ3_M => ("IQ3_M", GgmlType::IQ3_S),
            Mixture::IQ3_XXS => ("IQ3_XXS", GgmlType::IQ3_XXS),
            Mixture::IQ3_S => ("IQ3_S", GgmlType::IQ3_S),
            Mixture::IQ4_NL => ("IQ4_NL", GgmlType::IQ4_NL),
            Mixture::IQ4_XS => ("IQ4_XS", GgmlType::IQ4_XS),
            Mixture::TQ1_0 => ("TQ1_0", GgmlType::TQ1_0),
            Mixture::TQ2_0 => ("TQ2_0", GgmlType::TQ2_0),
            Mixture::MXFP4_MOE => ("MXFP4_MOE", GgmlType::MXFP4),
        }
    }

    pub const fn id(self) -> &'static str {
        self.entry().0
    }

    pub(super) const fn base(self) -> GgmlType {
        self.entry().1
    }
}

/// The name is no mixture known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mixture {0:?}")]
pub struct UnknownMixture(pub String);

impl FromStr for Mixture {
    type Err = UnknownMixture;

    /// Accepts the ids, and `Q3_K`, `Q4_K`, `Q5_K` for the medium mixtures, as `llama-quantize` does.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "Q3_K" => Mixture::Q3_K_M,
            "Q4_K" => Mixture::Q4_K_M,
            "Q5_K" => Mixture::Q5_K_M,
            _ => *Self::ALL
                .iter()
                .find(|mixture| mixture.id() == name)
                .ok_or_else(|| UnknownMixture(name.chars().take(40).collect()))?,
        })
    }
}
