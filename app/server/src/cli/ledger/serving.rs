//! `vramlab ledger serving`

use ledger::units;

use super::flags::{Flags, Serving};
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags<Serving>,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let answer = answers::serving(&args.source.pairs(args.flags.given)?)?;
    if args.json {
        print_json(&answer);
        return Ok(());
    }
    print_entries(&answer.entries);
    for (phase, bytes) in
        [("load", answer.load_bytes), ("prefill", answer.prefill_bytes), ("decode", answer.decode_bytes)]
    {
        let mark = if bytes == answer.peak_bytes { "  <- peak" } else { "" };
        outln!("{:>14}  {phase}{mark}", units::gib(bytes));
    }
    let engine = &answer.engine;
    outln!(
        "{} at {}%: {} for the cache, {} blocks, {} tokens",
        answer.workload.card,
        answer.workload.utilisation,
        units::gib(engine.available),
        units::group(engine.blocks),
        units::group(engine.tokens)
    );
    outln!(
        "maximum concurrency for {} tokens per request: {:.2}×",
        units::group(answer.workload.seq),
        answer.max_concurrency
    );
    let longest = engine.longest_request.map_or_else(|| "none".to_owned(), units::group);
    outln!("longest request: {longest} tokens");
    Ok(())
}
