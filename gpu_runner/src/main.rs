use std::process::ExitCode;

fn main() -> ExitCode {
    gpu_runner::cli::main()
}
