//! `cargo xtask test`: everything that must hold, ended by one plain line.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use crate::{client, editor, ptx, sh};

#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
}

/// Runs the gates in order; a failing gate counts as one failure and the rest still runs.
pub fn run(quick: bool) -> ExitCode {
    let mut count = Count::default();
    gate(&mut count, "format", format);
    gate(&mut count, "client", client::build);
    gate(&mut count, "lints", || {
        sh::cargo("lints", &native(&["clippy", "--quiet", "--workspace"], &["--all-targets", "--", "-D", "warnings"]))
    });
    for client in client::CLIENTS {
        let name = format!("lints of the client {client}");
        gate(&mut count, &name, || {
            let features = format!("ui/hydrate,ui/{client}");
            let mut args = vec!["clippy", "--quiet", "-p", "client", "-p", "ui", "--features", features.as_str()];
            args.extend(["--target", "wasm32-unknown-unknown", "--target-dir", "target/wasm", "--", "-D", "warnings"]);
            sh::cargo(&name, &args)
        });
    }
    if !quick {
        gate(&mut count, "what the tests need", || needs().and_then(|()| axe()).and_then(|()| ptx::compiler()));
        gate(&mut count, "editor", editor::check);
    }
    let mut args = native(&["test", "--workspace"], &["--no-fail-fast"]);
    if quick {
        args.extend(["--exclude", "e2e"]);
    }
    cargo_test(&mut count, &args, quick);
    println!("{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Arguments for everything but the client, which is for browsers only.
fn native<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<&'a str> {
    before.iter().chain(&["--exclude", "client"]).chain(after).copied().collect()
}

/// The programs of labs are included by path, where `cargo fmt` does not look.
fn format() -> sh::Result {
    sh::cargo("format", &["fmt", "--all", "--check"])?;
    let folders = std::fs::read_dir(sh::root().join("labs")).map_err(|error| error.to_string())?;
    let files: Vec<_> = folders
        .flatten()
        .map(|folder| folder.path())
        .filter(|folder| folder.join("lab.toml").is_file())
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|file| file.path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--check"]).args(files).current_dir(sh::root());
    sh::run("format of lab programs", &mut command)
}

fn gate(count: &mut Count, name: &str, check: impl FnOnce() -> sh::Result) {
    match check() {
        Ok(()) => count.passed += 1,
        Err(why) => {
            eprintln!("xtask: {name} failed: {why}");
            count.failed += 1;
        }
    }
}

/// Runs the tests, shows what they print and adds up their result lines.
fn cargo_test(count: &mut Count, args: &[&str], quick: bool) {
    eprintln!("→ tests");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(sh::root()).stdout(Stdio::piped());
    if !quick {
        command.env("VRAMLAB_REQUIRE_POSTGRES", "1");
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("xtask: cargo cannot be started: {error}");
            count.failed += 1;
            return;
        }
    };
    let mut failed = 0;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if let Some((passed, wrong)) = result_line(&line) {
                count.passed += passed;
                failed += wrong;
            }
            println!("{line}");
        }
    }
    count.failed += failed;
    // A test binary that does not build or crashes has no result line.
    let ended_well = child.wait().is_ok_and(|status| status.success());
    if !ended_well && failed == 0 {
        count.failed += 1;
    }
}

/// `test result: ok. 12 passed; 0 failed; …`
fn result_line(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("test result: ")?;
    let number =
        |word: &str| rest.split([';', '.']).find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok());
    Some((number("passed")?, number("failed")?))
}

/// What the browser, store and runner tests need of the machine; installed where that is allowed.
fn needs() -> sh::Result {
    let mut missing = Vec::new();
    if !sh::found("chromium") {
        missing.push("chromium");
    }
    if !sh::found("npm") {
        missing.push("npm");
    }
    if !sh::found("python3") {
        missing.push("python3");
    }
    // For NVIDIA's compiler, which comes as a Python package.
    if !ptx::pip() {
        missing.push("python3-pip");
    }
    // Compiles learners' kernels where there is no CUDA.
    if !sh::found("g++") {
        missing.push("g++");
    }
    // A Vulkan driver for machines without a GPU: it computes on the processor.
    if !std::path::Path::new("/usr/share/vulkan/icd.d").is_dir() {
        missing.extend(["mesa-vulkan-drivers", "libvulkan1"]);
    }
    if !std::path::Path::new("/usr/lib/postgresql").is_dir() {
        missing.push("postgresql");
    }
    if !std::path::Path::new("/usr/share/fonts/opentype/noto").is_dir() {
        missing.push("fonts-noto-cjk");
    }
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let line = format!("apt-get install -y --no-install-recommends {list}");
    let root = std::process::Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout == b"0\n");
    if !root || !sh::found("apt-get") {
        return Err(format!("the browser, store and runner tests need {list}; install with: sudo {line}"));
    }
    sh::run("package lists", Command::new("apt-get").args(["update", "-qq"]))?;
    sh::run(
        "packages",
        Command::new("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(missing)
            .stdout(Stdio::null()),
    )
}

/// axe-core for the accessibility tests, in the version and with the checksum of `tests/axe/package-lock.json`.
fn axe() -> sh::Result {
    let folder = sh::root().join("tests/axe");
    if folder.join("node_modules/axe-core/axe.min.js").is_file() {
        return Ok(());
    }
    sh::run(
        "axe-core",
        Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder),
    )
}

#[cfg(test)]
mod tests {
    use super::result_line;

    #[test]
    fn result_lines_are_read() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(result_line(line), Some((3, 2)));
        assert_eq!(result_line("test a ... ok"), None);
    }
}
