//! The store and the accounts, the same suite on SQLite and on PostgreSQL.
//!
//! PostgreSQL runs as a throw-away cluster that this binary starts once (`cluster.rs`). Where it is not installed its
//! half is skipped with one line; `VRAMLAB_REQUIRE_POSTGRES=1` makes that a failure.

#[macro_use]
mod bed;
mod cluster;

mod accounts;
mod claims;
mod classes;
mod drill;
mod flows;
mod gradebook;
mod jobs;
mod links;
mod migrations;
mod queue;
mod reports;
mod routes;
mod sessions;
mod tokens;
mod upsets;
mod visibility;
