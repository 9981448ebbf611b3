//! The leaves that need a reader's hand. Each works as plain HTML first.

mod browser;
mod inference;
mod inputs;
mod lab;
mod quiz;
mod share;
mod table;
mod training;

pub use inference::InferenceLedger;
pub use lab::{JobState, JobView, LabRun, StageState};
pub use quiz::{Answered, QuizCard};
pub use training::TrainingLedger;
