//! Kernels that copy and convert. Narrow formats are packed, the first number in the lowest bits of its word; numbers missing at
//! the end of the last word are zeros.

use rayon::prelude::*;

use crate::run::formats::{from_bf16, from_e4m3, to_bf16, to_e4m3};
use crate::run::{Cuda, HostArg, Kernel, KernelFault, Share, Wgsl, arguments, copy};

/// An invocation for each word of the narrower side; the width stands in the source as well.
const WGSL: Option<Wgsl> = Some(Wgsl {
    source: concat!(include_str!("../src/run/formats.wgsl"), include_str!("kernel.wgsl")),
    share: Share::ItemOfInvocation { width: 256 },
});

const CUDA: Cuda =
    Cuda { source: include_str!("kernel.cu"), ptx: Some(include_str!("kernel.ptx")), block: 256, items_of_block: 256 };

const fn kernel(name: &'static str, host: crate::run::HostKernel) -> Kernel {
    Kernel { name, host, cuda: Some(CUDA), wgsl: WGSL }
}

/// CUDA takes four words to a thread.
pub const COPY: Kernel = Kernel { cuda: Some(Cuda { items_of_block: 1024, ..CUDA }), ..kernel("copy_words", copy) };
pub const FP32_TO_BF16: Kernel = kernel("fp32_to_bf16", |args| narrow::<2>(args, to_bf16));
pub const BF16_TO_FP32: Kernel = kernel("bf16_to_fp32", |args| widen::<2>(args, from_bf16));
pub const FP32_TO_FP8: Kernel = kernel("fp32_to_fp8", |args| narrow::<4>(args, to_e4m3));
pub const FP8_TO_FP32: Kernel = kernel("fp8_to_fp32", |args| widen::<4>(args, from_e4m3));

pub const ALL: [Kernel; 5] = [COPY, FP32_TO_BF16, BF16_TO_FP32, FP32_TO_FP8, FP8_TO_FP32];

/// Words of a thread at least: fewer cost more to hand over than to convert.
const LEAST: usize = 1 << 12;

/// `PER` numbers to a word.
fn narrow<const PER: usize>(args: &mut [HostArg<'_>], code: impl Fn(f32) -> u32 + Sync) -> Result<(), KernelFault> {
    let [HostArg::In(from), HostArg::Out(to), HostArg::U32(elements)] = args else {
        return arguments("in from, out to, u32 elements");
    };
    let elements = *elements as usize;
    from.expect("from", elements)?;
    to.expect("to", elements.div_ceil(PER))?;
    let bits = 32 / PER as u32;
    to.words().par_iter_mut().with_min_len(LEAST).zip(from.all().par_chunks(PER)).for_each(|(word, values)| {
        *word = values.iter().zip(0..).fold(0, |word, (value, at)| word | code(*value) << (at * bits));
    });
    Ok(())
}

fn widen<const PER: usize>(args: &mut [HostArg<'_>], value: impl Fn(u32) -> f32 + Sync) -> Result<(), KernelFault> {
    let [HostArg::In(from), HostArg::Out(to), HostArg::U32(elements)] = args else {
        return arguments("in from, out to, u32 elements");
    };
    let elements = *elements as usize;
    from.expect("from", elements.div_ceil(PER))?;
    to.expect("to", elements)?;
    let bits = 32 / PER as u32;
    let mask = u32::MAX >> (32 - bits);
    to.all().par_chunks_mut(PER).with_min_len(LEAST).zip(from.words()).for_each(|(values, word)| {
        for (out, at) in values.iter_mut().zip(0..) {
            *out = value((word >> (at * bits)) & mask);
        }
    });
    Ok(())
}
