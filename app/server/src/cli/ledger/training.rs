//! `vramlab ledger training`

use ledger::units;

use super::flags::flags;
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

flags!(Flags {
    /// fp32, tf32, amp_bf16, amp_fp16, bf16_master, bf16_master_fp32_grad, fp16_master, pure_bf16, fp8 [default: fp32]
    precision,
    /// adamw_foreach, adamw_fused, adamw_in_backward, adamw_8bit, paged_adamw, muon, lion, adafactor, sgd, momentum, …
    /// [default: adamw_foreach]
    optimizer,
    /// Sequences per micro-batch [default: 1]
    batch,
    /// Tokens per sequence [default: 768]
    seq,
    /// none, selective, every_layer, sqrt_segments, segments_N, recompute_norms+mlp, … [default: none]
    checkpointing,
    /// full, lora, qlora, dora, qdora [default: full]
    method,
    /// Rank of the adapters [default: 16]
    rank,
    /// Projections with an adapter: all, query_value [default: all]
    targets,
    /// Micro-batches per step [default: 1]
    micro_batches,
    /// Where gradients are added up: of_weights, fp32 [default: of_weights]
    gradients,
    /// transformers, fused, eager_attention [default: transformers]
    kernels,
    /// Layers whose saved activations stay on the device; 0 for all [default: 0]
    offload_layers,
    /// in_place, host_copy, device_copy [default: in_place]
    loader,
    /// Format of the numbers in the file [default: bf16]
    file,
});

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags,
    /// A card of the catalogue
    #[arg(long, default_value = "h100-80gb")]
    card: String,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let mut fields = args.flags.given();
    fields.push(("card", args.card));
    let answer = answers::training(&args.source.pairs(fields)?)?;
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
