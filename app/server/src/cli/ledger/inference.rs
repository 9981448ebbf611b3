//! `vramlab ledger inference`

use ledger::units;

use super::flags::{Flags, Inference};
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags<Inference>,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    // One sequence, where the page shows a busy service.
    let mut fields = vec![("batch", "1".to_owned())];
    fields.extend(args.flags.given);
    let answer = answers::inference(&args.source.pairs(fields)?)?;
    if args.json {
        print_json(&answer);
        return Ok(());
    }
    print_entries(&answer.entries);
    outln!("{:>14}  = {}  total", units::gib(answer.total_bytes), units::gb(answer.total_bytes));
    let fit = answer.fit;
    let verdict = match fit.fits {
        true => format!("fits, {} free", units::gib(fit.free)),
        false => format!("does not fit, {} short", units::gib(fit.short)),
    };
    outln!("{} ({}): {verdict}", answer.card, units::gib(fit.capacity));
    let limit = |value: Option<u64>| value.map_or_else(|| "none".to_owned(), units::group);
    outln!("longest context at batch {}: {}", answer.workload.batch, limit(fit.longest_context));
    outln!("largest batch at {} tokens: {}", units::group(answer.workload.seq), limit(fit.largest_batch));
    Ok(())
}
