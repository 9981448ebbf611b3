//! Standard output of commands: a reader that goes away (`… | head`) is no failure, and what is no terminal gets no
//! colours.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};

use anstream::stdout;

/// Writes a text; ends the program quietly when nobody reads any more.
pub fn write(text: Arguments<'_>) {
    match stdout().lock().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("vramlab: standard output: {error}");
            std::process::exit(1);
        }
    }
}

/// As `println!`, to a reader that may go away.
macro_rules! outln {
    ($($text:tt)*) => { $crate::cli::out::write(format_args!("{}\n", format_args!($($text)*))) };
}
pub(crate) use outln;

/// As `println!`, for a server: it goes on when nobody reads any more.
macro_rules! sayln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout().lock(), $($text)*);
    }};
}
pub(crate) use sayln;

/// A value as indented JSON.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => outln!("{text}"),
        // Our own values have text keys and finite numbers; this is said rather than printed in halves.
        Err(error) => {
            eprintln!("vramlab: the answer cannot be written as JSON: {error}");
            std::process::exit(1);
        }
    }
}
