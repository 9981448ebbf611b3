//! `cargo xtask …`: build, serve, test, pack, measure, photograph.
mod assets;
mod bench;
mod client;
mod dist;
mod editor;
mod ptx;
mod sh;
mod shots;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Build, serve, test and pack Vramlab")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build client, style and server; then serve at http://127.0.0.1:3000
    Serve {
        /// Add a demo class with random printed passwords
        #[arg(long)]
        demo: bool,
        #[arg(long, default_value = "127.0.0.1:3000")]
        listen: String,
        #[arg(long, default_value = "data")]
        data: String,
        /// Build the server with optimisation
        #[arg(long)]
        release: bool,
    },
    /// Build client, style, server and runner
    Build {
        #[arg(long)]
        release: bool,
    },
    /// Measure what pages cost, on the release build
    Bench {
        #[command(subcommand)]
        what: bench::What,
    },
    /// Bundle the editor of kernels again, after a change of `app/ui/editor`
    Editor,
    /// Take pictures of the pages
    Shots {
        /// Every page in both languages, light and dark, desktop and phone; otherwise the README's two
        #[arg(long)]
        all: bool,
        /// Where they go
        #[arg(long, value_name = "DIR")]
        out: Option<std::path::PathBuf>,
    },
    /// Write the PTX and the table of resources beside every CUDA source
    Ptx,
    /// Pack server, assets and runner into one tarball with systemd units
    Dist,
    /// Format, lints, every test, the wasm build and the browser tests
    Test {
        /// Leave out the browser: for work in progress
        #[arg(long)]
        quick: bool,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve { demo, listen, data, release } => serve(demo, &listen, &data, release),
        Command::Build { release } => build(release),
        Command::Bench { what } => bench::run(&what),
        Command::Editor => editor::bundle(),
        Command::Shots { all, out } => build(false).and_then(|()| shots::run(all, out)),
        Command::Ptx => ptx::run(),
        Command::Dist => dist::run(),
        Command::Test { quick } => return test::run(quick),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn build(release: bool) -> sh::Result {
    client::build()?;
    let mut args = vec!["build", "-p", "server", "-p", "gpu_runner"];
    if release {
        args.push("--release");
    }
    sh::cargo("server and runner", &args)?;
    let folder = sh::root().join("target").join(if release { "release" } else { "debug" });
    println!("built: {}", folder.join("vramlab").display());
    Ok(())
}

fn serve(demo: bool, listen: &str, data: &str, release: bool) -> sh::Result {
    build(release)?;
    let folder = sh::root().join("target").join(if release { "release" } else { "debug" });
    let mut command = std::process::Command::new(folder.join("vramlab"));
    command.args(["serve", "--listen", listen, "--data", data]).current_dir(sh::root());
    if demo {
        command.arg("--demo");
    }
    sh::replace(command)
}
