//! The instructor's pages: classes, members, gradebook, sets of the drill, runners.

mod drill;
mod gradebook;
mod list;
mod members;
mod one;
mod runners;

pub use drill::{BUCKETS, Distribution, DistributionPage, DrillLine, DrillSets, LearnerLine, Spread};
pub use gradebook::{GradebookRow, Score};
pub use list::{ClassCard, ClassForms, ClassesPage};
pub use members::{MemberLine, ResetLinkPage};
pub use one::{ClassPage, OneClass};
pub use runners::{RunnerLine, RunnerTokenPage};
