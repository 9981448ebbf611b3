//! The command line. Exit codes: 0 done, 1 the run or the service failed or a report does not hold, 2 wrong usage.

mod bench;
mod compare;
mod devices;
mod here;
mod logging;
mod run;
mod saved;
mod serve;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use labs::run::{Params, Value};
use protocol::ParamValue;

/// Runs the labs of the course, on this machine or for a server.
#[derive(Debug, Parser)]
#[command(name = "gpu_runner", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one lab here and write its report.
    Run(run::Args),
    /// Run labs here and show what they measured; keep it under a name for `compare`.
    Bench(bench::Args),
    /// Hold two benchmarks of the same labs, parameters and device against each other.
    Compare(compare::Args),
    /// Read a report as the grader does, and check its signature where a key is given.
    Verify(verify::Args),
    /// Take jobs from a server, run each in a child process, and hand in signed reports.
    Serve(serve::Args),
    /// List the devices of this machine and the evidence that each would give.
    Devices,
    /// Asks the drivers; started by `devices`.
    #[command(hide = true)]
    Probe,
    /// List the labs this build can run, with their parameters and presets.
    Labs,
    /// Show every setting and where it comes from: flag, environment, file or default.
    Config,
    /// The process of one job; started by `run` and `serve`.
    #[command(hide = true)]
    Child,
    /// The process of a learner's code; started by `child`.
    #[command(hide = true)]
    Kernel,
}

pub fn main() -> ExitCode {
    let (cli, settings) = settings::parse::<Cli>("VRAMLAB_RUNNER_CONFIG");
    match cli.command {
        Command::Run(args) => {
            keep_open_files_from_children();
            run::main(&args)
        }
        Command::Bench(args) => {
            keep_open_files_from_children();
            bench::main(&args)
        }
        Command::Compare(args) => compare::main(&args),
        Command::Verify(args) => verify::main(&args),
        Command::Serve(args) => {
            keep_open_files_from_children();
            serve::main(args)
        }
        Command::Devices => devices::main(),
        Command::Probe => devices::probe(),
        Command::Labs => list(),
        Command::Config => {
            print!("{}", settings.show());
            ExitCode::SUCCESS
        }
        // Without logging: its standard error is read by the supervisor.
        Command::Child => crate::child::main(),
        Command::Kernel => crate::child::kernel::main(),
    }
}

/// Where NVIDIA's compiler is, for what a learner's kernel takes of a card.
#[derive(Debug, clap::Args)]
pub(crate) struct NvrtcFolder {
    /// The folder of NVIDIA's compiler (libnvrtc.so.12), which says what a learner's kernel takes of a card; it needs no card. Default:
    /// where the loader and NVIDIA's packages have it, if they do.
    #[arg(long, env = "VRAMLAB_NVRTC", value_name = "FOLDER")]
    nvrtc: Option<std::path::PathBuf>,
}

impl NvrtcFolder {
    fn find(&self) -> Result<Option<crate::child::resources::Library>, String> {
        crate::child::resources::find(self.nvrtc.as_deref()).map_err(|error| format!("--nvrtc: {error}"))
    }
}

/// Whoever started us may have left files open for us; our own are closed for children by the standard library.
fn keep_open_files_from_children() {
    close_fds::set_fds_cloexec(3, &[]);
}

fn list() -> ExitCode {
    for backend in crate::backend::BackendName::ALL {
        for lab in crate::backend::labs_for(backend) {
            println!("{}  on {}: {}", lab.id, backend.id(), lab.title(evidence::Lang::En));
            for param in &lab.params {
                println!("    --param {}={}  ({} to {})", param.name, param.default, param.min, param.max);
            }
            for (preset, values) in &lab.presets {
                let values: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
                println!("    --preset {preset}  ({})", values.join(", "));
            }
        }
    }
    ExitCode::SUCCESS
}

/// Parameters as a lab takes them.
pub(crate) fn params<'a>(pairs: impl Iterator<Item = (&'a str, &'a ParamValue)>) -> Params {
    let value = |value: &ParamValue| match value {
        ParamValue::Integer(number) => Value::Integer(*number),
        ParamValue::Text(text) => Value::Text(text.clone()),
    };
    pairs.map(|(name, found)| (name.to_owned(), value(found))).collect()
}
