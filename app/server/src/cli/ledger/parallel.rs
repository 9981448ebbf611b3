//! `vramlab ledger parallel`

use ledger::units;

use super::flags::{Flags, Parallel};
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags<Parallel>,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let answer = answers::parallel(&args.source.pairs(args.flags.given)?)?;
    if args.json {
        print_json(&answer);
        return Ok(());
    }
    for (at, rank) in answer.ranks.iter().enumerate() {
        let mark = if at == answer.worst { "  <- the tightest" } else { "" };
        outln!(
            "stage {} and alike, {} in all: {} layers, {} live{mark}",
            rank.stage,
            rank.alike,
            rank.layers,
            rank.live
        );
        print_entries(&rank.entries);
        let peak = &rank.peak;
        outln!("peak {} = {}, caused by {}", units::gib(peak.bytes), units::gb(peak.bytes), peak.cause_part);
        for (name, bytes) in [("host", rank.host_bytes), ("drive", rank.nvme_bytes)] {
            if bytes > 0 {
                outln!("{:>14}  on the {name}", units::gib(bytes));
            }
        }
    }
    outln!("{}", answer.why.en);
    for line in &answer.traffic {
        let seconds = line.seconds.map_or_else(|| "unknown".to_owned(), |seconds| format!("{seconds:.4} s"));
        outln!(
            "{:>14} sent, {seconds}: {} over {} ranks",
            units::gib(line.traffic.sent),
            line.name.en,
            line.traffic.ranks
        );
    }
    outln!("{} cards; a stage waits {:.1}% of the step", units::group(answer.cards), answer.bubble * 100.0);
    let capacity = answer.capacity_bytes;
    if let Some(rank) = answer.ranks.get(answer.worst) {
        let peak = rank.peak.bytes;
        match capacity.checked_sub(peak) {
            Some(free) => outln!("{} ({}): fits, {} free", answer.card, units::gib(capacity), units::gib(free)),
            None => {
                let short = units::gib(peak - capacity);
                outln!("{} ({}): does not fit, {short} short", answer.card, units::gib(capacity));
            }
        }
    }
    Ok(())
}
