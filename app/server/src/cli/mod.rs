//! The command line of `vramlab`.

mod allocator;
mod budget;
pub mod demo;
mod grade;
mod instructor;
mod ledger;
mod out;
mod plan;
mod report;
mod serve;
mod submit;
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use evidence::Lang;

#[derive(Parser)]
#[command(name = "vramlab", version, about = "A self-hosted course on GPU memory: server, ledger and grader")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the course
    Serve(serve::Args),
    /// Print a one-time link for a further instructor, or to reset an instructor's password
    InstructorLink(instructor::Args),
    /// Predict bytes: inference, training, parallel, small calculators
    Ledger {
        #[command(subcommand)]
        kind: ledger::Kind,
    },
    /// The fastest way to train or serve with the cards at hand, and why
    Plan {
        #[command(subcommand)]
        goal: plan::Goal,
    },
    /// Simulate PyTorch's caching allocator
    Allocator {
        #[command(subcommand)]
        kind: allocator::Kind,
    },
    /// Hand reports in over the API
    Submit(submit::Args),
    /// Write reports
    Report {
        #[command(subcommand)]
        kind: report::Kind,
    },
    /// Grade reports without a server
    Grade {
        files: Vec<PathBuf>,
        /// One JSON object per line; the same as `--format json`
        #[arg(long, conflicts_with = "format")]
        json: bool,
        /// What is printed
        #[arg(long, value_enum, default_value_t)]
        format: grade::Format,
        /// Language of messages: zh or en
        #[arg(long, default_value = "en", value_parser = language)]
        lang: Lang,
    },
    /// The decision of a report under a grid of budgets, and which limit flips it
    Budget(budget::Args),
    /// What a torch.profiler trace, or its operator table, says
    Trace(trace::Args),
    /// Show every setting and where it comes from: flag, environment, file or default
    Config,
    /// Read the course and say what is wrong in it
    Check {
        /// A content folder; without it the packed content
        #[arg(long, env = "VRAMLAB_CONTENT")]
        content: Option<PathBuf>,
    },
}

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let (cli, settings) = settings::parse::<Cli>("VRAMLAB_CONFIG");
    match cli.command {
        Command::Serve(args) => serve::run(args),
        Command::InstructorLink(args) => instructor::run(args),
        Command::Ledger { kind } => ledger::run(kind),
        Command::Plan { goal } => plan::run(goal),
        Command::Allocator { kind } => allocator::run(kind),
        Command::Submit(args) => submit::run(args),
        Command::Report { kind } => report::run(kind),
        Command::Grade { files, json, format, lang } => {
            let format = if json { grade::Format::Json } else { format };
            ExitCode::from(grade::run(&files, format, lang))
        }
        Command::Budget(args) => budget::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Check { content } => check(content),
        Command::Config => {
            out::outln!("{}", settings.show().trim_end());
            ExitCode::SUCCESS
        }
    }
}

fn check(content: Option<PathBuf>) -> ExitCode {
    use crate::course::{Course, Source};
    let source = content.map_or(Source::Packed, Source::Folder);
    match Course::load(&source) {
        Ok(course) => {
            let (tasks, outside) = (course.route.tasks.len(), course.route.pages.len());
            println!("{} pages in {tasks} Tasks and {outside} beside them, all in order", course.pages().count());
            ExitCode::SUCCESS
        }
        Err(errors) => {
            eprintln!("{errors}");
            ExitCode::FAILURE
        }
    }
}

fn language(code: &str) -> Result<Lang, String> {
    Lang::from_code(code).ok_or_else(|| "zh or en".to_owned())
}
