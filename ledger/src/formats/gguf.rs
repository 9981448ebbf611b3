//! The mixtures of `llama-quantize`: which tensor gets which type.
//!
//! Rules of `llama_tensor_get_type` (llama.cpp) for dense Llama-like models without an importance matrix. Tensor data
//! only: metadata and alignment are a few megabytes more.

use std::str::FromStr;

use super::GgmlType;
use crate::{
    LedgerError, Model, Role,
    formula::{Term, b, n},
};

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
    Ok(gguf_term(model, mixture)?.finish("gguf")?.0)
}

/// Blocks × bytes of a block, type by type in the order in which they occur.
pub(crate) fn gguf_term(model: &Model, mixture: Mixture) -> Result<Term, LedgerError> {
    let mut blocks: Vec<(GgmlType, u64)> = Vec::with_capacity(4);
    let mut add = |kind: GgmlType, count: u64, elements: u64| {
        let more = (n(count) * n(elements.div_ceil(kind.block().0))).finish("gguf")?.0;
        match blocks.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum = (n(*sum) + n(more)).finish("gguf")?.0,
            None => blocks.push((kind, more)),
        }
        Ok::<_, LedgerError>(())
    };
    for group in model.tensors()? {
        match (group.role, group.part) {
            (Role::Head, _) => add(mixture.head(), group.count, group.elements)?,
            // A tied embedding is the head as well.
            (Role::Embedding, _) if model.tied => add(mixture.head(), group.count, group.elements)?,
            (Role::Linear, "value") => {
                for layer in 0..group.count {
                    add(mixture.value(layer, model), 1, group.elements)?;
                }
            }
            (Role::Linear, "down") => {
                for layer in 0..group.count {
                    add(mixture.down(layer, model.layers), 1, group.elements)?;
                }
            }
            (Role::Norm | Role::Bias, _) => add(GgmlType::F32, group.count, group.elements)?,
            _ => add(mixture.base(), group.count, group.elements)?,
        }
    }
    let sum = blocks.into_iter().map(|(kind, count)| n(count) * b(kind.block().1)).reduce(|sum, next| sum + next);
    Ok(sum.unwrap_or_else(|| b(0)))
}

/// Average bits per weight of a mixture: bytes × 8 ÷ parameters.
///
/// # Errors
/// As [`gguf_bytes`].
pub fn gguf_bits_per_weight(model: &Model, mixture: Mixture) -> Result<f64, LedgerError> {
    Ok(gguf_bytes(model, mixture)? as f64 * 8.0 / model.parameters()? as f64)
}
