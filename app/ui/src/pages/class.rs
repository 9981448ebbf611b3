//! The pages of a class: members and staff, gradebook, dates, sets of the drill, runners and their queue.

mod audit;
mod back;
mod drill;
mod flows;
mod gradebook;
mod import;
mod learner;
mod list;
mod members;
mod one;
mod queue;
mod regrade;
mod runners;
mod staff;
mod statistics;
mod terms;

pub use audit::{AuditLine, AuditPage};
pub use drill::{BUCKETS, Distribution, DistributionPage, DrillLine, DrillSets, LearnerLine, Spread};
pub use flows::{ClassFlows, CopyPair, UnreadList, UnreadReport};
pub use gradebook::{GradebookRow, GradebookTable, Pair, Score};
pub use import::{ChangeState, ImportCard, ImportChange, ImportPage, ImportPlan, ImportsPage};
pub use learner::{Cell, CellPage, CellTyped, LabCell, LearnerName, LearnerPage};
pub use list::{ClassCard, ClassForms, ClassesPage};
pub use members::{MemberLine, ResetLinkPage};
pub use one::{ClassPage, OneClass};
pub use queue::{DeadJob, FirstClass, QueueJob, QueuePage, QueueRunner};
pub use regrade::{Part, RegradeCard, RegradeLine, RegradePage, RegradesPage};
pub use runners::{End, LifetimeChoice, RunnerLine, RunnerTokenPage};
pub use staff::StaffLine;
pub use statistics::{Coverage, FailedCheck, LabStatistics, PointSpread, StatisticsPage};
pub use terms::{DatesTyped, LabTermsLine, LabTermsPage, OneLabTerms, OneLabTermsPage, ShownName};
