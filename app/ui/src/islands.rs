//! The leaves that need a reader's hand. Each works as plain HTML first.

mod answer;
mod browser;
mod inference;
mod inputs;
mod lab;
mod quiz;
mod share;
mod table;
mod tool;
mod training;

pub use inference::InferenceLedger;
pub use lab::{JobState, JobView, LabRun, StageState};
pub use quiz::{Answered, QuizCard};
pub use tool::ToolForm;
pub use training::TrainingLedger;
