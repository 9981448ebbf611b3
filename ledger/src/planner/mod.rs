//! The fastest way to do a job with the cards at hand, and why.
//!
//! [`train`] tries precision × optimizer × checkpointing × ZeRO × tensor × pipeline × expert ranks × micro-batch ×
//! offload on every offer of cards, keeps what fits by the bytes of [`crate::parallel::ledger`], and orders it by the
//! cost model of [`Cost`]. [`serve`] does the same for weights and cache of a serving process. [`compare`] says, term
//! by term, why one plan beats another; `front` is the Pareto front of memory and time.

mod assumptions;
mod cost;
mod explain;
mod fewest;
mod front;
mod mesh;
mod operations;
mod serve;
mod space;
mod train;

pub use assumptions::Assumptions;
pub use cost::{Cost, term_name};
pub use explain::{Comparison, Difference, compare, compare_serving};
pub use fewest::{fewest_to_serve, fewest_to_train};
pub use serve::{ServeCost, ServeGoal, ServePlan, ServePlans, serve};
pub use space::{Offer, Space};
pub use train::{TrainGoal, TrainPlan, TrainPlans, train};
