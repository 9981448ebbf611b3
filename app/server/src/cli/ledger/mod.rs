//! `vramlab ledger …`: the ledgers and calculators on the command line.

mod calculate;
mod flags;
mod inference;
mod parallel;
mod serving;
mod source;
mod training;

use std::process::ExitCode;

use clap::Subcommand;
use ledger::{Entry, catalogue, units};

pub use flags::{Decide, Flags, Plan, Script};
pub use source::Source;

use super::out::{self, outln};
use crate::answers::{EntryAnswer, Refusal};

#[derive(Subcommand)]
pub enum Kind {
    /// What serving needs: weights, KV cache, reserve
    Inference(inference::Args),
    /// A serving engine with a paged cache: formats, phases, blocks, concurrency
    Serving(serving::Args),
    /// What a training step needs, phase by phase
    Training(training::Args),
    /// What each rank holds and sends: data, tensor, pipeline, expert and context ranks, ZeRO, offload
    Parallel(parallel::Args),
    /// A small calculator by its name; without one, all of them
    Calculate(calculate::Args),
    /// The models and cards of the catalogue
    Catalogue,
}

/// Exit 0 computed, 1 the model or the numbers are refused, 2 the arguments are wrong.
pub fn run(kind: Kind) -> ExitCode {
    let result = match kind {
        Kind::Inference(args) => inference::run(args),
        Kind::Serving(args) => serving::run(args),
        Kind::Training(args) => training::run(args),
        Kind::Parallel(args) => parallel::run(args),
        Kind::Calculate(args) => calculate::run(args),
        Kind::Catalogue => {
            print_catalogue();
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report("ledger"),
    }
}

/// Why a command printed nothing.
pub enum Failure {
    Refused(Refusal),
    /// A file that cannot be read, or is not what it should be.
    File(String),
}

impl Failure {
    /// Says what is wrong and which exit code that is.
    pub fn report(self, command: &str) -> ExitCode {
        match self {
            Failure::Refused(Refusal::Input { key, expected, found }) => {
                eprintln!("vramlab {command}: --{}: expected {expected}, found {found:?}", key.replace('_', "-"));
                ExitCode::from(2)
            }
            Failure::Refused(refusal) => {
                eprintln!("vramlab {command}: {refusal}");
                ExitCode::FAILURE
            }
            Failure::File(why) => {
                eprintln!("vramlab {command}: {why}");
                ExitCode::FAILURE
            }
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

fn print_entries(entries: &[EntryAnswer]) {
    for EntryAnswer { entry: Entry { part, span, bytes, formula, .. }, .. } in entries {
        outln!("{:>14}  {part:<22} {} → {}  {formula}", units::human_binary(*bytes), span.from.id(), span.to.id());
    }
}

fn print_catalogue() {
    for model in catalogue::models() {
        let count = model.parameters().map_or_else(|error| error.to_string(), units::group);
        outln!("{:<24} {count:>20} parameters", model.name);
    }
    for card in catalogue::cards() {
        outln!("{:<24} {:>20}  {}", card.id, units::gib(card.capacity_bytes), card.name);
    }
}

use out::json as print_json;
