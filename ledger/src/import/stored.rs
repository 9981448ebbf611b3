//! How the weights of a checkpoint are stored: `quantization_config`.
//!
//! Keys and their defaults after the quantiser configurations of transformers (`utils/quantization_config.py`), and
//! those that compressed-tensors and NVIDIA's ModelOpt write.

use serde_json::Value;

use super::{ImportError, Reader};
use crate::{
    formats::{Grouped, Nf4, Scaled},
    inference::WeightFormat,
};

/// What a `quantization_config` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// `gptq`, `awq`, `bitsandbytes`, `fp8`, …, as the file names it.
    pub method: String,
    /// The ledger's format for it; `None` for a method, or a setting of one, that the ledger does not price.
    pub format: Option<WeightFormat>,
}

/// Groups, and channels of a matrix, are at most this large.
const LARGEST_GROUP: u64 = 1 << 20;

pub(super) fn read(reader: &Reader<'_>) -> Result<Option<Stored>, ImportError> {
    let Some(config) = reader.child("quantization_config")? else { return Ok(None) };
    let stated = config.text("quant_method")?;
    // Files older than the key are of bitsandbytes.
    let older = || config.get("load_in_4bit").or(config.get("load_in_8bit")).map(|_| "bitsandbytes");
    let Some(method) = stated.or_else(older) else {
        return Err(ImportError::Missing {
            pointer: config.pointer("quant_method"),
            what: "gptq, awq, bitsandbytes, …",
        });
    };
    let format = match method {
        "gptq" | "awq" => integers(&config)?,
        "bitsandbytes" | "bitsandbytes_4bit" | "bitsandbytes_8bit" => bitsandbytes(&config)?,
        "fp8" | "fbgemm_fp8" => Some(fp8(&config, method)?),
        // Only experts are packed; everything else is in `modules_to_not_convert`.
        "mxfp4" => Some(WeightFormat::GroupedExperts(Grouped::microscaling(4, 32))),
        "compressed-tensors" => compressed(&config)?,
        "modelopt" | "modelopt_fp4" => match config.text("quant_algo")? {
            Some("NVFP4") => Some(WeightFormat::Grouped(Grouped::NVFP4)),
            Some("FP8") => Some(WeightFormat::Scaled(Scaled::tensors(8))),
            _ => None,
        },
        _ => None,
    };
    Ok(Some(Stored { method: method.chars().take(40).collect(), format }))
}

/// `bits` and `group_size`. GPTQ's files hold zero points even where they are symmetric (`qzeros`), as AWQ's do. A group
/// of -1 is a whole channel: no group of the ledger.
fn integers(config: &Reader<'_>) -> Result<Option<WeightFormat>, ImportError> {
    let bits = config.size("bits")?.unwrap_or(4);
    let known = (1..=8).contains(&bits);
    Ok(group_size(config)?.filter(|_| known).map(|group| WeightFormat::Grouped(Grouped::awq(bits, group))))
}

fn group_size(config: &Reader<'_>) -> Result<Option<u64>, ImportError> {
    if config.get("group_size").and_then(Value::as_i64) == Some(-1) {
        return Ok(None);
    }
    Ok(Some(config.size("group_size")?.unwrap_or(128)).filter(|group| *group <= LARGEST_GROUP))
}

fn bitsandbytes(config: &Reader<'_>) -> Result<Option<WeightFormat>, ImportError> {
    if config.flag("load_in_4bit")?.unwrap_or(false) {
        // FP4 and NF4 differ in their sixteen numbers, not in size.
        let double_quant = config.flag("bnb_4bit_use_double_quant")?.unwrap_or(false);
        return Ok(Some(WeightFormat::Nf4(Nf4 { double_quant, ..Nf4::QLORA })));
    }
    let eight = config.flag("load_in_8bit")?.unwrap_or(false);
    Ok(eight.then_some(WeightFormat::Scaled(Scaled::channels(8))))
}

fn fp8(config: &Reader<'_>, method: &str) -> Result<WeightFormat, ImportError> {
    if config.get("weight_block_size").is_some() {
        return blocks(config, "weight_block_size");
    }
    Ok(WeightFormat::Scaled(if method == "fbgemm_fp8" { Scaled::channels(8) } else { Scaled::tensors(8) }))
}

/// One scheme for all layers, or none that the ledger prices.
fn compressed(config: &Reader<'_>) -> Result<Option<WeightFormat>, ImportError> {
    let Some(groups) = config.child("config_groups")? else { return Ok(None) };
    let mut found = None;
    for name in groups.keys() {
        let Some(group) = groups.child(name)? else { continue };
        let Some(weights) = group.child("weights")? else { continue };
        let format = compressed_weights(&weights)?;
        if found.is_some_and(|other| Some(other) != format) {
            return Ok(None);
        }
        found = format;
    }
    Ok(found)
}

fn compressed_weights(weights: &Reader<'_>) -> Result<Option<WeightFormat>, ImportError> {
    let bits = weights.size("num_bits")?.unwrap_or(8);
    let float = weights.text("type")? == Some("float");
    let symmetric = weights.flag("symmetric")?.unwrap_or(true);
    if !(1..=8).contains(&bits) {
        return Ok(None);
    }
    Ok(match weights.text("strategy")? {
        Some("tensor") => Some(WeightFormat::Scaled(Scaled::tensors(bits))),
        Some("channel") => Some(WeightFormat::Scaled(Scaled::channels(bits))),
        Some("tensor_group") if float && bits == 4 => Some(WeightFormat::Grouped(Grouped::NVFP4)),
        Some("group") if !float => {
            group_size(weights)?.map(|group| WeightFormat::Grouped(Grouped::gptq(bits, group, symmetric)))
        }
        Some("block") => Some(blocks(weights, "block_structure")?),
        _ => None,
    })
}

fn blocks(config: &Reader<'_>, key: &str) -> Result<WeightFormat, ImportError> {
    let sides: Vec<Option<u64>> = config.list(key)?.unwrap_or(&[]).iter().map(Value::as_u64).collect();
    match sides[..] {
        [Some(rows @ 1..=LARGEST_GROUP), Some(columns @ 1..=LARGEST_GROUP)] => {
            Ok(WeightFormat::Grouped(Grouped::fp8_blocks(rows, columns)))
        }
        _ => Err(config.unsupported(key, "[rows, columns]")),
    }
}
