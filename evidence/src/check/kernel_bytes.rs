//! Bytes that a kernel lab's variants must hold and move, from their shapes and names alone.

use ledger::Dtype;
use ledger::formats::Grouped;

use super::sheet::Sheet;
use crate::{Candidate, Kernel, Phrase, Workload};

/// Bytes of one number of a format that fills whole bytes.
fn width(dtype: &str) -> Option<u64> {
    let bits = dtype.parse::<Dtype>().ok()?.bits();
    bits.is_multiple_of(8).then_some(bits / 8)
}

/// What an operation must move at the very least: its input once and its output once, or its whole cache.
pub(super) fn least(workload: &Workload, candidate: &Candidate) -> Option<u64> {
    let Workload::Kernel(kernel) = workload else { return None };
    match kernel.operation.as_str() {
        "copy_convert" => {
            let (from, to) = conversion(kernel, candidate)?;
            kernel.shape.get("elements")?.checked_mul(from.checked_add(to)?)
        }
        "kv_attention" => cache(kernel, candidate),
        _ => {
            let elements = kernel.shape.values().try_fold(1_u64, |product, size| product.checked_mul(*size))?;
            elements.checked_mul(width(&kernel.dtype)?)?.checked_mul(2)
        }
    }
}

/// Widths of what is read and written: `copy_bf16`, `fp32_to_fp8`; the baseline copies the workload's format.
fn conversion(kernel: &Kernel, candidate: &Candidate) -> Option<(u64, u64)> {
    if candidate.is_baseline() {
        return width(&kernel.dtype).map(|width| (width, width));
    }
    if let Some(dtype) = candidate.name.strip_prefix("copy_") {
        return width(dtype).map(|width| (width, width));
    }
    let (from, to) = candidate.name.split_once("_to_")?;
    Some((width(from)?, width(to)?))
}

/// Keys and values with their scales: `int8_token`, `fp8_tensor`, `int4_head`; the baseline has no scale.
fn cache(kernel: &Kernel, candidate: &Candidate) -> Option<u64> {
    let size = |name: &str| kernel.shape.get(name).copied();
    let (tokens, heads, head_dim) = (size("tokens")?, size("heads")?, size("head_dim")?);
    let numbers = tokens.checked_mul(heads)?.checked_mul(head_dim)?;
    let one = if candidate.is_baseline() {
        let dtype = kernel.dtype.parse::<Dtype>().ok()?;
        u64::try_from((u128::from(numbers) * u128::from(dtype.bits())).div_ceil(8)).ok()?
    } else {
        let (dtype, by) = candidate.name.split_once('_')?;
        let group = match by {
            "tensor" => numbers,
            "token" => heads.checked_mul(head_dim)?,
            "head" => tokens.checked_mul(head_dim)?,
            _ => return None,
        };
        let bits = dtype.parse::<Dtype>().ok()?.bits();
        Grouped { bits, group, scale_bits: 32, zero_bits: 0 }.bytes(numbers)?
    };
    one.checked_mul(2)
}

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    let Workload::Kernel(kernel) = &sheet.doc.report.workload else { return };
    if kernel.operation != "kv_attention" {
        return;
    }
    let mut right = 0;
    for (candidate, place) in sheet.candidates() {
        let stated = candidate.metrics.quantised.as_ref().and_then(|numbers| numbers.state_bytes);
        let (Some(expected), Some(stated)) = (cache(kernel, candidate), stated) else { continue };
        if stated == expected {
            right += 1;
            continue;
        }
        let message = Phrase::new(
            format!("{} 的编码与缩放因子共 {expected} B，报告写 {stated} B。", candidate.name),
            format!("Codes and scales of {} are {expected} B, the report says {stated} B.", candidate.name),
        );
        let pointer = format!("{}/metrics/quantised/state_bytes", place.pointer);
        sheet.fail("stored_bytes_agree", &pointer, format!("{expected} B"), format!("{stated} B"), message);
    }
    if right > 0 && !sheet.has_failed("stored_bytes_agree") {
        sheet.pass(
            "stored_bytes_agree",
            "/candidates",
            format!("{right} 种 cache 的字节数都与公式相等。"),
            format!("The bytes of all {right} caches are those of the formula."),
        );
    }
}
