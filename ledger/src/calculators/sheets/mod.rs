//! The calculators, one a file: `calculator()` declares inputs and arithmetic.

mod agents;
mod checkpointing;
mod continual;
mod distillation;
mod dp_sgd;
mod experts;
mod federated;
mod films;
mod flash;
mod offload;
mod pairs;
mod pictures;
mod prefix;
mod quantisation;
mod recommender;
mod roofline;
mod worlds;

use super::{
    Calculator, Sheet,
    input::Given,
    sheet::{Rate, figure},
};
use crate::LedgerError;

pub use roofline::{Ridge, ridge_points};

type Answer = Result<Sheet, LedgerError>;

/// How hardware and kernels spend memory and time.
pub(super) fn mechanisms() -> Vec<Calculator> {
    vec![
        roofline::calculator(),
        flash::calculator(),
        checkpointing::calculator(),
        quantisation::calculator(),
        offload::calculator(),
    ]
}

/// What kinds of work take.
pub(super) fn workloads() -> Vec<Calculator> {
    vec![
        prefix::calculator(),
        experts::calculator(),
        agents::calculator(),
        pictures::calculator(),
        films::calculator(),
        worlds::calculator(),
        distillation::calculator(),
        continual::calculator(),
        dp_sgd::calculator(),
        federated::calculator(),
        recommender::calculator(),
        pairs::calculator(),
    ]
}
