//! Running commands with one line of progress each.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

pub type Result<T = ()> = std::result::Result<T, String>;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// Runs `cargo` in the workspace's root.
pub fn cargo(what: &str, args: &[&str]) -> Result {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(what, Command::new(cargo).args(args).current_dir(root()))
}

/// Runs `cargo` for the browser: what it compiles tells no path of this machine.
pub fn cargo_wasm(what: &str, args: &[&str]) -> Result {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root());
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    if let Some(home) = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))) {
        let flags = format!("--remap-path-prefix={}=", home.join("registry/src").display());
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    }
    run(what, &mut command)
}

/// Runs a command, says what it is for and how long it took.
pub fn run(what: &str, command: &mut Command) -> Result {
    eprintln!("→ {what}");
    let start = Instant::now();
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => {
            eprintln!("  {what}: {:.1} s", start.elapsed().as_secs_f64());
            Ok(())
        }
        Ok(status) => Err(format!("{what}: {program} ended with {status}")),
        Err(error) => Err(format!("{what}: {program} cannot be started: {error}")),
    }
}

/// Whether a program can be found.
pub fn found(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|paths| std::env::split_paths(&paths).any(|folder| folder.join(program).is_file()))
}

/// Becomes the command: signals reach it directly.
pub fn replace(mut command: Command) -> Result {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(format!("{} cannot be started: {error}", command.get_program().to_string_lossy()))
}

/// Adds the wasm target of the toolchain when it is missing.
pub fn wasm_target() -> Result {
    let listed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("rustc cannot be started: {error}"))?;
    let folder = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    if listed.status.success() && std::path::Path::new(&folder).is_dir() {
        return Ok(());
    }
    run("wasm target", Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"]).current_dir(root()))
        .map_err(|why| format!("{why}; install it with: rustup target add wasm32-unknown-unknown"))
}
