//! Judges the ledger by a file of golden cases.
//!
//! `cargo run --release -p ledger --example golden -- FILE` prints `id expected got` for every case that differs and
//! ends with `N passed, M failed, K unsupported`. Only cases with `reference: true` are judged: the others record
//! what another tool prints.

mod case;
mod judge;
mod kinds;

use std::{path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(file), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: golden FILE");
        return ExitCode::from(2);
    };
    let file = PathBuf::from(file);
    let cases = match case::read(&file) {
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    let tally = judge::judge(&cases, &folder, &mut |line| println!("{line}"));
    println!("{} passed, {} failed, {} unsupported", tally.passed, tally.failed, tally.unsupported);
    if tally.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
