//! Weights in a format with its scales.

use std::{borrow::Cow, str::FromStr};

use crate::{
    Dtype, Entry, LedgerError, Model, Object, Phase, Role, Span, Tensors,
    formats::{Grouped, Mixture, Nf4, gguf_term},
    formula::{Term, b, n},
};

/// How a whole model is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightFormat {
    /// Every tensor alike, without scales.
    Plain(Dtype),
    /// Matrix products of the layers in groups with scales (GPTQ, AWQ, FP8 blocks, MXFP4, NVFP4), the rest in BF16.
    Grouped(Grouped),
    /// Matrix products of the layers in NF4, the rest in BF16.
    Nf4(Nf4),
    /// A mixture of llama.cpp, all tensors included.
    Gguf(Mixture),
}

/// The name is no format of weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown weight format {0:?}: expected a dtype, gptq_4_128, awq_4_128, fp8_block_128, mxfp4, nvfp4, nf4, nf4_dq, or a \
     mixture of GGUF such as Q4_K_M"
)]
pub struct UnknownWeightFormat(pub String);

impl FromStr for WeightFormat {
    type Err = UnknownWeightFormat;

    /// A dtype; `gptq_4_128` and `awq_4_128` (bits and group); `fp8_block_128` (square blocks); `mxfp4`, `nvfp4`; `nf4`
    /// in blocks of 64, `nf4_dq` doubly quantised; or a mixture of GGUF.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let numbers = |rest: &str| {
            let (bits, group) = rest.split_once('_')?;
            let (bits, group) = (bits.parse().ok()?, group.parse().ok()?);
            ((1..=8).contains(&bits) && (1..=1 << 20).contains(&group)).then_some((bits, group))
        };
        let grouped = || match name {
            "mxfp4" => Some(Grouped::microscaling(4, 32)),
            "nvfp4" => Some(Grouped::NVFP4),
            _ if name.starts_with("gptq_") => {
                numbers(name.strip_prefix("gptq_")?).map(|(bits, group)| Grouped::gptq(bits, group, true))
            }
            _ if name.starts_with("awq_") => {
                numbers(name.strip_prefix("awq_")?).map(|(bits, group)| Grouped::awq(bits, group))
            }
            _ => {
                let side = name.strip_prefix("fp8_block_")?.parse().ok()?;
                (1..=1 << 20).contains(&side).then(|| Grouped::fp8_blocks(side, side))
            }
        };
        let plain = || name.parse().ok().map(WeightFormat::Plain);
        let nf4 = || match name {
            "nf4" => Some(WeightFormat::Nf4(Nf4 { double_quant: false, ..Nf4::QLORA })),
            "nf4_dq" => Some(WeightFormat::Nf4(Nf4::QLORA)),
            _ => None,
        };
        let mixture = || name.parse().ok().map(WeightFormat::Gguf);
        let found = plain().or_else(|| grouped().map(WeightFormat::Grouped)).or_else(nf4).or_else(mixture);
        found.ok_or_else(|| UnknownWeightFormat(name.chars().take(40).collect()))
    }
}

/// Bytes of the weights with their scales.
///
/// ```
/// use ledger::{catalogue, formats::Grouped, inference::{self, WeightFormat}};
/// let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
/// let awq = inference::weights_in(model, WeightFormat::Grouped(Grouped::awq(4, 128)))?;
/// // 6,476,005,376 weights at 4.15625 bits, embedding, head and norms at 16.
/// assert_eq!(awq.bytes, 6_476_005_376 * 133 / 256 + 2 * 262_410_240);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model, a group of zero, or a result of 2⁶⁴ bytes and more.
pub fn weights_in(model: &Model, format: WeightFormat) -> Result<Entry, LedgerError> {
    let term = match format {
        WeightFormat::Plain(dtype) => return super::weights(model, dtype),
        WeightFormat::Grouped(Grouped { group: 0, .. }) => return Err(LedgerError::Zero { field: "group" }),
        WeightFormat::Grouped(grouped) => grouped_term(model, grouped)?,
        WeightFormat::Nf4(nf4) => nf4.model_term(model)?,
        WeightFormat::Gguf(mixture) => gguf_term(model, mixture)?,
    };
    let (bytes, formula) = term.finish("weights")?;
    Ok(Entry {
        object: Object::Parameter,
        part: Cow::Borrowed("weights"),
        span: Span::new(Phase::Load, Phase::Decode),
        bytes,
        formula,
    })
}

fn grouped_term(model: &Model, grouped: Grouped) -> Result<Term, LedgerError> {
    let packed = |group: &Tensors| matches!(group.role, Role::Linear | Role::Expert);
    let (mut rest, mut sum) = (n(0), None);
    for group in model.tensors()? {
        let count = n(group.count);
        if !packed(&group) {
            rest = rest + count * n(group.elements);
            continue;
        }
        let one = grouped.bytes(group.elements).ok_or_else(|| LedgerError::Overflow {
            what: "weights",
            formula: format!("{} in groups of {}", group.elements, grouped.group),
        })?;
        let next = count * b(one);
        sum = Some(match sum {
            Some(sum) => sum + next,
            None => next,
        });
    }
    let rest = n(rest.finish("weights")?.0) * b(2);
    Ok(match sum {
        Some(sum) => sum + rest,
        None => rest,
    })
}
