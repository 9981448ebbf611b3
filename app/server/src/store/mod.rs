//! Everything that is kept: accounts, classes, reports, grades, jobs.
//!
//! One SQL text serves SQLite and PostgreSQL (`db.rs`). A reader function that returns a learner's rows takes a
//! [`Viewer`] and restricts the rows in SQL, so that a route cannot forget to.

#[macro_use]
mod db;
#[macro_use]
mod text_column;
#[macro_use]
mod ids;
#[macro_use]
mod kinds;
#[macro_use]
mod viewer;

pub mod clock;
mod error;
mod json;
mod open;
mod secret;
mod sweep;
mod text;
mod word;

pub mod api_tokens;
pub mod audit;
pub mod classes;
pub mod comments;
pub mod drill;
pub mod grades;
pub mod imports;
pub mod jobs;
pub mod kernels;
pub mod likenesses;
pub mod links;
pub mod overrides;
pub mod progress;
pub mod quiz;
pub mod regrades;
pub mod reports;
pub mod runners;
pub mod sessions;
pub mod terms;
pub mod users;

pub use clock::{Clock, ManualClock, SystemClock, UtcMs};
pub use error::StoreError;
pub use ids::*;
pub use json::JsonText;
pub use kinds::*;
pub use open::Store;
pub(crate) use secret::sha256_hex;
pub use secret::{Secret, TokenHash};
pub use sweep::sweep;
pub use text::{chain, clean_lines, clean_name, clean_text};
pub use users::User;
pub use viewer::Viewer;
pub use word::Word;
