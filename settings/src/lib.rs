//! Settings of a program: a flag comes before the environment, that before the file, and that before the default.
//!
//! A setting is a flag with an environment variable: `VRAMLAB_POLL_MS` in the environment is `poll_ms` in the file. The file's values
//! become defaults of the flags, so that clap alone decides what counts. What clap hides (`hide_env_values`) is a secret: no file
//! may hold it and nothing shows it.

mod file;
mod value;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Parser};

use file::File;

/// The name of the flag that names the file, and of the command that shows what is in force.
const CONFIG: &str = "config";

/// What is in force, and where it comes from.
pub struct Settings {
    /// All that the program has, each once.
    known: Vec<Arg>,
    matches: ArgMatches,
    file: Option<File>,
}

/// Reads the command line of `C` with what stands below it; ends the program where that is wrong. Where `C` has a command `config`, it
/// takes all settings. `variable` names the file in the environment.
pub fn parse<C: Parser>(variable: &'static str) -> (C, Settings) {
    let command = prepared(C::command(), variable);
    let known = all(&command);
    let fail = |lines: &[String]| -> ! {
        for line in lines {
            eprintln!("{}: {line}", command.get_name());
        }
        process::exit(2)
    };
    // Once without the file, to learn its name: what is required may stand in it.
    let first = match optional(command.clone()).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            let about_values = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
            match about_values.then(|| in_environment(&known)) {
                Some(wrong) if !wrong.is_empty() => fail(&wrong),
                _ => command.clone().try_get_matches().err().unwrap_or(error).exit(),
            }
        }
    };
    let path = first.subcommand().and_then(|(_, given)| given.try_get_one::<PathBuf>(CONFIG).ok().flatten());
    let file = path.map(|path| File::read(path, &known)).transpose().unwrap_or_else(|wrong| fail(&wrong));
    let mut matches = with_file(command.clone(), file.as_ref()).get_matches();
    let asked = C::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let matches = matches.remove_subcommand().map_or(matches, |(_, given)| given);
    (asked, Settings { known, matches, file })
}

/// A setting's name in the file.
fn key(arg: &Arg) -> Option<String> {
    let name = arg.get_env()?.to_str()?.strip_prefix("VRAMLAB_")?;
    (arg.get_id() != CONFIG && !arg.is_hide_env_values_set()).then(|| name.to_ascii_lowercase())
}

fn takes_many(arg: &Arg) -> bool {
    matches!(arg.get_action(), clap::ArgAction::Append)
}

/// Every setting of every command, by its name in the file.
fn all(command: &Command) -> Vec<Arg> {
    let mut known: Vec<(String, Arg)> = Vec::new();
    for arg in command.get_subcommands().flat_map(Command::get_arguments) {
        if let Some(key) = key(arg).filter(|key| known.iter().all(|(other, _)| other != key)) {
            known.push((key, arg.clone()));
        }
    }
    known.sort_by(|(a, _), (b, _)| a.cmp(b));
    known.into_iter().map(|(_, arg)| arg).collect()
}

/// Commands with settings learn of the file; `config` takes the settings of all.
fn prepared(command: Command, variable: &'static str) -> Command {
    let every = all(&command);
    let file = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .env(variable)
        .value_parser(clap::value_parser!(PathBuf))
        .help("A file of settings (TOML). Flags and the environment come before it");
    command.mut_subcommands(|sub| {
        let sub =
            if sub.get_name() == CONFIG { sub.args(every.iter().map(|arg| arg.clone().required(false))) } else { sub };
        if sub.get_arguments().any(|arg| key(arg).is_some()) { sub.arg(file.clone()) } else { sub }
    })
}

fn optional(command: Command) -> Command {
    command.mut_subcommands(|sub| sub.mut_args(|arg| arg.required(false)))
}

fn with_file(command: Command, file: Option<&File>) -> Command {
    let Some(file) = file else { return command };
    command.mut_subcommands(|sub| {
        sub.mut_args(|arg| match key(&arg).and_then(|key| file.get(&key)) {
            Some(found) => arg.required(false).default_values(found.values.clone()),
            None => arg,
        })
    })
}

/// What is wrong in the environment: clap would speak of a flag that nobody gave.
fn in_environment(known: &[Arg]) -> Vec<String> {
    let mut wrong = Vec::new();
    for arg in known {
        let Some((name, given)) = arg.get_env().and_then(|name| Some((name, std::env::var_os(name)?))) else {
            continue;
        };
        let text = given.to_string_lossy();
        let parts: Vec<&str> = match arg.get_value_delimiter() {
            Some(mark) => text.split(mark).collect(),
            None => vec![&text],
        };
        for part in parts {
            if let Err(why) = value::accepted(arg, OsStr::new(part)) {
                wrong.push(format!("environment: {}={}: {why}", name.display(), value::short(part)));
            }
        }
    }
    wrong
}

impl Settings {
    /// One setting a line, in the file's own form, with where it comes from.
    pub fn show(&self) -> String {
        let lines: Vec<(String, String)> = self.known.iter().filter_map(|arg| self.line(arg)).collect();
        let width = lines.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
        lines.iter().map(|(left, source)| format!("{left:<width$}  # {source}\n")).collect()
    }

    fn line(&self, arg: &Arg) -> Option<(String, String)> {
        let (id, key) = (arg.get_id().as_str(), key(arg)?);
        let in_file = self.file.as_ref().and_then(|file| Some((file, file.get(&key)?)));
        let source = match (self.matches.value_source(id), in_file) {
            (Some(ValueSource::CommandLine), _) => format!("flag --{}", arg.get_long().unwrap_or(id)),
            (Some(ValueSource::EnvVariable), _) => {
                format!("environment {}", arg.get_env().unwrap_or_default().display())
            }
            (_, Some((file, found))) => format!("file {}:{}", file.path.display(), found.line),
            _ => "default".to_owned(),
        };
        let given: Option<Vec<String>> =
            self.matches.get_raw(id).map(|parts| parts.map(|part| value::shown(arg, part)).collect());
        let left = match given {
            Some(parts) if takes_many(arg) => format!("{key} = [{}]", parts.join(", ")),
            Some(parts) => format!("{key} = {}", parts.join(", ")),
            None if in_file.is_some() => format!("{key} = []"),
            None => format!("# {key} is not set"),
        };
        Some((left, source))
    }
}
