//! The product in a real browser: one server and one fresh Chromium per test.

mod accessibility;
mod drill;
mod first_day;
mod gradebook;
mod kernel;
mod keyboard;
mod kit;
mod larger;
mod ledgers;
mod plain;
mod quantisation;
mod reading;
mod regrade;
mod sizes;
mod stories;
mod tools;
