//! `vramlab budget FILE`: the decision of a report under a grid of limits.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evidence::Lang;
use evidence::budget::{Amount, Axis, Flip, Grid, Step};
use ledger::units;

use super::out::{self, outln};
use crate::answers::{self, BudgetAxes, BudgetRefusal};

#[derive(clap::Args)]
pub struct Args {
    /// A report of lab 76 or 75, or a vramlab-report/v1
    #[arg(value_name = "REPORT")]
    file: PathBuf,
    /// Memory caps: 9500 is MiB, 0.9x is times the baseline, -5% is less than it
    #[arg(long, allow_hyphen_values = true)]
    caps: Option<String>,
    /// Throughput floors, samples per second or relative
    #[arg(long, allow_hyphen_values = true)]
    rates: Option<String>,
    /// Ceilings of the held-out loss, nats or relative
    #[arg(long, allow_hyphen_values = true)]
    losses: Option<String>,
    #[arg(long)]
    json: bool,
    /// Language of messages: zh or en
    #[arg(long, default_value = "en", value_parser = super::language)]
    lang: Lang,
}

/// Exit 0 the grid was computed, 1 the file is no such report, 2 an axis cannot be read.
pub fn run(args: Args) -> ExitCode {
    let Args { file, caps, rates, losses, json, lang } = args;
    let bytes = match super::grade::bytes(&file) {
        Ok(bytes) => bytes,
        Err(error) => return refused(&file, &[error.to_string()], 1),
    };
    match answers::budget(&bytes, &BudgetAxes { caps, rates, losses }) {
        Ok(grid) => {
            match json {
                true => out::json(&grid),
                false => print(&file, &grid, lang),
            }
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            let wrong_axis = matches!(&refusal, BudgetRefusal::Grid(error) if error.input().is_some());
            refused(&file, &refusal.lines(lang), if wrong_axis { 2 } else { 1 })
        }
    }
}

fn refused(file: &Path, lines: &[String], code: u8) -> ExitCode {
    eprintln!("vramlab budget: {}: {}", file.display(), lines.join("\n  "));
    ExitCode::from(code)
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => format!("{} MiB", units::decimal(bytes, units::MIB, 2)),
        Amount::Number(number) => number.to_string(),
    }
}

fn step(step: &Step) -> String {
    step.amount.map_or_else(|| "–".to_owned(), amount)
}

fn print(file: &Path, grid: &Grid, lang: Lang) {
    outln!("{}", file.display());
    if let Some(own) = &grid.own {
        let best = own.best.as_deref().unwrap_or("–");
        outln!("  {}: {} · {best} · {}", lang.pick("报告自己的限制", "own limits"), own.decision.id(), own.reason);
    }
    let summary = &grid.summary;
    let counts = summary.decision_counts.iter().map(|(word, count)| format!("{count} {word}"));
    outln!(
        "  {} {}: {}",
        summary.scenario_count,
        lang.pick("个场景", "scenarios"),
        counts.collect::<Vec<_>>().join(", ")
    );
    outln!("  {}", summary.interpretation);
    for (at, loss) in grid.losses.iter().enumerate() {
        outln!("  loss ≤ {} {}", step(loss), loss.level);
        let heads = grid.rates.iter().map(|rate| format!("{:>22}", format!("≥ {}/s", short(rate)))).collect::<String>();
        outln!("  {:>18}{heads}", "");
        for (row, cap) in grid.caps.iter().enumerate() {
            let cells = (0..grid.rates.len()).filter_map(|column| grid.at(row, column, at)).map(|scenario| {
                let told = &scenario.conclusion;
                format!("{:>22}", format!("{} {}", told.decision.id(), told.best.as_deref().unwrap_or("–")))
            });
            outln!("  {:>18}{}", format!("≤ {}", step(cap)), cells.collect::<String>());
        }
    }
    for flip in grid.flips() {
        outln!("  {}", told(flip, lang));
    }
}

/// A rate that fits a column.
fn short(rate: &Step) -> String {
    match rate.amount {
        Some(Amount::Number(number)) => units::significant(number),
        _ => step(rate),
    }
}

fn told(flip: &Flip, lang: Lang) -> String {
    let names = flip.because.join(", ");
    let (below, above) = (flip.below.id(), flip.above.id());
    match (flip.axis, lang) {
        (Axis::Throughput, Lang::En) => {
            format!("{}: up to {} {below}, above it {above} ({names})", flip.axis.input(), amount(flip.last))
        }
        (Axis::Throughput, Lang::Zh) => {
            format!("{}：到 {} 为止 {below}，之上 {above}（{names}）", flip.axis.input(), amount(flip.last))
        }
        (_, Lang::En) => {
            format!("{}: from {} on {above}, below it {below} ({names})", flip.axis.input(), amount(flip.first))
        }
        (_, Lang::Zh) => {
            format!("{}：从 {} 起 {above}，之下 {below}（{names}）", flip.axis.input(), amount(flip.first))
        }
    }
}
