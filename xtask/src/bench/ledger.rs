//! The speed of the ledger engine, and the ratio to a plain Python implementation that reaches the same numbers.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sh;

/// What both implementations must agree on.
const RESULTS: [&str; 4] = ["peak", "events", "allocated", "reserved"];

pub fn run() -> sh::Result {
    let root = sh::root();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    sh::run("bench", Command::new(cargo).args(["bench", "-p", "ledger", "--bench", "ledger"]).current_dir(&root))?;
    let ours = json(&fs::read_to_string(root.join("target/tmp/ledger-case.json")).map_err(|error| error.to_string())?)?;
    let mut python = Command::new("python3");
    python.arg(root.join("ledger/benches/ledger/peers.py")).arg(ours["events"].to_string());
    let output = python.output().map_err(|error| format!("python3: {error}"))?;
    let theirs = json(&String::from_utf8_lossy(&output.stdout))?;
    for key in RESULTS {
        if ours[key] != theirs[key] {
            return Err(format!("{key}: {} here, {} in Python: they do not compute the same", ours[key], theirs[key]));
        }
    }
    for (name, folder, key) in [
        ("training ledger of Qwen2.5-0.5B", "training/Qwen2.5-0.5B", "training_seconds"),
        ("allocator script of 20,000 events", "allocator/script", "replay_seconds"),
    ] {
        let own = median_seconds(&root, folder)?;
        let python = theirs[key].as_f64().unwrap_or(f64::NAN);
        println!("{name}: {:.1} µs, plain Python {:.1} µs, {:.1} times as long", own * 1e6, python * 1e6, python / own);
    }
    Ok(())
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("results of the benchmark: {error}"))
}

/// What criterion wrote, in seconds.
fn median_seconds(root: &Path, folder: &str) -> Result<f64, String> {
    let file = root.join("target/criterion").join(folder).join("new/estimates.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let nanoseconds = json(&text)?["median"]["point_estimate"].as_f64();
    Ok(nanoseconds.ok_or_else(|| format!("{}: no median", file.display()))? / 1e9)
}
