//! The binary `vramlab`.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::cli::main()
}
