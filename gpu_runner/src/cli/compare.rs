//! `gpu_runner compare`: two benchmarks held against each other, and no difference claimed that the noise could have made.

use std::path::PathBuf;
use std::process::ExitCode;

use evidence::statistics::{NOISE_BOUND, median_interval, quantile};
use evidence::{Candidate, Report, Status, Workload};
use ledger::units::human_binary;

use super::bench::{fragmentation, times};
use super::saved;

/// Both medians lie in their intervals together with 95% at least: each has half of the doubt.
const EACH: f64 = 0.975;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A name given to `bench --save`, or a report file.
    a: String,
    /// What is held against it.
    b: String,
    /// Where benchmarks are kept.
    #[arg(long, value_name = "DIR", env = "VRAMLAB_BENCHMARKS", default_value = "benchmarks")]
    folder: PathBuf,
}

pub fn main(args: &Args) -> ExitCode {
    let read = |name: &str| saved::reports(name, &args.folder);
    let result = read(&args.a).and_then(|a| Ok((a, read(&args.b)?))).and_then(|(a, b)| all(&args.a, &args.b, &a, &b));
    match result {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("gpu_runner: {message}");
            ExitCode::from(2)
        }
    }
}

fn all(name_a: &str, name_b: &str, a: &[Report], b: &[Report]) -> Result<String, String> {
    let mut out = String::new();
    for before in a {
        let Some(after) = b.iter().find(|after| after.lab == before.lab) else {
            out += &format!("{}: only in {name_a}\n", before.lab);
            continue;
        };
        let different = differences(before, after);
        if !different.is_empty() {
            return Err(format!(
                "{}: {name_a} and {name_b} are no runs of one thing and are not compared:\n  {}",
                before.lab,
                different.join("\n  ")
            ));
        }
        out += &lab(before, after);
    }
    for after in b.iter().filter(|after| !a.iter().any(|before| before.lab == after.lab)) {
        out += &format!("{}: only in {name_b}\n", after.lab);
    }
    if a.iter().any(|before| b.iter().any(|after| after.lab == before.lab)) {
        return Ok(out);
    }
    Err(format!("{name_a} and {name_b} have no lab in common"))
}

/// What must be equal and is not, by name.
fn differences(a: &Report, b: &Report) -> Vec<String> {
    let mut rows: Vec<(String, String, String)> = Vec::new();
    let mut row = |name: &str, a: String, b: String| rows.push((name.to_owned(), a, b));
    let text = |text: Option<&str>| text.unwrap_or("unknown").to_owned();
    let device = |report: &Report| {
        report
            .device
            .as_ref()
            .map(|it| [it.backend.id().to_owned(), it.name.clone(), format!("{:?}", it.kind), text(it.uuid.as_deref())])
    };
    match (device(a), device(b)) {
        (Some(a), Some(b)) => {
            for ((name, a), b) in ["backend", "device", "kind of device", "uuid"].into_iter().zip(a).zip(b) {
                row(name, a, b);
            }
        }
        (a, b) => {
            let named = |device: Option<[String; 4]>| device.map_or_else(|| "none".to_owned(), |[_, name, ..]| name);
            // Without a device on either side nothing says that they are the same.
            row("device", named(a), format!("{} ", named(b)));
        }
    }
    let code = |report: &Report| report.learner_code.as_ref().map(|code| code.sha256.clone()).unwrap_or_default();
    row("learner's code", code(a), code(b));
    match (&a.workload, &b.workload) {
        (Workload::Kernel(a), Workload::Kernel(b)) => {
            row("operation", a.operation.clone(), b.operation.clone());
            row("dtype", a.dtype.clone(), b.dtype.clone());
            row("seed", a.seed.to_string(), b.seed.to_string());
            row("warmup", a.warmup.to_string(), b.warmup.to_string());
            let size = |size: Option<&u64>| size.map_or_else(|| "absent".to_owned(), u64::to_string);
            for name in a.shape.keys().chain(b.shape.keys().filter(|name| !a.shape.contains_key(*name))) {
                row(name, size(a.shape.get(name)), size(b.shape.get(name)));
            }
        }
        (a, b) => row("kind of workload", a.kind().to_owned(), format!("{}, expected kernel", b.kind())),
    }
    rows.retain(|(_, a, b)| a != b);
    rows.into_iter().map(|(name, a, b)| format!("{name}: {a} against {}", b.trim_end())).collect()
}

fn lab(a: &Report, b: &Report) -> String {
    let device = a.device.as_ref().map_or("", |device| device.name.as_str());
    let mut out = format!("{} on {device}\n", a.lab);
    let runtime =
        |report: &Report| report.device.as_ref().and_then(|device| device.runtime.clone()).unwrap_or_default();
    let driver = |report: &Report| report.device.as_ref().and_then(|device| device.driver.clone()).unwrap_or_default();
    for (what, before, after) in [("runtime", runtime(a), runtime(b)), ("driver", driver(a), driver(b))] {
        if before != after {
            out += &format!("  {what}: {before} → {after}\n");
        }
    }
    for before in &a.candidates {
        match b.candidate(&before.name) {
            Some(after) => out += &candidate(before, after),
            None => out += &format!("  {}: only in the first\n", before.name),
        }
    }
    for after in b.candidates.iter().filter(|after| a.candidate(&after.name).is_none()) {
        out += &format!("  {}: only in the second\n", after.name);
    }
    out
}

fn candidate(a: &Candidate, b: &Candidate) -> String {
    let mut out = format!("  {}\n", a.name);
    if a.status != Status::Ok || b.status != Status::Ok {
        out += &format!("    status  {} → {}\n", a.status.id(), b.status.id());
    }
    let (before, after) = (times(a), times(b));
    if !before.is_empty() && !after.is_empty() {
        for (name, q) in [("p50", 0.5), ("p99", 0.99)] {
            out += &format!("    {name}     {:.4} → {:.4} ms\n", quantile(&before, q), quantile(&after, q));
        }
        out += &format!("    ratio   {}\n", ratio(&before, &after));
        if a.metrics.timer != b.metrics.timer {
            out += "    the clocks differ: one time is the host's, the other the device's\n";
        }
    }
    let bytes = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), human_binary);
    let held = |it: &Candidate| (it.metrics.allocated_before_bytes, it.metrics.peak_allocated_bytes);
    for (name, before, after) in [("before", held(a).0, held(b).0), ("peak", held(a).1, held(b).1)] {
        if before.or(after).is_some() {
            out += &format!("    {name:<7} {} → {}\n", bytes(before), bytes(after));
        }
    }
    if let (Some(before), Some(after)) = (fragmentation(a), fragmentation(b)) {
        out += &format!("    unused  {:.1}% → {:.1}% of what the allocator holds\n", before * 100.0, after * 100.0);
    }
    out
}

/// The second median over the first with its interval, and what may be said of it. Times rise.
fn ratio(a: &[f64], b: &[f64]) -> String {
    let middle = quantile(b, 0.5) / quantile(a, 0.5);
    let intervals = median_interval(a, EACH).zip(median_interval(b, EACH)).filter(|((low, _), _)| *low > 0.0);
    let Some(((low_a, high_a), (low_b, high_b))) = intervals else {
        return format!("{middle:.3}, no interval: fewer than 7 samples; no difference shown");
    };
    let (low, high) = (low_b / high_a, high_b / low_a);
    // Two runs of one program differ by about the bound; only what lies beyond it as well is a difference.
    let word = if low > 1.0 + NOISE_BOUND {
        "slower"
    } else if high < 1.0 / (1.0 + NOISE_BOUND) {
        "faster"
    } else {
        "no difference shown"
    };
    format!("{middle:.3}, 95% between {low:.3} and {high:.3}: {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(middle: f64, off: f64) -> Vec<f64> {
        (0..20).map(|at| middle + off * (f64::from(at) - 9.5) / 9.5).collect()
    }

    #[test]
    fn a_difference_is_only_told_outside_the_noise() {
        for (a, b, word) in [
            (around(10.0, 0.1), around(10.0, 0.1), "no difference shown"),
            (around(10.0, 0.1), around(10.4, 0.1), "no difference shown"),
            (around(10.0, 0.1), around(12.0, 0.1), "slower"),
            (around(12.0, 0.1), around(10.0, 0.1), "faster"),
            (around(10.0, 4.0), around(12.0, 4.0), "no difference shown"),
            (vec![10.0; 6], vec![20.0; 6], "fewer than 7 samples; no difference shown"),
        ] {
            let found = ratio(&a, &b);
            assert!(found.ends_with(word), "{found}");
        }
    }
}
