//! The fewest cards for a goal.

use super::{Assumptions, Offer, ServeGoal, ServePlans, Space, TrainGoal, TrainPlans, serve, train};
use crate::{LedgerError, Model, catalogue::Card};

/// Counts that are tried: every one inside a machine, whole machines beyond.
fn counts(node: u64, limit: u64) -> impl Iterator<Item = u64> {
    let node = node.max(1);
    (1..=node.min(limit))
        .chain((2..).map(move |machines: u64| machines.saturating_mul(node)).take_while(move |count| *count <= limit))
}

/// The smallest number of equal cards, at most `limit`, on which the goal fits, with its plans; `None` where it fits
/// on none. Memory does not fall steadily with the number of cards (what does not divide is no layout), so every
/// number is tried: each up to a whole machine, then whole machines.
///
/// ```
/// use ledger::{catalogue, planner::{self, Assumptions, Space, TrainGoal}, parallel::Offload};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let card = catalogue::card("h100-80gb").expect("in the catalogue");
/// let space = Space { offload: vec![Offload::NONE], ..Space::default() };
/// let goal = TrainGoal { batch: 24, seq: 2048 };
/// let fewest = planner::fewest_to_train(model, &goal, card, 64, &space, &Assumptions::default())?;
/// // 8-bit states: 2 B weight, 2 B gradient, 4 B master copy, 2 B states make 80 GB, more than 83 GB with activations.
/// assert_eq!(fewest.map(|(count, _)| count), Some(2));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`train`].
pub fn fewest_to_train(
    model: &Model,
    goal: &TrainGoal,
    card: &'static Card,
    limit: u64,
    space: &Space,
    assumptions: &Assumptions,
) -> Result<Option<(u64, TrainPlans)>, LedgerError> {
    for count in counts(assumptions.node, limit) {
        let plans = train(model, goal, &[Offer { card, count }], space, assumptions)?;
        if plans.fitting > 0 {
            return Ok(Some((count, plans)));
        }
    }
    Ok(None)
}

/// [`fewest_to_train`] for a service.
///
/// # Errors
/// As [`serve`].
pub fn fewest_to_serve(
    model: &Model,
    goal: &ServeGoal,
    card: &'static Card,
    limit: u64,
    assumptions: &Assumptions,
) -> Result<Option<(u64, ServePlans)>, LedgerError> {
    for count in counts(assumptions.node, limit) {
        let plans = serve(model, goal, &[Offer { card, count }], assumptions)?;
        if plans.fitting > 0 {
            return Ok(Some((count, plans)));
        }
    }
    Ok(None)
}
