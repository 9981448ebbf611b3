//! `gpu_runner bench`: labs run here, what they measured as a table, kept under a name.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use evidence::statistics::{ordered, quantile};
use evidence::{Candidate, Report, Timer};
use ledger::units::human_binary;
use protocol::ParamValue;

use super::here::{self, parse_param};
use super::saved;
use crate::backend::{BackendName, labs_for};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The lab's id; without one, every lab that the backend can run.
    lab: Option<String>,
    #[arg(long, value_enum, default_value = "cpu", env = "VRAMLAB_BACKEND")]
    backend: BackendName,
    /// A preset of the lab, for example smoke; parameters given besides take precedence.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// A parameter of the lab, as name=value; can be given several times.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    params: Vec<(String, ParamValue)>,
    /// Keep the reports under this name, for `compare`.
    #[arg(long, value_name = "NAME", value_parser = saved::parse_name)]
    save: Option<String>,
    /// Where benchmarks are kept.
    #[arg(long, value_name = "DIR", env = "VRAMLAB_BENCHMARKS", default_value = "benchmarks")]
    folder: PathBuf,
}

pub fn main(args: &Args) -> ExitCode {
    super::logging::start();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}

fn run(args: &Args) -> Result<(), ExitCode> {
    let failed = |message: String| {
        eprintln!("gpu_runner: {message}");
        ExitCode::FAILURE
    };
    let labs = match &args.lab {
        Some(name) => vec![here::find(name, args.backend)?],
        None => labs_for(args.backend),
    };
    // Everything is looked over before anything runs.
    let mut planned = Vec::with_capacity(labs.len());
    for lab in labs {
        planned.push((lab, here::params(lab, args.preset.as_deref(), &args.params)?));
    }
    for (lab, params) in planned {
        let bytes = here::execute(lab, args.backend, &params, None, None)?;
        let document = evidence::read(&bytes).map_err(|error| failed(error.to_string()))?;
        print!("{}", table(&document.report));
        if let Some(name) = &args.save {
            let folder = args.folder.join(name);
            fs::create_dir_all(&folder).map_err(|error| failed(format!("{}: {error}", folder.display())))?;
            here::write(&folder.join(format!("{}.json", lab.id)), &bytes)?;
        }
    }
    Ok(())
}

/// Times of one candidate, rising.
pub fn times(candidate: &Candidate) -> Vec<f64> {
    ordered(&candidate.runs.iter().filter_map(|run| run.time_ms).collect::<Vec<_>>())
}

/// The share of what the allocator holds that nobody uses; `None` where the backend does not know what it holds.
pub fn fragmentation(candidate: &Candidate) -> Option<f64> {
    let reserved = candidate.metrics.peak_reserved_bytes.filter(|bytes| *bytes > 0)?;
    let allocated = candidate.metrics.peak_allocated_bytes?;
    Some(reserved.saturating_sub(allocated) as f64 / reserved as f64)
}

fn table(report: &Report) -> String {
    let device = report.device.as_ref().map_or("no device", |device| device.name.as_str());
    let mut out = format!("{} on {device}: {} evidence\n", report.lab, report.evidence_class().id());
    if let Some(line) = &report.roofline {
        let clock = if line.timer == Timer::Host { "host clock" } else { "device events" };
        let (copy, flops) = (line.copy_bytes_per_s / 1e9, line.fma_flops_per_s / 1e9);
        out += &format!("  roofline: copy {copy:.1} GB/s, multiply and add {flops:.1} GFLOP/s ({clock})\n");
    }
    out += &format!(
        "  {:<14} {:>10} {:>10} {:>23} {:>6} {:>11} {:>11} {:>9}  \n",
        "variant", "p50 ms", "p99 ms", "95% of the median", "roof", "before", "peak", "unused"
    );
    for candidate in &report.candidates {
        let metrics = &candidate.metrics;
        let bytes = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), human_binary);
        let share = metrics.reached.as_ref().and_then(|reached| reached.fraction);
        let share = share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", share * 100.0));
        let unused = fragmentation(candidate).map_or_else(|| "-".to_owned(), |it| format!("{:.0}%", it * 100.0));
        let memory = [bytes(metrics.allocated_before_bytes), bytes(metrics.peak_allocated_bytes)];
        let Some(spread) = &metrics.spread else {
            let why = candidate.error.as_deref().unwrap_or("not timed");
            out += &format!("  {:<14} {}: {why}\n", candidate.name, candidate.status.id());
            continue;
        };
        let interval =
            spread.interval.map_or_else(|| "-".to_owned(), |it| format!("{:.4}…{:.4}", it.low_ms, it.high_ms));
        let mark = if spread.noisy { "noisy" } else { "" };
        let p99 = quantile(&times(candidate), 0.99);
        let line = format!(
            "  {:<14} {:>10.4} {p99:>10.4} {interval:>23} {share:>6} {:>11} {:>11} {unused:>9}  {mark}",
            candidate.name, spread.median_ms, memory[0], memory[1]
        );
        out += line.trim_end();
        out.push('\n');
    }
    out
}
