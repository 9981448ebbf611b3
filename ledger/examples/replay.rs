//! Replays snapshots: `cargo run --release -p ledger --example replay -- FILE…`.

use std::{fs, process::ExitCode};

use ledger::snapshot::{read_snapshot, replay};

fn main() -> ExitCode {
    let mut failed = false;
    for file in std::env::args_os().skip(1) {
        let name = file.display();
        let snapshot = match fs::read(&file)
            .map_err(|error| error.to_string())
            .and_then(|bytes| read_snapshot(&bytes).map_err(|error| error.to_string()))
        {
            Ok(snapshot) => snapshot,
            Err(error) => {
                println!("{name}: {error}");
                failed = true;
                continue;
            }
        };
        let result = replay(&snapshot);
        println!(
            "{name}: {} allocations, {} segments, {} mismatches; reserved {} ({} in the snapshot), allocated {} ({})",
            result.allocations,
            result.segments,
            result.mismatches,
            result.reserved,
            result.snapshot_reserved,
            result.allocated,
            result.snapshot_allocated,
        );
        for example in &result.examples {
            println!("  {example:?}");
        }
        failed |= !result.agrees();
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
