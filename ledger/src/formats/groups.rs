//! Formats that share a scale, and perhaps a zero point, in a group of weights, an output channel or a tensor.

/// `bits` per weight, and `scale_bits + zero_bits` per group of `group` weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouped {
    pub bits: u64,
    pub group: u64,
    pub scale_bits: u64,
    pub zero_bits: u64,
}

impl Grouped {
    /// AWQ: 4-bit weights, FP16 scale and 4-bit zero point per group.
    pub const fn awq(bits: u64, group: u64) -> Self {
        Self { bits, group, scale_bits: 16, zero_bits: bits }
    }

    /// GPTQ with zero points; without them where `symmetric`.
    pub const fn gptq(bits: u64, group: u64, symmetric: bool) -> Self {
        Self { bits, group, scale_bits: 16, zero_bits: if symmetric { 0 } else { bits } }
    }

    /// OCP microscaling: blocks of 32 share one 8-bit exponent.
    pub const fn microscaling(bits: u64, group: u64) -> Self {
        Self { bits, group, scale_bits: 8, zero_bits: 0 }
    }

    /// NVFP4: 4-bit numbers, an E4M3 scale per 16; the FP32 scale per tensor is not counted.
    pub const NVFP4: Self = Self { bits: 4, group: 16, scale_bits: 8, zero_bits: 0 };

    /// FP8 with an FP32 scale per block of `rows × columns`, as DeepSeek-V3 ships it.
    pub const fn fp8_blocks(rows: u64, columns: u64) -> Self {
        Self { bits: 8, group: rows.saturating_mul(columns), scale_bits: 32, zero_bits: 0 }
    }

    /// Average bits per weight.
    pub fn bits_per_weight(&self) -> f64 {
        self.bits as f64 + (self.scale_bits + self.zero_bits) as f64 / self.group as f64
    }

    /// Bytes of `weights` numbers: whole groups, rounded up to bytes.
    pub fn bytes(&self, weights: u64) -> Option<u64> {
        let groups = u128::from(weights.div_ceil(self.group.max(1)));
        let bits = u128::from(weights) * u128::from(self.bits) + groups * u128::from(self.scale_bits + self.zero_bits);
        u64::try_from(bits.div_ceil(8)).ok()
    }
}

/// `bits` per weight and one FP32 scale per output channel (LLM.int8 of bitsandbytes, FP8 with `channel` scales) or per
/// matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaled {
    pub bits: u64,
    /// A scale for every row of a matrix, not only one for all of it.
    pub per_channel: bool,
}

impl Scaled {
    pub const fn channels(bits: u64) -> Self {
        Self { bits, per_channel: true }
    }

    pub const fn tensors(bits: u64) -> Self {
        Self { bits, per_channel: false }
    }

    /// Bytes of `stack` matrices of `rows` outputs and `columns` inputs, each scale counted; `None` beyond 2⁶⁴.
    ///
    /// ```
    /// use ledger::formats::Scaled;
    /// // 8 + 32/4096 bits per weight.
    /// assert_eq!(Scaled::channels(8).bytes(1, 4096, 4096), Some(4096 * 4096 + 4096 * 4));
    /// assert_eq!(Scaled::tensors(8).bytes(8, 4096, 4096), Some(8 * (4096 * 4096 + 4)));
    /// ```
    pub fn bytes(&self, stack: u64, rows: u64, columns: u64) -> Option<u64> {
        let scales = if self.per_channel { stack.checked_mul(rows)? } else { stack };
        let weights = stack.checked_mul(rows)?.checked_mul(columns)?.checked_mul(self.bits)?.div_ceil(8);
        weights.checked_add(scales.checked_mul(4)?)
    }
}
