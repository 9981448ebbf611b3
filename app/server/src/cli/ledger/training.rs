//! `vramlab ledger training`

use ledger::units;

use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// fp32, amp_bf16, amp_fp16, bf16_master, bf16_master_fp32_grad, pure_bf16, …
    #[arg(long, default_value = "fp32")]
    precision: String,
    /// adamw_foreach, adamw_fused, adamw_in_backward, adamw_8bit, lion, adafactor, sgd, momentum, …
    #[arg(long, default_value = "adamw_foreach")]
    optimizer: String,
    #[arg(long, default_value = "1")]
    batch: String,
    #[arg(long, default_value = "768")]
    seq: String,
    /// none, every_layer, sqrt_segments, …
    #[arg(long, default_value = "none")]
    checkpointing: String,
    /// A card of the catalogue
    #[arg(long, default_value = "h100-80gb")]
    card: String,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let Args { source, precision, optimizer, batch, seq, checkpointing, card, json } = args;
    let fields = vec![
        ("precision", precision),
        ("optimizer", optimizer),
        ("batch", batch),
        ("seq", seq),
        ("checkpointing", checkpointing),
        ("card", card),
    ];
    let answer = answers::training(&source.pairs(fields)?)?;
    if json {
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
    let (card, capacity) = (&answer.card, answer.capacity_bytes);
    match capacity.checked_sub(peak.bytes) {
        Some(free) => outln!("{card} ({}): fits, {} free", units::gib(capacity), units::gib(free)),
        None => outln!("{card} ({}): does not fit, {} short", units::gib(capacity), units::gib(peak.bytes - capacity)),
    }
    Ok(())
}
