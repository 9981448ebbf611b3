//! The drill: questions, scores, typed answers, and what is due.

mod by_hand;
mod questions;
mod schedule;
mod typed;
