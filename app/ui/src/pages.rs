//! Pages, rendered on the server.

mod error;
mod home;
mod lesson;
mod sidebar;
mod task_table;
mod tools;

pub use error::ErrorPage;
pub use home::Home;
pub use lesson::{LessonPage, QuizResult};
pub use tools::{InferencePage, ToolsPage, TrainingPage};
