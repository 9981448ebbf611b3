//! `vramlab ledger serving`

use ledger::units;

use super::flags::flags;
use super::source::Source;
use super::{Failure, outln, print_entries, print_json};
use crate::answers;

flags!(Flags {
    /// bf16, fp8, int4, gptq4_g128, awq4_g128, nf4, mxfp4, nvfp4, gguf_q4_k_m, … [default: bf16]
    weights,
    /// bf16, fp8, int8_per_token_head, int4_group64, fp8_ds_mla, … [default: bf16]
    kv,
    /// Tokens per block [default: 16]
    block,
    /// Sequences at the same time [default: 8]
    batch,
    /// Tokens per sequence [default: 8192]
    seq,
    /// Tokens of one pass at most [default: 8192]
    step_tokens,
    /// Attention over the prompt: flash, eager [default: flash]
    attention,
    /// Positions whose logits are computed: last, all [default: last]
    logits,
    /// Percent of the card that the engine may use [default: 90]
    utilisation,
    /// Set aside, in MiB: CUDA context [default: 500]
    context_mib,
    /// Workspaces [default: 32]
    workspaces_mib,
    /// CUDA graphs [default: 492]
    graphs_mib,
    /// Buffers of NCCL [default: 0]
    nccl_mib,
    /// A card of the catalogue [default: h100-80gb]
    card,
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
    let answer = answers::serving(&args.source.pairs(args.flags.given())?)?;
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
