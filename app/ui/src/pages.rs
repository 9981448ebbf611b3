//! Pages, rendered on the server.

mod home;
mod lesson;
mod sidebar;
mod task_table;

pub use home::Home;
pub use lesson::{LessonPage, QuizResult};
