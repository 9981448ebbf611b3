//! The CPU operators beside PyTorch's: one process of each, asked in turns, so that both meet the same machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::sh;

const ROUNDS: usize = 41;
/// Before each run: the threads of the other side wait busily for a while after theirs, on the cores that this one needs.
const REST: Duration = Duration::from_millis(50);
/// Ours, and every way to ask the other side.
const OPERATORS: [(&str, &[&str]); 4] = [
    ("rms_norm", &["rms_norm"]),
    ("softmax", &["softmax"]),
    ("gemm", &["gemm"]),
    ("int8", &["int8", "int8_quantizer"]),
];
/// What the sums of both sides may differ by, of their size.
const APART: f64 = 1e-3;

struct Asked {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Asked {
    fn start(command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or("a process without pipes")?;
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(1..) => Ok(line.trim().to_owned()),
            Ok(0) => Err("it ended without an answer".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Seconds, and the sum over what came out.
    fn ask(&mut self, what: &str) -> Result<(f64, f64), String> {
        thread::sleep(REST);
        writeln!(self.to, "{what}").and_then(|()| self.to.flush()).map_err(|error| error.to_string())?;
        let line = self.line()?;
        let (seconds, sum) = line.split_once(' ').ok_or_else(|| format!("{what}: {line}"))?;
        let number = |text: &str| text.parse::<f64>().map_err(|error| format!("{what}: {line}: {error}"));
        Ok((number(seconds)?, number(sum)?))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn run() -> sh::Result {
    let python = torch()?;
    sh::cargo(
        "operators",
        &["build", "--release", "--quiet", "-p", "labs", "--features", "run", "--example", "operators"],
    )?;
    let root = sh::root();
    let mut ours =
        Asked::start(Command::new(root.join("target/release/examples/operators")).env("RAYON_NUM_THREADS", "2"))?;
    let mut theirs = Asked::start(Command::new(python).arg(root.join("xtask/src/bench/kernels.py")))?;
    println!(
        "PyTorch {}, 2 threads each, {ROUNDS} rounds in turns, medians; ratio = their time / ours",
        theirs.line()?
    );
    println!("rows 2048 × 4096, product 1024 × 1024 × 1024, 32-bit floats");
    println!(
        "{:<10} {:>10} {:>10} {:>7}  ratios of the rounds, 10th to 90th of a hundred",
        "", "ours ms", "PyTorch ms", "ratio"
    );
    for (name, ways) in OPERATORS {
        let way = fastest(&mut theirs, ways)?;
        let (mut own, mut other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS + 2 {
            let (our, our_sum) = ours.ask(name)?;
            let (their, their_sum) = theirs.ask(way)?;
            if (our_sum - their_sum).abs() > their_sum.abs() * APART {
                return Err(format!("{name}: the results differ: {our_sum} and {their_sum}"));
            }
            // The first two warm up.
            if round >= 2 {
                own.push(our);
                other.push(their);
                ratios.push(their / our);
            }
        }
        let (own, other) = (at(&mut own, 50), at(&mut other, 50));
        println!(
            "{name:<10} {:>10.2} {:>10.2} {:>7.2}  {:.2} to {:.2}  ({way})",
            own * 1e3,
            other * 1e3,
            other / own,
            at(&mut ratios, 10),
            at(&mut ratios, 90)
        );
    }
    Ok(())
}

/// The way that takes the other side the least time: nobody would pick a slower one.
fn fastest<'a>(theirs: &mut Asked, ways: &[&'a str]) -> Result<&'a str, String> {
    let mut best = None;
    for way in ways {
        let mut times = (0..7).map(|_| Ok(theirs.ask(way)?.0)).collect::<Result<Vec<_>, String>>()?;
        let time = at(&mut times, 50);
        if best.is_none_or(|(_, least)| time < least) {
            best = Some((*way, time));
        }
    }
    best.map(|(way, _)| way).ok_or_else(|| "no way to ask".to_owned())
}

fn at(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get((times.len().saturating_sub(1)) * percent / 100).copied().unwrap_or(f64::NAN)
}

/// A Python with PyTorch: that of `VRAMLAB_TORCH`, or one that is made here once. No test needs it.
fn torch() -> Result<std::path::PathBuf, String> {
    if let Some(python) = std::env::var_os("VRAMLAB_TORCH") {
        return Ok(python.into());
    }
    let folder = sh::root().join("target/torch");
    let python = folder.join("bin/python");
    if !folder.join("installed").exists() {
        println!("→ PyTorch into {}: some gigabytes, once", folder.display());
        sh::run("venv", Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        sh::run("torch", Command::new(&python).args(["-m", "pip", "install", "--quiet", "torch", "numpy"]))?;
        std::fs::write(folder.join("installed"), "").map_err(|error| error.to_string())?;
    }
    Ok(python)
}
