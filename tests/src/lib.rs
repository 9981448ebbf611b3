//! What a test of the whole product needs: a server of its own, a browser of its own, and pages that fail the test on
//! any error of their console.
//!
//! Nothing here sleeps for a fixed time: conditions are polled until [`DEADLINE`].

pub mod binaries;
#[cfg(feature = "browser")]
mod browser;
mod folder;
pub mod reports;
mod runner;
#[cfg(feature = "store")]
pub mod scene;
mod server;
#[cfg(feature = "browser")]
pub mod story;
#[cfg(feature = "browser")]
mod tab;
mod wait;

#[cfg(feature = "browser")]
pub use browser::Browser;
pub use folder::Folder;
pub use runner::Runner;
pub use server::Server;
#[cfg(feature = "browser")]
pub use tab::traffic::Traffic;
#[cfg(feature = "browser")]
pub use tab::{Scheme, Tab};
pub use wait::{DEADLINE, until, within};
