//! Pages, rendered on the server.

pub mod account;
mod allocator;
mod budget;
mod catalogue;
pub mod class;
pub mod credit;
pub mod drill;
mod error;
mod home;
pub mod kernel;
mod kernel_resources;
pub mod lab;
mod lesson;
mod presets;
pub mod report;
mod sidebar;
mod task_table;
mod tools;
mod trace;

pub use allocator::{AllocatorPage, Replayed, SnapshotPage};
pub use budget::{BudgetAsked, BudgetPage, BudgetReport};
pub use catalogue::CataloguePage;
pub use error::ErrorPage;
pub use home::Home;
pub use lesson::{LessonPage, QuizResult};
pub use tools::{PagingPage, QuantisationPage, ToolPage, ToolsPage};
pub use trace::{TracePage, TraceRead};
