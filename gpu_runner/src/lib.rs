//! Executes labs: on the command line, or as a service that takes jobs from a server.
//!
//! The supervisor holds the key and the token, and never runs a lab or loads a GPU library. Every run is a child process of its own,
//! with an empty environment, in its own process group, ended by that group.

pub mod backend;
pub mod child;
pub mod cli;
mod listener;
pub mod supervisor;
