//! The leaves that need a reader's hand. Each works as plain HTML first.

#[cfg(feature = "allocator")]
mod allocator;
#[cfg(feature = "answers")]
mod answer;
mod browser;
#[cfg(feature = "drill")]
mod drill;
#[cfg(feature = "core")]
mod inference;
mod inputs;
#[cfg(feature = "runs")]
mod lab;
#[cfg(any(feature = "core", feature = "planner", feature = "paging"))]
mod model_input;
#[cfg(feature = "paging")]
mod paging;
mod parts;
#[cfg(any(feature = "core", feature = "planner", feature = "paging", feature = "quantisation"))]
mod paste;
#[cfg(feature = "quantisation")]
mod quantisation;
#[cfg(feature = "core")]
mod quiz;
mod share;
#[cfg(feature = "stepped")]
mod steps;
mod table;
#[cfg(feature = "planner")]
mod timeline;
#[cfg(feature = "tools")]
mod tool;
#[cfg(feature = "core")]
mod training;

#[cfg(feature = "allocator")]
pub use allocator::{AllocatorStory, Telling, Told};
#[cfg(feature = "drill")]
pub use drill::{DrillCard, DrillResult};
#[cfg(feature = "core")]
pub use inference::InferenceLedger;
#[cfg(feature = "runs")]
pub use lab::{JobLive, JobState, JobView, LabRun, LogLine, Refusal, StageState, Wait};
#[cfg(feature = "paging")]
pub use paging::KvPaging;
#[cfg(feature = "quantisation")]
pub use quantisation::Quantisation;
#[cfg(feature = "core")]
pub use quiz::{Answered, QuizCard};
#[cfg(feature = "tools")]
pub use tool::ToolForm;
#[cfg(feature = "core")]
pub use training::TrainingLedger;
