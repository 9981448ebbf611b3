//! The operators that models are made of, as plain Rust on all threads of the pool: what the CPU backend computes with.
//!
//! Matrices are row-major. A length that does not fit its neighbours is refused, and nothing is written. What is no number
//! stays in its row: a row with a NaN gives NaN, and no other row sees it.
//!
//! Loops are compiled for the vector units that the processor turns out to have. The compiler does so only for what it takes
//! into the function that knows of them, hence structures with a method `inline(always)` where closures would be shorter.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::KernelFault;

/// Rows are handed to threads in runs of at least so many elements: fewer cost more to hand over than to compute.
const RUN: usize = 1 << 14;
/// Independent partial results: they fill vector registers, and they keep the rounding error of a long row small.
const LANES: usize = 32;
/// 1.5 · 2²³: a number added to it is rounded to a whole one, half to even, which then stands in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

/// How many threads share the work of an operator.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

fn same(name: &'static str, expected: usize, found: usize) -> Result<(), KernelFault> {
    if expected == found { Ok(()) } else { Err(KernelFault::Shape { name, expected, found }) }
}

/// Elements of a run of whole rows; `None` where there is nothing to do.
fn run_of(width: usize, elements: usize) -> Option<usize> {
    (elements > 0 && width > 0).then(|| (RUN / width).max(1) * width)
}

/// Folds a row lane by lane, and the lanes at the end.
#[inline(always)]
fn fold(row: &[f32], from: f32, step: impl Fn(f32, f32) -> f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [from; LANES];
    let chunks = row.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = step(*lane, *value);
        }
    }
    let whole = lanes.into_iter().fold(from, &join);
    join(whole, rest.iter().fold(from, |sum, value| step(sum, *value)))
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// RMSNorm: `y = x · weight / √(mean(x²) + eps)`, row by row; `x` and `y` are rows × `weight.len()`.
///
/// # Errors
/// [`KernelFault::Shape`] where `x` is no whole number of rows, or `y` is not as long.
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32, y: &mut [f32]) -> Result<(), KernelFault> {
    let hidden = weight.len();
    same("y", x.len(), y.len())?;
    same("x", x.len() / hidden.max(1) * hidden, x.len())?;
    let Some(run) = run_of(hidden, x.len()) else { return Ok(()) };
    let arch = Arch::new();
    let runs = y.par_chunks_mut(run).zip(x.par_chunks(run));
    runs.for_each(|(y, x)| arch.dispatch(Norm { x, weight, eps, y }));
    Ok(())
}

struct Norm<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    eps: f32,
    y: &'a mut [f32],
}

impl NullaryFnOnce for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let hidden = self.weight.len();
        for (out, row) in self.y.chunks_exact_mut(hidden).zip(self.x.chunks_exact(hidden)) {
            let squares = fold(row, 0.0, |sum, value| sum + value * value, |a, b| a + b);
            let inverse = 1.0 / (squares / hidden as f32 + self.eps).sqrt();
            for ((out, value), weight) in out.iter_mut().zip(row).zip(self.weight) {
                *out = value * inverse * weight;
            }
        }
    }
}

/// One number from each: `out = f(x)`.
///
/// # Errors
/// [`KernelFault::Shape`] where `out` is not as long as `x`.
pub fn map(x: &[f32], out: &mut [f32], f: impl Fn(f32) -> f32 + Sync) -> Result<(), KernelFault> {
    same("out", x.len(), out.len())?;
    out.par_chunks_mut(RUN).zip(x.par_chunks(RUN)).for_each(|(out, x)| {
        for (out, value) in out.iter_mut().zip(x) {
            *out = f(*value);
        }
    });
    Ok(())
}

/// The mean of each row of `width`.
///
/// # Errors
/// [`KernelFault::Shape`] where `x` is no row for each mean.
pub fn row_means(x: &[f32], width: usize, means: &mut [f32]) -> Result<(), KernelFault> {
    same("x", means.len().saturating_mul(width), x.len())?;
    let Some(run) = run_of(width, x.len()) else {
        // The mean of nothing.
        means.fill(f32::NAN);
        return Ok(());
    };
    let arch = Arch::new();
    let runs = means.par_chunks_mut(run / width).zip(x.par_chunks(run));
    runs.for_each(|(means, x)| arch.dispatch(Mean { x, width, means }));
    Ok(())
}

/// `y = x · inverse · weight`, with an inverse for each row and a weight for each column.
///
/// # Errors
/// [`KernelFault::Shape`] where `x` is not a row of weights for each inverse, or `y` is not as long.
pub fn scale_rows(x: &[f32], inverse: &[f32], weight: &[f32], y: &mut [f32]) -> Result<(), KernelFault> {
    let width = weight.len();
    same("x", inverse.len().saturating_mul(width), x.len())?;
    same("y", x.len(), y.len())?;
    let Some(run) = run_of(width, x.len()) else { return Ok(()) };
    let runs = y.par_chunks_mut(run).zip(x.par_chunks(run)).zip(inverse.par_chunks(run / width));
    runs.for_each(|((y, x), inverse)| {
        for ((out, row), inverse) in y.chunks_exact_mut(width).zip(x.chunks_exact(width)).zip(inverse) {
            for ((out, value), weight) in out.iter_mut().zip(row).zip(weight) {
                *out = value * inverse * weight;
            }
        }
    });
    Ok(())
}

struct Mean<'a> {
    x: &'a [f32],
    width: usize,
    means: &'a mut [f32],
}

impl NullaryFnOnce for Mean<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (mean, row) in self.means.iter_mut().zip(self.x.chunks_exact(self.width)) {
            *mean = fold(row, 0.0, |sum, value| sum + value, |a, b| a + b) / self.width as f32;
        }
    }
}

/// Softmax of each row of `width`: `y = exp(x − max) / Σ exp(x − max)`. An element more than 87 below the row's largest
/// is 0, so a mask of −∞ is exact; a row of −∞ alone is NaN, as in other libraries. The exponential is right to 2 units in the
/// last place.
///
/// # Errors
/// [`KernelFault::Shape`] where `x` is no whole number of rows, or `y` is not as long.
pub fn softmax(x: &[f32], width: usize, y: &mut [f32]) -> Result<(), KernelFault> {
    same("y", x.len(), y.len())?;
    same("x", x.len() / width.max(1) * width, x.len())?;
    let Some(run) = run_of(width, x.len()) else { return Ok(()) };
    let arch = Arch::new();
    let runs = y.par_chunks_mut(run).zip(x.par_chunks(run));
    runs.for_each(|(y, x)| arch.dispatch(Soft { x, width, y }));
    Ok(())
}

struct Soft<'a> {
    x: &'a [f32],
    width: usize,
    y: &'a mut [f32],
}

impl NullaryFnOnce for Soft<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (out, row) in self.y.chunks_exact_mut(self.width).zip(self.x.chunks_exact(self.width)) {
            let most = fold(row, f32::NEG_INFINITY, larger, larger);
            for (out, value) in out.iter_mut().zip(row) {
                *out = exp(value - most);
            }
            let inverse = 1.0 / fold(out, 0.0, |sum, value| sum + value, |a, b| a + b);
            for out in out.iter_mut() {
                *out *= inverse;
            }
        }
    }
}

/// Of a number that is not above 0.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LEAST: f32 = -87.336_54;
    // ln 2 in two parts, the first exact in few digits (Cody and Waite); the polynomial is that of Cephes' expf.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let power = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = power - ROUNDER;
    let rest = x - whole * LN_2.0 - whole * LN_2.1;
    let mut sum = 1.987_569_2e-4;
    for term in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        sum = sum * rest + term;
    }
    let sum = sum * rest * rest + rest + 1.0;
    let scale = f32::from_bits((power.to_bits() << 23).wrapping_add(0x3F80_0000));
    if x < LEAST { 0.0 } else { sum * scale }
}

/// `c = a · b`, with `a` of m × k, `b` of k × n and `c` of m × n.
///
/// # Errors
/// [`KernelFault::Shape`] where a length is not that of its matrix.
pub fn gemm([m, k, n]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]) -> Result<(), KernelFault> {
    let elements = |rows: usize, columns: usize| rows.saturating_mul(columns);
    same("a", elements(m, k), a.len())?;
    same("b", elements(k, n), b.len())?;
    same("c", elements(m, n), c.len())?;
    if c.is_empty() {
        return Ok(());
    }
    let step = |columns: usize| isize::try_from(columns).unwrap_or(isize::MAX);
    #[allow(unsafe_code)]
    // SAFETY: each matrix has the length that its sizes ask for, checked above; `c` is borrowed for writing, so it overlaps
    // neither of the others.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            step(n),
            false,
            a.as_ptr(),
            1,
            step(k),
            b.as_ptr(),
            1,
            step(n),
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::Rayon(0),
        );
    }
    Ok(())
}

/// Symmetric int8, one scale for each row of `width`: `scale = max |x| / 127`, `code = round(x / scale)`, half to even. A row of
/// zeros has the scale 0 and codes 0. Where a row holds no finite scale its codes say nothing; the scale tells.
///
/// # Errors
/// [`KernelFault::Shape`] where `x` is no whole number of rows, or codes or scales have another length.
pub fn quantise_int8(x: &[f32], width: usize, codes: &mut [i8], scales: &mut [f32]) -> Result<(), KernelFault> {
    same("codes", x.len(), codes.len())?;
    let rows = x.len() / width.max(1);
    same("x", rows * width, x.len())?;
    same("scales", rows, scales.len())?;
    let Some(run) = run_of(width, x.len()) else { return Ok(()) };
    let arch = Arch::new();
    let runs = codes.par_chunks_mut(run).zip(x.par_chunks(run)).zip(scales.par_chunks_mut(run / width));
    runs.for_each(|((codes, x), scales)| arch.dispatch(Int8 { x, width, codes, scales }));
    Ok(())
}

struct Int8<'a> {
    x: &'a [f32],
    width: usize,
    codes: &'a mut [i8],
    scales: &'a mut [f32],
}

impl NullaryFnOnce for Int8<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.codes.chunks_exact_mut(self.width).zip(self.x.chunks_exact(self.width));
        for ((codes, row), scale) in rows.zip(self.scales) {
            let top = fold(row, 0.0, |top, value| larger(top, value.abs()), larger);
            // A NaN is larger than nothing: it is found by multiplying.
            let told = fold(row, 0.0, |sum, value| sum + value * 0.0, |a, b| a + b);
            *scale = top / 127.0 + told;
            let by = if *scale > 0.0 { *scale } else { 1.0 };
            for (code, value) in codes.iter_mut().zip(row) {
                *code = (value / by + ROUNDER).to_bits() as i8;
            }
        }
    }
}

#[cfg(test)]
#[path = "operators_tests.rs"]
mod tests;
