//! Pages, rendered on the server.

pub mod account;
pub mod class;
mod error;
mod home;
pub mod lab;
mod lesson;
pub mod report;
mod sidebar;
mod task_table;
mod tools;

pub use error::ErrorPage;
pub use home::Home;
pub use lesson::{LessonPage, QuizResult};
pub use tools::{AllocatorPage, InferencePage, ToolPage, ToolsPage, TrainingPage};
