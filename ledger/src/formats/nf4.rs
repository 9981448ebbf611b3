//! NF4 of bitsandbytes, with and without double quantisation.

use crate::{LedgerError, Model, Role, formula::n};

/// 4-bit NormalFloat in blocks. The block's maximum is FP32; with double quantisation it is 8 bit, in turn scaled by
/// one FP32 number per 256 blocks and one FP32 offset per tensor (QLoRA, arXiv 2305.14314).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nf4 {
    pub block: u64,
    pub double_quant: bool,
}

/// Blocks that share a second-level scale.
const SECOND_LEVEL: u64 = 256;

impl Nf4 {
    /// QLoRA's: blocks of 64, doubly quantised: 4.127 bits per weight.
    pub const QLORA: Nf4 = Nf4 { block: 64, double_quant: true };

    /// Bytes of a tensor of `elements` numbers.
    ///
    /// # Errors
    /// A block of zero, or a result of 2⁶⁴ bytes and more.
    pub fn bytes(&self, elements: u64) -> Result<u64, LedgerError> {
        if self.block == 0 {
            return Err(LedgerError::Zero { field: "block" });
        }
        let blocks = elements.div_ceil(self.block);
        let weights = n(elements).of_bits(4);
        let scales = if self.double_quant {
            n(blocks) + n(blocks.div_ceil(SECOND_LEVEL)) * n(4) + n(4)
        } else {
            n(blocks) * n(4)
        };
        Ok((weights + scales).finish("nf4")?.0)
    }

    /// Overhead of the scales in bits per weight for a large tensor: 0.127 for QLoRA's.
    pub fn overhead_bits(&self) -> f64 {
        let block = self.block as f64;
        if self.double_quant { 8.0 / block + 32.0 / (block * SECOND_LEVEL as f64) } else { 32.0 / block }
    }
}

/// Bytes of a frozen base model for QLoRA: matrix products of the layers in `format`, everything else in BF16.
///
/// # Errors
/// An inconsistent model or a result of 2⁶⁴ bytes and more.
pub fn qlora_base_bytes(model: &Model, format: Nf4) -> Result<u64, LedgerError> {
    let mut sum = n(0);
    for group in model.tensors()? {
        let bytes = match group.role {
            Role::Linear | Role::Expert => n(format.bytes(group.elements)?),
            _ => n(group.elements) * n(2),
        };
        sum = sum + n(group.count) * bytes;
    }
    Ok(sum.finish("qlora_base")?.0)
}
