//! `cargo xtask bench`: what pages cost, printed and not judged.

mod evidence;
mod kernels;
mod ledger;

use std::process::Command;

use clap::Subcommand;

use crate::sh;

#[derive(Subcommand)]
pub enum What {
    /// Bytes, requests, first paint, slider and requests per second
    Pages,
    /// Training ledgers, planner, allocator and snapshots, beside the same in plain Python
    Ledger,
    /// Reports read and graded, and a hundred learners who hand in at once
    Evidence,
    /// RMSNorm, softmax, matrix product and int8 of the CPU backend in turns with PyTorch's, two threads each
    Kernels,
    /// A thousand small runs of a hundred learners through two CPU runners, with random kills
    Queue,
    /// How soon a queued run starts on a free CPU runner, and what it costs beside its work
    Runner,
}

pub fn run(what: &What) -> sh::Result {
    match what {
        What::Pages => pages(),
        What::Ledger => ledger::run(),
        What::Evidence => evidence::run(),
        What::Kernels => kernels::run(),
        What::Queue => of_runs("soak"),
        What::Runner => of_runs("latency"),
    }
}

/// Of the release build.
fn of_runs(name: &str) -> sh::Result {
    crate::build(true)?;
    let example = ["run", "--release", "--quiet", "-p", "e2e", "--example", name];
    sh::cargo(name, &[&example[..], &["--no-default-features", "--features", "store"]].concat())
}

/// Of the release build.
fn pages() -> sh::Result {
    crate::build(true)?;
    let release = sh::root().join("target/release/vramlab");
    let example = |name: &'static str, more: &[&'static str]| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut command = Command::new(cargo);
        command.args(["run", "--quiet", "-p", "e2e", "--example", name]).args(more);
        command.current_dir(sh::root()).env("VRAMLAB_BIN", &release);
        sh::run(name, &mut command)
    };
    example("pages", &[])?;
    // Built as the server is, so that generator and bare handler are not what is measured.
    example("load", &["--release", "--no-default-features"])
}
