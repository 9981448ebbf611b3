//! `vramlab ledger training`

use ledger::units;

use super::flags::{Flags, Training};
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags<Training>,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let answer = answers::training(&args.source.pairs(args.flags.given)?)?;
    if args.json {
        print_json(&answer);
        return Ok(());
    }
    print_entries(&answer.entries);
    for phase in &answer.phases {
        let mark = if phase.phase == answer.peak.phase { "  <- peak" } else { "" };
        outln!("{:>14}  {}{mark}", units::mib(phase.bytes), phase.phase.id());
    }
    let peak = &answer.peak;
    outln!("peak {} = {}, caused by {}", units::gib(peak.bytes), units::gb(peak.bytes), peak.cause.id());
    outln!("floor {}: no activation strategy can go below it", units::mib(answer.floor_bytes));
    for (title, entries) in [("on the host", &answer.host), ("over the link in a step", &answer.moved)] {
        if !entries.is_empty() {
            outln!("{title}:");
            print_entries(entries);
        }
    }
    let (card, capacity) = (&answer.card, answer.capacity_bytes);
    match capacity.checked_sub(peak.bytes) {
        Some(free) => outln!("{card} ({}): fits, {} free", units::gib(capacity), units::gib(free)),
        None => outln!("{card} ({}): does not fit, {} short", units::gib(capacity), units::gib(peak.bytes - capacity)),
    }
    Ok(())
}
