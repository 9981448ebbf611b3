//! The instructor's pages: classes, members, gradebook, sets of the drill, runners.

mod drill;
mod flows;
mod gradebook;
mod import;
mod list;
mod members;
mod one;
mod regrade;
mod runners;
mod statistics;

pub use drill::{BUCKETS, Distribution, DistributionPage, DrillLine, DrillSets, LearnerLine, Spread};
pub use flows::{ClassFlows, CopyPair, UnreadList, UnreadReport};
pub use gradebook::{GradebookRow, Score};
pub use import::{ChangeState, ImportCard, ImportChange, ImportPage, ImportPlan, ImportsPage};
pub use list::{ClassCard, ClassForms, ClassesPage};
pub use members::{MemberLine, ResetLinkPage};
pub use one::{ClassPage, OneClass};
pub use regrade::{Part, RegradeCard, RegradeLine, RegradePage, RegradesPage};
pub use runners::{RunnerLine, RunnerTokenPage};
pub use statistics::{Coverage, FailedCheck, LabStatistics, PointSpread, StatisticsPage};
