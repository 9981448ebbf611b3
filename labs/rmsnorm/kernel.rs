//! The kernels. `x` and `y` are rows × hidden, row-major; `weight` has hidden elements; one value per row in `mean` and `inverse`.

use crate::run::operators::{map, rms_norm, row_means, scale_rows};
use crate::run::{Cuda, HostArg, Kernel, KernelFault, Share, Wgsl, arguments};

const SOURCE: &str = include_str!("kernel.wgsl");
/// A workgroup for each row.
const GROUP: Option<Wgsl> = Some(Wgsl { source: SOURCE, share: Share::ItemOfGroup });
/// An invocation for each element; the width stands in the source as well.
const ITEM: Option<Wgsl> = Some(Wgsl { source: SOURCE, share: Share::ItemOfInvocation { width: 256 } });

pub const CUDA: Cuda =
    Cuda { source: include_str!("kernel.cu"), ptx: Some(include_str!("kernel.ptx")), block: 256, items_of_block: 1 };
/// A block for each row.
const BLOCK: Option<Cuda> = Some(CUDA);
/// A thread for each element.
const THREAD: Option<Cuda> = Some(Cuda { items_of_block: 256, ..CUDA });

pub const FUSED: Kernel = Kernel { name: "rmsnorm_fused", host: fused, cuda: BLOCK, wgsl: GROUP };
pub const SQUARE: Kernel = Kernel { name: "square", host: square, cuda: THREAD, wgsl: ITEM };
pub const ROW_MEAN: Kernel = Kernel { name: "row_mean", host: row_mean, cuda: BLOCK, wgsl: GROUP };
pub const INVERSE_ROOT: Kernel = Kernel { name: "inverse_root", host: inverse_root, cuda: THREAD, wgsl: ITEM };
pub const SCALE: Kernel = Kernel { name: "scale_rows", host: scale, cuda: BLOCK, wgsl: GROUP };

pub const ALL: [Kernel; 5] = [FUSED, SQUARE, ROW_MEAN, INVERSE_ROOT, SCALE];

/// One pass over device memory: a row stays on chip between its sum of squares and its scaling.
fn fused(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [
        HostArg::In(x),
        HostArg::In(weight),
        HostArg::Out(y),
        HostArg::U32(rows),
        HostArg::U32(hidden),
        HostArg::F32(eps),
    ] = args
    else {
        return arguments("in x, in weight, out y, u32 rows, u32 hidden, f32 eps");
    };
    let (rows, hidden, eps) = (*rows as usize, *hidden as usize, *eps);
    x.expect("x", rows * hidden)?;
    y.expect("y", rows * hidden)?;
    weight.expect("weight", hidden)?;
    rms_norm(x.all(), weight.all(), eps, y.all())
}

fn square(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(x), HostArg::Out(squares), HostArg::U32(elements)] = args else {
        return arguments("in x, out squares, u32 elements");
    };
    x.expect("x", *elements as usize)?;
    squares.expect("squares", *elements as usize)?;
    map(x.all(), squares.all(), |value| value * value)
}

fn row_mean(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(squares), HostArg::Out(mean), HostArg::U32(rows), HostArg::U32(hidden)] = args else {
        return arguments("in squares, out mean, u32 rows, u32 hidden");
    };
    let (rows, hidden) = (*rows as usize, *hidden as usize);
    squares.expect("squares", rows * hidden)?;
    mean.expect("mean", rows)?;
    row_means(squares.all(), hidden, mean.all())
}

fn inverse_root(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(mean), HostArg::Out(inverse), HostArg::U32(rows), HostArg::F32(eps)] = args else {
        return arguments("in mean, out inverse, u32 rows, f32 eps");
    };
    mean.expect("mean", *rows as usize)?;
    inverse.expect("inverse", *rows as usize)?;
    let eps = *eps;
    map(mean.all(), inverse.all(), |mean| 1.0 / (mean + eps).sqrt())
}

fn scale(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [
        HostArg::In(x),
        HostArg::In(inverse),
        HostArg::In(weight),
        HostArg::Out(y),
        HostArg::U32(rows),
        HostArg::U32(hidden),
    ] = args
    else {
        return arguments("in x, in inverse, in weight, out y, u32 rows, u32 hidden");
    };
    let (rows, hidden) = (*rows as usize, *hidden as usize);
    x.expect("x", rows * hidden)?;
    y.expect("y", rows * hidden)?;
    inverse.expect("inverse", rows)?;
    weight.expect("weight", hidden)?;
    scale_rows(x.all(), inverse.all(), weight.all(), y.all())
}
