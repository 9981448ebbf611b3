//! `vramlab ledger parallel`

use ledger::units;

use super::flags::flags;
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

flags!(Flags {
    /// fp32, tf32, amp_bf16, bf16_master, fp8, … [default: bf16_master]
    precision,
    /// adamw_fused, adamw_8bit, muon, … [default: adamw_fused]
    optimizer,
    /// Sequences per micro-batch [default: 1]
    batch,
    /// Tokens per sequence [default: 4096]
    seq,
    /// none, selective, every_layer, sqrt_segments [default: selective]
    checkpointing,
    /// Micro-batches per step [default: 16]
    micro_batches,
    /// Data-parallel ranks [default: 2]
    data,
    /// Tensor-parallel ranks [default: 8]
    tensor,
    /// Sequence parallelism beside tensor parallelism: on, off [default: on]
    sequence,
    /// Pipeline stages [default: 4]
    pipeline,
    /// gpipe, 1f1b, interleaved_2, interleaved_4, interleaved_8 [default: 1f1b]
    schedule,
    /// Expert-parallel ranks, of the data and context ranks [default: 1]
    expert,
    /// Context-parallel ranks [default: 1]
    context,
    /// ZeRO stage: 0, 1, 2, 3 [default: 1]
    zero,
    /// Where optimizer states lie: device, host, nvme [default: device]
    states,
    /// Where weights lie (ZeRO-3): device, host, nvme [default: device]
    weights,
    /// A card of the catalogue [default: h100-80gb]
    card,
    /// Cards per machine [default: 8]
    node,
    /// GB/s per card between machines, per direction [default: 50]
    between_gb,
});

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    flags: Flags,
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let answer = answers::parallel(&args.source.pairs(args.flags.given())?)?;
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
