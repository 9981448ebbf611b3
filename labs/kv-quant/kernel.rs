//! The kernels. A cache is tokens × (heads × head size), row by row; codes are packed into words, the first in the lowest bits.
//! `scores` are query · key for each token and head, `sums` the values added up by a weight for each token and head.

use super::format::{Format, Per};
use crate::run::formats::{from_bf16, to_bf16};
use crate::run::{Cuda, HostArg, HostKernel, In, Kernel, KernelFault, Share, Wgsl, arguments};

const SOURCE: &str = concat!(include_str!("../src/run/formats.wgsl"), include_str!("kernel.wgsl"));

/// In CUDA a block of this many threads takes as many items as told.
const BLOCK: u32 = 256;

const fn kernel(name: &'static str, host: HostKernel, share: Share, items_of_block: u32) -> Kernel {
    let cuda =
        Cuda { source: include_str!("kernel.cu"), ptx: Some(include_str!("kernel.ptx")), block: BLOCK, items_of_block };
    Kernel { name, host, cuda: Some(cuda), wgsl: Some(Wgsl { source: SOURCE, share }) }
}

/// A warp for each item.
const WARPS: u32 = BLOCK / 32;
/// Eight words of a row side by side; the threads share the tokens.
const COLUMNS: u32 = 8;

/// The width stands in the source as well.
const WORD: Share = Share::ItemOfInvocation { width: 128 };

pub const SCALES: Kernel = kernel("kv_scales", scales, Share::ItemOfGroup, 1);
pub const ENCODE: Kernel = kernel("kv_encode", encode, WORD, BLOCK);
pub const SCORES: Kernel = kernel("kv_scores", scores, Share::ItemOfGroup, WARPS);
pub const SUMS: Kernel = kernel("kv_sums", sums, Share::ItemOfGroup, COLUMNS);
pub const BF16_ENCODE: Kernel = kernel("bf16_encode", bf16_encode, WORD, BLOCK);
pub const BF16_SCORES: Kernel = kernel("bf16_scores", bf16_scores, Share::ItemOfGroup, WARPS);
pub const BF16_SUMS: Kernel = kernel("bf16_sums", bf16_sums, Share::ItemOfGroup, COLUMNS);

pub const ALL: [Kernel; 7] = [SCALES, ENCODE, SCORES, SUMS, BF16_ENCODE, BF16_SCORES, BF16_SUMS];

/// Sizes of a cache.
#[derive(Clone, Copy)]
struct Shape {
    tokens: usize,
    heads: usize,
    dim: usize,
}

impl Shape {
    fn of(tokens: u32, heads: u32, dim: u32) -> Self {
        Self { tokens: tokens as usize, heads: heads as usize, dim: dim as usize }
    }

    fn row(self) -> usize {
        self.heads * self.dim
    }
}

/// Which format and which scales; the kernels are told both by number.
fn told(format: u32, per: u32) -> Result<(Format, Per), KernelFault> {
    let (format, per) = (Format::of(format), Per::of(per));
    format.zip(per).ok_or(KernelFault::Arguments { expected: "u32 format 1 to 3, u32 per 0 to 2" })
}

fn scales(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [
        HostArg::In(source),
        HostArg::Out(scales),
        HostArg::U32(tokens),
        HostArg::U32(heads),
        HostArg::U32(dim),
        HostArg::U32(per),
        HostArg::U32(format),
    ] = args
    else {
        return arguments("in source, out scales, u32 tokens, u32 heads, u32 dim, u32 per, u32 format");
    };
    let (shape, (format, per)) = (Shape::of(*tokens, *heads, *dim), told(*format, *per)?);
    source.expect("source", shape.tokens * shape.row())?;
    scales.expect("scales", per.groups(*tokens, *heads) as usize)?;
    let scales = scales.all();
    scales.fill(0.0);
    for (token, row) in source.rows(shape.row()).enumerate() {
        for (head, values) in row.chunks_exact(shape.dim).enumerate() {
            let top = &mut scales[per.group(token, head)];
            *top = values.iter().fold(*top, |top, value| top.max(value.abs()));
        }
    }
    scales.iter_mut().for_each(|scale| *scale /= format.top());
    Ok(())
}

fn encode(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [
        HostArg::In(source),
        HostArg::In(scales),
        HostArg::Out(codes),
        HostArg::U32(tokens),
        HostArg::U32(heads),
        HostArg::U32(dim),
        HostArg::U32(per),
        HostArg::U32(format),
    ] = args
    else {
        return arguments("in source, in scales, out codes, u32 tokens, u32 heads, u32 dim, u32 per, u32 format");
    };
    let (shape, (format, per)) = (Shape::of(*tokens, *heads, *dim), told(*format, *per)?);
    let of_word = (32 / format.bits()) as usize;
    source.expect("source", shape.tokens * shape.row())?;
    codes.expect("codes", shape.tokens * shape.row() / of_word)?;
    scales.expect("scales", per.groups(*tokens, *heads) as usize)?;
    let scales = scales.all();
    for (token, (row, words)) in source.rows(shape.row()).zip(codes.word_rows(shape.row() / of_word)).enumerate() {
        for (at, (values, word)) in row.chunks_exact(of_word).zip(words).enumerate() {
            let scale = scales[per.group(token, at * of_word / shape.dim)];
            *word = values.iter().zip(0..).fold(0, |word, (value, at)| {
                let code = if scale > 0.0 { format.code(value / scale) } else { 0 };
                word | code << (at * format.bits())
            });
        }
    }
    Ok(())
}

fn bf16_encode(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(source), HostArg::Out(codes), HostArg::U32(words)] = args else {
        return arguments("in source, out codes, u32 words");
    };
    source.expect("source", *words as usize * 2)?;
    codes.expect("codes", *words as usize)?;
    for (word, values) in codes.words().iter_mut().zip(source.all().chunks_exact(2)) {
        *word = to_bf16(values[0]) | to_bf16(values[1]) << 16;
    }
    Ok(())
}

/// The numbers of one head of one token, without their scale.
fn unpack(words: &[u32], bits: u32, value: impl Fn(u32) -> f32, into: &mut [f32]) {
    for (values, word) in into.chunks_exact_mut((32 / bits) as usize).zip(words) {
        for (out, at) in values.iter_mut().zip(0..) {
            *out = value(word >> (at * bits));
        }
    }
}

/// Independent partial sums: they let the compiler use vector registers, and they keep the rounding error small.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}

/// query · key; `scale` by token and head.
fn score(
    shape: Shape,
    query: &[f32],
    codes: &In<'_>,
    bits: u32,
    value: impl Fn(u32) -> f32,
    scale: impl Fn(usize, usize) -> f32,
    out: &mut [f32],
) {
    let of_head = shape.dim * bits as usize / 32;
    let mut key = vec![0.0; shape.dim];
    let rows = codes.word_rows(of_head * shape.heads).zip(out.chunks_exact_mut(shape.heads));
    for (token, (words, scores)) in rows.enumerate() {
        let heads = words.chunks_exact(of_head).zip(query.chunks_exact(shape.dim)).zip(scores);
        for (head, ((words, query), score)) in heads.enumerate() {
            unpack(words, bits, &value, &mut key);
            *score = scale(token, head) * dot(query, &key);
        }
    }
}

/// Values added up by their weights. Partial sums of some tokens each keep the rounding error small.
fn sum(
    shape: Shape,
    weights: &[f32],
    codes: &In<'_>,
    bits: u32,
    value: impl Fn(u32) -> f32,
    scale: impl Fn(usize, usize) -> f32,
    out: &mut [f32],
) {
    const TOKENS: usize = 64;
    let of_head = shape.dim * bits as usize / 32;
    let (mut numbers, mut partial) = (vec![0.0; shape.dim], vec![0.0f32; shape.row()]);
    out.fill(0.0);
    let rows = codes.word_rows(of_head * shape.heads).zip(weights.chunks_exact(shape.heads));
    for (token, (words, weights)) in rows.enumerate() {
        let heads = words.chunks_exact(of_head).zip(weights).zip(partial.chunks_exact_mut(shape.dim));
        for (head, ((words, weight), partial)) in heads.enumerate() {
            unpack(words, bits, &value, &mut numbers);
            let weight = weight * scale(token, head);
            partial.iter_mut().zip(&numbers).for_each(|(sum, number)| *sum += weight * number);
        }
        if token % TOKENS == TOKENS - 1 || token + 1 == shape.tokens {
            out.iter_mut().zip(&mut partial).for_each(|(sum, part)| *sum += std::mem::take(part));
        }
    }
}

fn scores(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    attend(args, true)
}

fn sums(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    attend(args, false)
}

/// Both halves of attention have arguments of one form: what goes in beside the cache is the query, or the weights.
fn attend(args: &mut [HostArg<'_>], scoring: bool) -> Result<(), KernelFault> {
    let [
        HostArg::In(given),
        HostArg::In(codes),
        HostArg::In(scales),
        HostArg::Out(out),
        HostArg::U32(tokens),
        HostArg::U32(heads),
        HostArg::U32(dim),
        HostArg::U32(per),
        HostArg::U32(format),
    ] = args
    else {
        return arguments(
            "in given, in codes, in scales, out out, u32 tokens, u32 heads, u32 dim, u32 per, u32 format",
        );
    };
    let (shape, (format, per)) = (Shape::of(*tokens, *heads, *dim), told(*format, *per)?);
    let (wide, tall) = (shape.row(), shape.tokens * shape.heads);
    given.expect("given", if scoring { wide } else { tall })?;
    out.expect("out", if scoring { tall } else { wide })?;
    codes.expect("codes", shape.tokens * wide * format.bits() as usize / 32)?;
    scales.expect("scales", per.groups(*tokens, *heads) as usize)?;
    let (scales, given, bits) = (scales.all(), given.all(), format.bits());
    let scale = |token, head| scales[per.group(token, head)];
    // A call for each format, so that each loop is compiled for its own.
    match (format, scoring) {
        (Format::Int8, true) => score(shape, given, codes, bits, |code| Format::Int8.value(code), scale, out.all()),
        (Format::Int8, false) => sum(shape, given, codes, bits, |code| Format::Int8.value(code), scale, out.all()),
        (Format::Fp8, true) => score(shape, given, codes, bits, |code| Format::Fp8.value(code), scale, out.all()),
        (Format::Fp8, false) => sum(shape, given, codes, bits, |code| Format::Fp8.value(code), scale, out.all()),
        (Format::Int4, true) => score(shape, given, codes, bits, |code| Format::Int4.value(code), scale, out.all()),
        (Format::Int4, false) => sum(shape, given, codes, bits, |code| Format::Int4.value(code), scale, out.all()),
    }
    Ok(())
}

fn bf16_scores(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    bf16_attend(args, true)
}

fn bf16_sums(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    bf16_attend(args, false)
}

fn bf16_attend(args: &mut [HostArg<'_>], scoring: bool) -> Result<(), KernelFault> {
    let [
        HostArg::In(given),
        HostArg::In(codes),
        HostArg::Out(out),
        HostArg::U32(tokens),
        HostArg::U32(heads),
        HostArg::U32(dim),
    ] = args
    else {
        return arguments("in given, in codes, out out, u32 tokens, u32 heads, u32 dim");
    };
    let shape = Shape::of(*tokens, *heads, *dim);
    let (wide, tall) = (shape.row(), shape.tokens * shape.heads);
    given.expect("given", if scoring { wide } else { tall })?;
    out.expect("out", if scoring { tall } else { wide })?;
    codes.expect("codes", shape.tokens * wide / 2)?;
    let value = |code: u32| from_bf16(code & 0xFFFF);
    if scoring {
        score(shape, given.all(), codes, 16, value, |_, _| 1.0, out.all());
    } else {
        sum(shape, given.all(), codes, 16, value, |_, _| 1.0, out.all());
    }
    Ok(())
}
