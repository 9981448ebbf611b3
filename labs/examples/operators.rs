//! The CPU operators as a process that is asked: a line with a name on standard input is answered by the seconds of one
//! run and a sum over what came out. `cargo xtask bench kernels` asks it in turns with another library.

use std::hint::black_box;
use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use labs::run::operators::{gemm, quantise_int8, rms_norm, softmax};

const ROWS: usize = 2048;
const WIDTH: usize = 4096;
const SIDE: usize = 1024;

/// The same numbers as the other side makes: a multiplicative hash of the place, in −1 to 1.
fn numbers(count: usize) -> Vec<f32> {
    let hash = |at: u32| at.wrapping_mul(2_654_435_761);
    (0..count as u32).map(|at| (f64::from(hash(at)) / f64::from(1_u32 << 31) - 1.0) as f32).collect()
}

fn main() {
    let (x, weight, square) = (numbers(ROWS * WIDTH), numbers(WIDTH), numbers(SIDE * SIDE));
    let (mut y, mut product) = (vec![0.0; x.len()], vec![0.0; square.len()]);
    let (mut codes, mut scales) = (vec![0_i8; x.len()], vec![0.0; ROWS]);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let start = Instant::now();
        let fits = match line.as_str() {
            "rms_norm" => rms_norm(black_box(&x), &weight, 1e-6, &mut y),
            "softmax" => softmax(black_box(&x), WIDTH, &mut y),
            "gemm" => gemm([SIDE; 3], black_box(&square), &square, &mut product),
            "int8" => quantise_int8(black_box(&x), WIDTH, &mut codes, &mut scales),
            other => {
                println!("unknown {other}");
                continue;
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        fits.unwrap_or_else(|fault| panic!("{line}: {fault}"));
        let sum: f64 = match line.as_str() {
            "gemm" => product.iter().map(|value| f64::from(value.abs())).sum(),
            "int8" => codes.iter().map(|code| f64::from(code.unsigned_abs())).sum(),
            _ => y.iter().map(|value| f64::from(value.abs())).sum(),
        };
        println!("{seconds} {sum}");
        let _ = std::io::stdout().flush();
    }
}
