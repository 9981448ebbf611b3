//! `vramlab ledger inference`

use ledger::units;

use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Format of the weights: fp32, bf16, fp16, fp8, int8, int4
    #[arg(long, default_value = "bf16")]
    weights: String,
    /// Format of the KV cache
    #[arg(long, default_value = "bf16")]
    kv: String,
    #[arg(long, default_value = "1")]
    batch: String,
    /// Tokens per request
    #[arg(long, default_value = "8192")]
    seq: String,
    /// A card of the catalogue
    #[arg(long, default_value = "h100-80gb")]
    card: String,
    /// Bytes set aside for context and graphs, in MiB: an assumption
    #[arg(long, default_value = "1024")]
    reserve_mib: String,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let Args { source, weights, kv, batch, seq, card, reserve_mib, json } = args;
    let fields = vec![
        ("weights", weights),
        ("kv", kv),
        ("batch", batch),
        ("seq", seq),
        ("card", card),
        ("reserve_mib", reserve_mib),
    ];
    let answer = answers::inference(&source.pairs(fields)?)?;
    if json {
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
