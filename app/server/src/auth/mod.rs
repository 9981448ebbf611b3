//! Who is asking: passwords, sessions, tokens, and the guards in front of routes.

pub mod password;
