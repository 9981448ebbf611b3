//! A grade in the forms that other graders read: Gradescope's `results.json` and JUnit's XML.

mod gradescope;
mod junit;

use crate::{Grade, GradeLine};

pub use gradescope::gradescope;
pub use junit::junit;

/// What is known of one file.
#[derive(Debug, Clone, Copy)]
pub enum Judged<'a> {
    Grade(&'a Grade),
    /// No report could be read: the reason stands as the line's one check.
    Refused(&'a GradeLine),
}

/// A file's name before that of a test, where several files are in one document.
fn named(file: &str, name: &str, several: bool) -> String {
    if several { format!("{file}: {name}") } else { name.to_owned() }
}
