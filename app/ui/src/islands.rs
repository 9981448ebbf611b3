//! The leaves that need a reader's hand. Each works as plain HTML first.

#[cfg(any(feature = "ssr", feature = "tools"))]
mod allocator;
#[cfg(any(feature = "ssr", feature = "tools"))]
mod answer;
mod browser;
#[cfg(any(feature = "ssr", feature = "core"))]
mod inference;
mod inputs;
#[cfg(any(feature = "ssr", feature = "core"))]
mod lab;
#[cfg(any(feature = "ssr", feature = "core"))]
mod quiz;
mod share;
mod table;
#[cfg(any(feature = "ssr", feature = "tools"))]
mod tool;
#[cfg(any(feature = "ssr", feature = "core"))]
mod training;

#[cfg(any(feature = "ssr", feature = "tools"))]
pub use allocator::AllocatorStory;
#[cfg(any(feature = "ssr", feature = "core"))]
pub use inference::InferenceLedger;
#[cfg(any(feature = "ssr", feature = "core"))]
pub use lab::{JobState, JobView, LabRun, StageState};
#[cfg(any(feature = "ssr", feature = "core"))]
pub use quiz::{Answered, QuizCard};
#[cfg(any(feature = "ssr", feature = "tools"))]
pub use tool::ToolForm;
#[cfg(any(feature = "ssr", feature = "core"))]
pub use training::TrainingLedger;
