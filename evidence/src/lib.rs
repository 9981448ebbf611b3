//! What a lab report is.

mod lang;

pub use lang::Lang;
