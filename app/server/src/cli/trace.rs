//! `vramlab trace FILE`: what a profiler trace, or its operator table, says.

use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;

use evidence::Lang;
use evidence::trace::{NameTime, ProfiledTable, Reading, Trace, TraceError, read};
use ledger::units;

use super::out::{self, outln};

#[derive(clap::Args)]
pub struct Args {
    /// A Chrome trace (.json or .json.gz), the text of key_averages().table(), or a profile report of lab 74
    #[arg(value_name = "TRACE")]
    file: PathBuf,
    #[arg(long)]
    json: bool,
    /// Language of messages: zh or en
    #[arg(long, default_value = "en", value_parser = super::language)]
    lang: Lang,
}

/// Names of a kind that are printed; `--json` has more.
const PRINTED: usize = 12;

/// Exit 0 the file was read, 1 it is no trace or cannot be read.
pub fn run(args: Args) -> ExitCode {
    let Args { file, json, lang } = args;
    let opened = File::open(&file).map_err(|error| error.to_string());
    let told = |error: TraceError| format!("{}\n  {}", error.message(lang), error.fix().get(lang));
    match opened.and_then(|opened| read(opened).map_err(told)) {
        Ok(reading) => {
            match (json, &reading) {
                (true, reading) => out::json(reading),
                (false, Reading::Trace(trace)) => print(&file.display().to_string(), trace, lang),
                (false, Reading::Tables(tables)) => tables.iter().for_each(|table| print_table(table, lang)),
            }
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("vramlab trace: {}: {why}", file.display());
            ExitCode::FAILURE
        }
    }
}

fn ms(ns: u64) -> String {
    format!("{} ms", units::decimal(ns, 1_000_000, 3))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn print(file: &str, trace: &Trace, lang: Lang) {
    let (events, span) = (units::group(trace.events), ms(trace.span_ns));
    outln!("{file}\n  {} · {events} {} · {span}", units::human_binary(trace.bytes), lang.pick("个事件", "events"));
    if let Some(first) = &trace.first_left_out {
        let what = lang.pick("个事件已略去，第一个在字节", "events left out, the first at byte");
        outln!("  {} {what} {}: {}: {} ≠ {}", trace.left_out, first.offset, first.field, first.found, first.expected);
    }
    for device in &trace.devices {
        let (busy, hidden) = (percent(device.busy_share()), percent(device.hidden_share()));
        let (kernels, copies) = (ms(device.kernel_ns), ms(device.copy_ns));
        let words = [lang.pick("忙", "busy"), lang.pick("其中被掩盖", "of them hidden")];
        outln!(
            "  GPU {}: {} {busy} · kernel {kernels} · memcpy {copies}, {} {hidden}",
            device.device,
            words[0],
            words[1]
        );
    }
    for time in &trace.categories {
        let counted = time.once_ns.map_or_else(|| format!("Σ {}", ms(time.sum_ns)), ms);
        outln!("  {:<16} {counted:>18} {:>12}", time.category.id(), units::group(time.events));
    }
    for step in &trace.steps {
        let busy = percent(evidence::trace::share(step.device_busy_ns, step.duration_ns));
        outln!("  ProfilerStep#{}: {} · GPU {busy}", step.number, ms(step.duration_ns));
    }
    if let Some(overhead) = &trace.overhead {
        let what = lang.pick("profiler 至多占", "the profiler's share is at most");
        outln!("  {what} {}", percent(overhead.share()));
    }
    for track in &trace.memory {
        let peak = track.peak;
        let (allocated, reserved) = (units::group(peak.allocated_bytes), units::group(peak.reserved_bytes));
        outln!(
            "  {} {}: allocated ≤ {allocated} B @ {} (reserved {reserved} B)",
            track.kind,
            track.device,
            ms(peak.at_ns)
        );
    }
    for names in [&trace.operators, &trace.kernels, &trace.copies] {
        names.iter().take(PRINTED).for_each(named);
    }
}

fn named(name: &NameTime) {
    let short: String = name.name.chars().take(70).collect();
    outln!("  {:>16} {:>10} {:<11} {short}", ms(name.self_ns), units::group(name.calls), name.category.id());
}

fn print_table(table: &ProfiledTable, lang: Lang) {
    outln!("{}", if table.name.is_empty() { lang.pick("算子表", "operator table") } else { &table.name });
    if let Some(outside) = table.outside_share() {
        let what = lang.pick("计时在 ProfilerStep 之外的部分", "timed outside of ProfilerStep");
        outln!("  {what}: {}", percent(outside));
    }
    let ns = |ns: Option<u64>| ns.map_or_else(|| "–".to_owned(), ms);
    for row in &table.table.rows {
        let calls = row.calls.map_or_else(|| "–".to_owned(), units::group);
        outln!("  GPU {:>16} CPU {:>16} {calls:>10} {}", ns(row.self_device_ns), ns(row.self_cpu_ns), row.name);
    }
}
