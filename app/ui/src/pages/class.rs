//! The instructor's pages: classes, members, gradebook, runners.

mod gradebook;
mod list;
mod members;
mod one;
mod runners;

pub use gradebook::{GradebookRow, Score};
pub use list::{ClassCard, ClassForms, ClassesPage};
pub use members::{MemberLine, ResetLinkPage};
pub use one::{ClassPage, OneClass};
pub use runners::{RunnerLine, RunnerTokenPage};
