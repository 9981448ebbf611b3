//! The server of Vramlab: Axum routes, accounts, store, course loader, job queue, grading, REST API and command line.

#![recursion_limit = "256"]

pub mod answers;
pub mod auth;
pub mod cli;
pub mod course;
pub mod credit;
pub mod grading;
pub mod http;
pub mod regrade;
pub mod routes;
pub mod store;
