//! `vramlab allocator …`: PyTorch's caching allocator, simulated.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use ledger::snapshot::{MAX_PICKLE_BYTES, Replay, read_snapshot, replay};
use ledger::units;

use super::ledger::Failure;
use super::out::{self, outln};

#[derive(Subcommand)]
pub enum Kind {
    /// Run a PyTorch memory snapshot through the simulated allocator and compare every address
    Replay {
        /// A pickle of torch.cuda.memory._dump_snapshot(); read as plain data, never executed
        #[arg(value_name = "SNAPSHOT")]
        file: PathBuf,
        #[arg(long)]
        json: bool,
    },
}

/// Exit 0 every address and both totals agree, 1 they do not or the file is refused.
pub fn run(kind: Kind) -> ExitCode {
    match kind {
        Kind::Replay { file, json } => match read(&file) {
            Ok(replay) => {
                match json {
                    true => out::json(&replay),
                    false => print(&replay),
                }
                if replay.agrees() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            }
            Err(failure) => failure.report("allocator replay"),
        },
    }
}

fn read(file: &Path) -> Result<Replay, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::File(format!("{}: {error}", file.display()));
    let size = std::fs::metadata(file).map_err(|error| named(&error))?.len();
    if size > MAX_PICKLE_BYTES as u64 {
        return Err(named(&format!(
            "{} is more than a snapshot may have: {MAX_PICKLE_BYTES} bytes",
            units::group(size)
        )));
    }
    let bytes = std::fs::read(file).map_err(|error| named(&error))?;
    Ok(replay(&read_snapshot(&bytes).map_err(|error| named(&error))?))
}

fn print(replay: &Replay) {
    let Replay { allocations, segments, mismatches, .. } = replay;
    outln!("{allocations} allocations, {segments} segments, {mismatches} mismatches");
    for (name, simulated, found) in [
        ("reserved", replay.reserved, replay.snapshot_reserved),
        ("allocated", replay.allocated, replay.snapshot_allocated),
    ] {
        let word = if simulated == found { "equal" } else { "different" };
        outln!("{name}: {} simulated, {} in the snapshot: {word}", units::group(simulated), units::group(found));
    }
    for example in &replay.examples {
        outln!(
            "event {}: {} bytes at {:#x} on the GPU, at {:#x} here",
            example.event,
            units::group(example.size),
            example.on_gpu,
            example.simulated
        );
    }
}
