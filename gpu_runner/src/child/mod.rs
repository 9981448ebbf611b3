//! The child: one process that runs one lab once.
//!
//! It reads a [`Spec`] as one line from standard input, writes [`Line`]s to standard output and the report to the file the spec
//! names. It knows no server, no token and no key. When its standard input closes, its supervisor is gone, and it ends.

mod limits;
mod main;
mod spec;

pub use main::main;
pub use spec::{Line, MAX_LINE_BYTES, REPORT_FILE, Spec};
