//! `vramlab allocator …`: PyTorch's caching allocator, simulated.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use ledger::allocator::{Operation, Step};
use ledger::snapshot::{MAX_PICKLE_BYTES, Replay, read_snapshot, replay};
use ledger::units;

use super::ledger::{Failure, Flags, Script};
use super::out::{self, outln};
use crate::answers::{self, Refusal, ScriptAnswer};

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
    /// Run a script of allocations and say what each one did
    Run {
        /// One operation per line: alloc NAME SIZE, free NAME, later NAME, empty
        #[arg(value_name = "SCRIPT")]
        file: PathBuf,
        #[command(flatten)]
        flags: Flags<Script>,
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
        Kind::Run { file, flags, json } => match script(&file, flags) {
            Ok(answer) => {
                match json {
                    true => out::json(&answer),
                    false => answer.steps.iter().for_each(told),
                }
                ExitCode::SUCCESS
            }
            Err(failure) => failure.report("allocator run"),
        },
    }
}

/// Longer files are no scripts.
const MAX_SCRIPT: u64 = 1 << 20;

fn script(file: &Path, flags: Flags<Script>) -> Result<ScriptAnswer, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::File(format!("{}: {error}", file.display()));
    if std::fs::metadata(file).map_err(|error| named(&error))?.len() > MAX_SCRIPT {
        return Err(named(&"larger than 1 MiB: this is no script"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| named(&error))?;
    let given = flags.given.into_iter().map(|(name, value)| (name.to_owned(), value));
    answers::script(&given.chain([("script".to_owned(), text)]).collect()).map_err(|refusal| match refusal {
        Refusal::Script(why) => named(&why),
        other => Failure::Refused(other),
    })
}

fn told(step: &Step) {
    let asked = match &step.operation {
        Operation::Allocate { name, size, stream } => format!("alloc {name} {} stream {stream}", units::group(*size)),
        Operation::Free { name } => format!("free {name}"),
        Operation::FreeLater { name } => format!("later {name}"),
        Operation::EmptyCache => "empty".to_owned(),
    };
    let (outcome, stats) = (&step.outcome, &step.after.stats);
    let failed = if outcome.out_of_memory { "  out of memory" } else { "" };
    outln!(
        "{asked:<40} allocated {:>16} reserved {:>16} inactive split {:>14}{failed}",
        units::group(stats.allocated),
        units::group(stats.reserved),
        units::group(stats.inactive_split)
    );
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
