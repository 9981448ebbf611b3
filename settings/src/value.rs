//! One value, as the file has it and as the flag's own parser takes it.

use std::any::TypeId;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use toml::Value;

use crate::takes_many;

/// What kind of TOML value a flag takes.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Switch,
    Path,
    Text,
}

impl Kind {
    fn of(arg: &Arg) -> Self {
        let found = arg.get_value_parser().type_id();
        let is = |types: &[TypeId]| types.iter().any(|one| found == *one);
        if is(&[TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()]) {
            Self::Number
        } else if is(&[TypeId::of::<bool>()]) {
            Self::Switch
        } else if is(&[TypeId::of::<PathBuf>()]) {
            Self::Path
        } else {
            Self::Text
        }
    }
}

/// The values as the command line would have them, each looked over by the flag's own parser. A path is taken from the file's folder.
pub fn read(arg: &Arg, value: &Value, folder: &Path) -> Result<Vec<OsString>, String> {
    let one = |value: &Value| {
        let text: OsString = match (Kind::of(arg), value) {
            (Kind::Number, Value::Integer(number)) => number.to_string().into(),
            (Kind::Switch, Value::Boolean(on)) => on.to_string().into(),
            (Kind::Path, Value::String(path)) if !path.is_empty() => folder.join(path).into(),
            (Kind::Text, Value::String(text)) => text.into(),
            _ => return Err(expected(arg)),
        };
        accepted(arg, &text)?;
        Ok(text)
    };
    match value {
        Value::Array(parts) if takes_many(arg) => parts.iter().map(one).collect(),
        value => one(value).map(|text| vec![text]),
    }
}

/// Whether the flag's parser takes it, and if not, what it would take.
pub fn accepted(arg: &Arg, text: &OsStr) -> Result<(), String> {
    let probe = Arg::new("value").value_parser(arg.get_value_parser().clone());
    let command = Command::new("settings").disable_help_flag(true).arg(probe);
    match command.try_get_matches_from([OsStr::new("settings"), OsStr::new("--"), text]) {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.source() {
            Some(why) => why.to_string(),
            None => expected(arg),
        }),
    }
}

fn expected(arg: &Arg) -> String {
    let possible: Vec<PossibleValue> =
        arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    let what = match Kind::of(arg) {
        Kind::Switch => "true or false",
        Kind::Number => "a whole number",
        _ if !possible.is_empty() => {
            let names: Vec<&str> = possible.iter().map(PossibleValue::get_name).collect();
            return format!("expected one of {}", names.join(", "));
        }
        Kind::Path => "a path in quotes",
        Kind::Text => "text in quotes",
    };
    let many = if takes_many(arg) { ", or several in brackets" } else { "" };
    format!("expected {what}{many}")
}

/// A value in the file's form. An address with a password in it is kept back.
pub fn shown(arg: &Arg, text: &OsStr) -> String {
    let text = text.to_string_lossy();
    if text.contains("://") && text.contains('@') {
        return "\"(not shown: it holds a name or password)\"".to_owned();
    }
    match Kind::of(arg) {
        Kind::Number | Kind::Switch => text.into_owned(),
        Kind::Path | Kind::Text => Value::String(text.into_owned()).to_string(),
    }
}

/// As much of it as fits into a line, on one line.
pub fn short(text: &str) -> String {
    const MOST: usize = 80;
    let mut out: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        out.push('…');
    }
    out
}
