//! The mixtures of `llama-quantize`: which tensor gets which type.
//!
//! Rules of `llama_tensor_get_type` (llama.cpp) for dense Llama-like models without an importance matrix. Tensor data
//! only: metadata and alignment are a few megabytes more.

use std::str::FromStr;

use super::GgmlType;
use crate::{LedgerError, Model, Role, formula::n};

/// A named mixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "llama.cpp's own names")]
#[non_exhaustive]
pub enum Mixture {
    F16,
    Q4_0,
    Q8_0,
    Q4_K_S,
    Q4_K_M,
    Q5_K_S,
    Q5_K_M,
    Q6_K,
}

/// The name is no mixture known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mixture {0:?}")]
pub struct UnknownMixture(pub String);

impl FromStr for Mixture {
    type Err = UnknownMixture;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "F16" => Mixture::F16,
            "Q4_0" => Mixture::Q4_0,
            "Q8_0" => Mixture::Q8_0,
            "Q4_K_S" => Mixture::Q4_K_S,
            "Q4_K_M" => Mixture::Q4_K_M,
            "Q5_K_S" => Mixture::Q5_K_S,
            "Q5_K_M" => Mixture::Q5_K_M,
            "Q6_K" => Mixture::Q6_K,
            _ => return Err(UnknownMixture(name.chars().take(40).collect())),
        })
    }
}

/// The first and last eighth of the layers, and every third between, get more bits.
fn more_bits(layer: u64, layers: u64) -> bool {
    let eighth = layers / 8;
    layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2
}

impl Mixture {
    const fn base(self) -> GgmlType {
        match self {
            Mixture::F16 => GgmlType::F16,
            Mixture::Q4_0 => GgmlType::Q4_0,
            Mixture::Q8_0 => GgmlType::Q8_0,
            Mixture::Q4_K_S | Mixture::Q4_K_M => GgmlType::Q4_K,
            Mixture::Q5_K_S | Mixture::Q5_K_M => GgmlType::Q5_K,
            Mixture::Q6_K => GgmlType::Q6_K,
        }
    }

    const fn head(self) -> GgmlType {
        match self {
            Mixture::F16 => GgmlType::F16,
            Mixture::Q8_0 => GgmlType::Q8_0,
            _ => GgmlType::Q6_K,
        }
    }

    /// The type of a layer's value projection.
    fn value(self, layer: u64, model: &Model) -> GgmlType {
        let chosen = match self {
            Mixture::Q4_K_M | Mixture::Q5_K_M if more_bits(layer, model.layers) => GgmlType::Q6_K,
            Mixture::Q4_K_S if layer < 4 => GgmlType::Q5_K,
            _ => self.base(),
        };
        // The 70B models share each value head among eight query heads: it is small and gets one step more.
        let seventy = model.layers == 80 && model.heads != model.kv_heads;
        if seventy && chosen == GgmlType::Q4_K { GgmlType::Q5_K } else { chosen }
    }

    /// The type of a layer's down projection.
    fn down(self, layer: u64, layers: u64) -> GgmlType {
        match self {
            Mixture::Q4_K_M | Mixture::Q5_K_M if more_bits(layer, layers) => GgmlType::Q6_K,
            Mixture::Q4_K_S if layer < layers / 8 => GgmlType::Q5_K,
            _ => self.base(),
        }
    }
}

/// Bytes of the tensor data of a model in a mixture.
///
/// # Errors
/// An inconsistent model or a result of 2⁶⁴ bytes and more.
pub fn gguf_bytes(model: &Model, mixture: Mixture) -> Result<u64, LedgerError> {
    let overflow = || LedgerError::Overflow { what: "gguf", formula: "Σ blocks".to_owned() };
    let of = |kind: GgmlType, elements: u64| kind.bytes(elements).map(n).ok_or_else(overflow);
    let mut sum = n(0);
    for group in model.tensors()? {
        let all = |kind: GgmlType| Ok::<_, LedgerError>(n(group.count) * of(kind, group.elements)?);
        sum = sum
            + match (group.role, group.part) {
                (Role::Head, _) => all(mixture.head())?,
                // A tied embedding is the head as well.
                (Role::Embedding, _) if model.tied => all(mixture.head())?,
                (Role::Linear, "value") => {
                    per_layer(group.count, |layer| of(mixture.value(layer, model), group.elements))?
                }
                (Role::Linear, "down") => {
                    per_layer(group.count, |layer| of(mixture.down(layer, model.layers), group.elements))?
                }
                (Role::Norm | Role::Bias, _) => all(GgmlType::F32)?,
                _ => all(mixture.base())?,
            };
    }
    Ok(sum.finish("gguf")?.0)
}

fn per_layer(
    layers: u64,
    of: impl Fn(u64) -> Result<crate::formula::Term, LedgerError>,
) -> Result<crate::formula::Term, LedgerError> {
    // Only the value is read: the text of thousands of layers is never built.
    let mut sum: u64 = 0;
    for layer in 0..layers {
        let bytes = of(layer)?.finish("gguf")?.0;
        sum = sum
            .checked_add(bytes)
            .ok_or_else(|| LedgerError::Overflow { what: "gguf", formula: "Σ blocks".to_owned() })?;
    }
    Ok(n(sum))
}

/// Average bits per weight of a mixture: bytes × 8 ÷ parameters.
///
/// # Errors
/// As [`gguf_bytes`].
pub fn gguf_bits_per_weight(model: &Model, mixture: Mixture) -> Result<f64, LedgerError> {
    Ok(gguf_bytes(model, mixture)? as f64 * 8.0 / model.parameters()? as f64)
}
