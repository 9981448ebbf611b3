//! NF4 of bitsandbytes, with and without double quantisation.

use crate::{
    LedgerError, Model, Role, Tensors,
    formula::{Term, b, n, sum},
};

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
        Ok(self.term(elements)?.finish("nf4")?.0)
    }

    fn term(&self, elements: u64) -> Result<Term, LedgerError> {
        if self.block == 0 {
            return Err(LedgerError::Zero { field: "block" });
        }
        let blocks = elements.div_ceil(self.block);
        let weights = n(elements).of_bits(4);
        Ok(if self.double_quant {
            weights + n(blocks) * b(1) + n(blocks.div_ceil(SECOND_LEVEL)) * b(4) + b(4)
        } else {
            weights + n(blocks) * b(4)
        })
    }

    /// A whole model: matrix products of the layers in this format, everything else in BF16.
    pub(crate) fn model_term(&self, model: &Model) -> Result<Term, LedgerError> {
        let groups = model.tensors()?;
        let packed = |group: &&Tensors| matches!(group.role, Role::Linear | Role::Expert);
        let rest =
            sum("qlora_base", groups.iter().filter(|group| !packed(group)).map(|group| group.elements * group.count))?;
        let mut total = n(rest) * b(2);
        for group in groups.iter().filter(packed) {
            total = total + n(group.count) * self.term(group.elements)?;
        }
        Ok(total)
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
    Ok(format.model_term(model)?.finish("qlora_base")?.0)
}
