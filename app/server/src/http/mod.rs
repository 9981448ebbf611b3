//! What stands between a request and a route: state, assets, security headers, errors.

pub mod assets;
pub mod encoding;
pub mod errors;
pub mod front;
pub mod listen;
pub mod page;
pub mod problem;
pub mod reader;
pub mod security;
pub mod state;
pub mod streams;

pub use page::Pages;
pub use problem::{ApiJson, Problem};
pub use reader::Reader;
pub use state::{App, AppState, Config};
