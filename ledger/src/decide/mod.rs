//! The guided form: from a task to a plan, with the branch taken at each step and the reason.
//!
//! The flow is the course's (engineering notes, "Decision flow"): task; tolerance of precision; fewest cards, 30% of
//! each kept for cache and fragmentation; formats of the cache by the median context; for training full fine-tuning as
//! long as it fits, then adapters. The thresholds are the course's rules of thumb, kept as constants here; the bytes are
//! the ledgers', the plan the planner's. Theory gives the lower bound: every branch ends with a load test.
//!
//! ```
//! use ledger::{catalogue, decide::{self, Branch, Serving, Tolerance}, planner::{Assumptions, Offer}};
//! let model = catalogue::model("Llama-3-70B").expect("in the catalogue");
//! let offers = [Offer { card: catalogue::card("h100-80gb").expect("in the catalogue"), count: 8 }];
//! let task = Serving {
//!     context: 16_384,
//!     median_context: 9_000,
//!     concurrency: 16,
//!     tolerance: Tolerance::Some,
//!     shared_prompt: 0.8,
//!     offline: false,
//!     fragmentation: None,
//! };
//! let decision = decide::serve(model, &task, &offers, &Assumptions::default())?;
//! let taken: Vec<Branch> = decision.steps.iter().map(|step| step.branch).collect();
//! assert!(taken.contains(&Branch::CacheFp8) && taken.contains(&Branch::PrefixCache));
//! # Ok::<(), ledger::LedgerError>(())
//! ```

mod branch;
mod serve;
mod train;

pub use branch::{Branch, Decision, Plan, Step};
pub use serve::{Serving, Tolerance, serve};
pub use train::{AdapterPlan, Tuning, train};

/// Share of a card that weights may take; the rest is for cache and fragmentation.
pub const WEIGHT_SHARE_PERCENT: u64 = 70;
/// Median context from which a quantised cache pays: below it unpacking costs more than the bytes saved.
pub const CACHE_BREAK_EVEN: u64 = 7_000;
/// Share of the input that requests must have in common for a prefix cache to be worth its bookkeeping.
pub const SHARED_PROMPT: f64 = 0.5;
/// Share of reserved memory in split, free blocks above which fragmentation is dealt with.
pub const FRAGMENTATION: f64 = 0.2;
