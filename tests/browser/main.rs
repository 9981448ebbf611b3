//! The product in a real browser: one server and one fresh Chromium per test.

mod first_day;
mod keyboard;
mod ledgers;
mod plain;
mod reading;
mod sizes;
mod stories;
mod tools;
