//! Passwords: which are accepted, and how they are hashed.

mod hasher;
mod rules;

pub use hasher::{HashError, PasswordHasher};
pub use rules::{MAX_BYTES, MIN_CHARS, Password, PasswordError};
