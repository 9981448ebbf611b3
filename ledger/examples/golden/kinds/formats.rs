//! Weight formats, adapters.

use std::{error::Error, path::Path};

use ledger::{
    adapters,
    formats::{GgmlType, Grouped, Mixture, Nf4, gguf_bits_per_weight, gguf_bytes, qlora_base_bytes},
};

use super::{Answer, Got, model, need, whole};
use crate::case::Case;

pub fn compute(case: &Case, folder: &Path) -> Answer {
    match case.kind() {
        "ggml_block" => block(case),
        "gguf_file" | "gguf_bpw" => gguf(case, folder),
        "nf4" => nf4(case),
        "bits" => Ok(bits(need(case, "scheme", case.text("scheme"))?).map(Got::Real)),
        "qlora" => {
            let Some(model) = model(case, folder)? else { return Ok(None) };
            whole(qlora_base_bytes(&model, Nf4::QLORA)?)
        }
        "lora_params" => lora(case, folder),
        _ => Ok(None),
    }
}

/// The type's bits from the ledger; a block that the ledger does not know is computed from its stated size.
fn block(case: &Case) -> Answer {
    match case.rest().parse::<GgmlType>() {
        Ok(kind) => Ok(Some(Got::Real(kind.bits_per_weight()))),
        Err(_) => {
            let (block, bytes) = (need(case, "block", case.real("block"))?, need(case, "bytes", case.real("bytes"))?);
            Ok(Some(Got::Real(bytes * 8.0 / block)))
        }
    }
}

fn gguf(case: &Case, folder: &Path) -> Answer {
    let Some(model) = model(case, folder)? else { return Ok(None) };
    let Some(mixture) = case.rest().rsplit(':').next().and_then(|name| name.parse::<Mixture>().ok()) else {
        return Ok(None);
    };
    match case.kind() {
        "gguf_bpw" => Ok(Some(Got::Real(gguf_bits_per_weight(&model, mixture)?))),
        _ => whole(gguf_bytes(&model, mixture)?),
    }
}

/// `(rows, columns)_BLOCK_dqTrue`: the shape, the block and double quantisation are in the name.
fn nf4(case: &Case) -> Answer {
    let name = case.text("case").unwrap_or(case.rest());
    let numbers: Vec<u64> =
        name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    let [rows, columns, block] = numbers[..] else { return Ok(None) };
    let format = Nf4 { block, double_quant: name.ends_with("True") };
    let elements = rows * columns;
    Ok(Some(Got::Real(format.bytes(elements)? as f64 * 8.0 / elements as f64)))
}

/// The number behind a letter in a slug: `g` in `awq_w4_g128` is 128.
fn numbered(scheme: &str, letter: char) -> Option<u64> {
    scheme.split('_').find_map(|part| part.strip_prefix(letter)?.parse().ok())
}

fn bits(scheme: &str) -> Option<f64> {
    let group = numbered(scheme, 'g');
    let weight = numbered(scheme, 'w').unwrap_or(4);
    let grouped = if scheme.starts_with("awq") {
        Grouped::awq(weight, group?)
    } else if scheme.starts_with("gptq") {
        Grouped::gptq(weight, group?, scheme.contains("sym") || scheme.contains("nozero"))
    } else if let Some(rest) = scheme.strip_prefix("mxfp") {
        let bits = rest.split('_').next()?.parse().ok()?;
        Grouped::microscaling(bits, group.unwrap_or(32))
    } else if scheme.starts_with("nvfp4") {
        Grouped { group: group.unwrap_or(16), ..Grouped::NVFP4 }
    } else if let Some(rest) = scheme.strip_prefix("fp8_block") {
        let (rows, columns) = rest.split('_').next()?.split_once('x')?;
        Grouped::fp8_blocks(rows.parse().ok()?, columns.parse().ok()?)
    } else if scheme.starts_with("qlora") {
        let overhead = Nf4::QLORA.overhead_bits();
        return Some(if scheme.contains("overhead") { overhead } else { 4.0 + overhead });
    } else {
        return None;
    };
    Some(grouped.bits_per_weight())
}

fn lora(case: &Case, folder: &Path) -> Result<Option<Got>, Box<dyn Error>> {
    let Some(model) = model(case, folder)? else { return Ok(None) };
    let rank = need(case, "r", case.whole("r"))?;
    let modules = need(case, "modules", case.inputs.get("modules").and_then(|list| list.as_array()))?;
    let targets: Vec<&str> = modules.iter().filter_map(|module| module.as_str()).collect();
    whole(adapters::lora_parameters(&model, rank, &targets)?)
}
