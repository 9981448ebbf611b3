//! A drill of the intuition: how much memory, in a minute, within 20 %?
//!
//! [`question`] draws a model, a card and a workload from a seed and asks; the answer is the ledger's, never typed in.
//! [`parse`] reads what was typed, [`score`] compares. Afterwards the question shows the worked ledger and a rule of
//! thumb that would have passed. [`set`] gives a class the same questions; [`schedule`] says which topic is due.
//!
//! ```
//! use ledger::drill::{self, Topic};
//! let question = drill::question(1, &[Topic::Weights])?;
//! let typed = format!("≈ {:.1} {}", question.answer(), question.unit.name().en);
//! let answer = drill::parse(&typed, question.unit).expect("a number with its unit");
//! assert!(drill::score(&question, answer).passed);
//! # Ok::<(), ledger::LedgerError>(())
//! ```
//!
//! Numbers come from SplitMix64 and from integer arithmetic, so a seed gives the same question everywhere. Which models
//! may be asked about is fixed per topic: a model that joins the catalogue changes no set that a class has.

mod question;
pub mod schedule;
mod score;
mod told;
mod topic;
mod topics;
mod typed;
mod unit;

pub use question::{MAX_SET, Number, Question, Thumb, question, set};
pub use schedule::{Attempt, Next, Reason, Standing};
pub use score::{PASS, Score, Slip, score};
pub use topic::Topic;
pub use typed::{TypedError, parse};
pub use unit::Unit;
