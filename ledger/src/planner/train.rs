//! The search for a training step.

use serde::{Deserialize, Serialize};

use super::{
    Assumptions, Cost, Offer, Space,
    cost::{Rates, Work, cost},
    front::{Best, Front, Score},
    mesh::meshes,
    operations::{Forward, formats, forward},
};
use crate::{
    LedgerError, Model,
    parallel::{self, Distributed, Mesh, ParallelLedger, Quick, SavedTable, StateTable},
    training::Precision,
};

/// What a step must do.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainGoal {
    /// Sequences per optimizer step, on all cards together.
    pub batch: u64,
    /// Tokens per sequence.
    pub seq: u64,
}

/// One way to do it, with what it needs and takes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrainPlan {
    /// The id of the card.
    pub card: &'static str,
    pub cards: u64,
    pub step: Distributed,
    /// Bytes on the most loaded card, without the reserve.
    pub peak: u64,
    /// Bytes of host memory and of a drive for the most demanding card.
    pub host: u64,
    pub nvme: u64,
    pub cost: Cost,
}

impl TrainPlan {
    /// Tokens per second of all cards together.
    pub fn tokens_per_second(&self, goal: &TrainGoal) -> f64 {
        goal.batch as f64 * goal.seq as f64 / self.cost.total()
    }

    /// The full ledger of the plan: formulas, phases, every kind of rank.
    ///
    /// # Errors
    /// As [`parallel::ledger`].
    pub fn ledger(&self, model: &Model) -> Result<ParallelLedger, LedgerError> {
        parallel::ledger(model, &self.step)
    }
}

/// What a search found.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainPlans {
    /// Fastest first.
    pub best: Vec<TrainPlan>,
    /// What nothing beats in memory and time at once, fastest first.
    pub front: Vec<TrainPlan>,
    /// Choices whose bytes were computed, and how many of them fit.
    pub considered: u64,
    pub fitting: u64,
    /// The choice with the lowest peak, where nothing fits: what it lacks is a card of that size.
    pub smallest: Option<TrainPlan>,
}

/// Searches every offer.
///
/// ```
/// use ledger::{catalogue, planner::{self, Assumptions, Offer, Space, TrainGoal}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let offers = [Offer { card: catalogue::card("h100-80gb").expect("in the catalogue"), count: 8 }];
/// let goal = TrainGoal { batch: 32, seq: 4096 };
/// let plans = planner::train(model, &goal, &offers, &Space::default(), &Assumptions::default())?;
/// let best = &plans.best[0];
/// // The search works by table; the full ledger gives the same bytes.
/// let ledger = best.ledger(model)?;
/// assert_eq!(ledger.worst().map(|rank| rank.ledger.peak.bytes), Some(best.peak));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// An inconsistent model, or a batch, sequence or count of zero. That nothing fits is no error.
pub fn train(
    model: &Model,
    goal: &TrainGoal,
    offers: &[Offer],
    space: &Space,
    assumptions: &Assumptions,
) -> Result<TrainPlans, LedgerError> {
    model.validate()?;
    for (field, value) in [("batch", goal.batch), ("seq", goal.seq), ("node", assumptions.node)] {
        if value == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    let mut search = Search {
        model,
        goal,
        space,
        assumptions,
        best: Best::new(space.keep),
        front: Front::new(),
        considered: 0,
        fitting: 0,
        smallest: Best::new(1),
    };
    for offer in offers {
        if offer.count == 0 {
            return Err(LedgerError::Zero { field: "count" });
        }
        for mesh in meshes(model, offer.count, assumptions.node, goal.batch, goal.seq, space) {
            search.mesh(offer, mesh)?;
        }
    }
    let smallest = search.smallest.into_plans().into_iter().next().filter(|_| search.fitting == 0);
    Ok(TrainPlans {
        best: search.best.into_plans(),
        front: search.front.into_plans(),
        considered: search.considered,
        fitting: search.fitting,
        smallest,
    })
}

struct Search<'a> {
    model: &'a Model,
    goal: &'a TrainGoal,
    space: &'a Space,
    assumptions: &'a Assumptions,
    best: Best<TrainPlan>,
    front: Front<TrainPlan>,
    considered: u64,
    fitting: u64,
    smallest: Best<TrainPlan>,
}

/// What the innermost loops share.
struct At<'a> {
    offer: &'a Offer,
    quick: &'a Quick<'a>,
    forward: &'a [Forward],
    rates: Rates,
    /// Micro-batch sizes and their number per step.
    batches: &'a [(u64, u64)],
}

impl Search<'_> {
    fn mesh(&mut self, offer: &Offer, mesh: Mesh) -> Result<(), LedgerError> {
        let Some(speed) = &offer.card.speed else { return Ok(()) };
        let quick = Quick::new(self.model, mesh, self.goal.seq)?;
        let forward = forward(self.model, &quick, self.goal.seq)?;
        let per_rank = self.goal.batch / mesh.data;
        let batches: Vec<(u64, u64)> = (1..=self.space.max_batch.min(per_rank))
            .filter(|batch| per_rank.is_multiple_of(*batch))
            .map(|batch| (batch, per_rank / batch))
            .filter(|(_, micro)| self.space.accumulate || *micro == 1)
            .collect();
        for precision in &self.space.precisions {
            let Some(rates) = Rates::of(speed, formats(*precision), self.assumptions) else { continue };
            let at = At { offer, quick: &quick, forward: &forward, rates, batches: &batches };
            self.precision(&at, *precision)?;
        }
        Ok(())
    }

    fn precision(&mut self, at: &At<'_>, precision: Precision) -> Result<(), LedgerError> {
        let saved = |checkpointing: &_| at.quick.saved(precision, *checkpointing).map(|table| (*checkpointing, table));
        let saved = self.space.checkpointing.iter().map(saved).collect::<Result<Vec<_>, _>>()?;
        for optimizer in &self.space.optimizers {
            for (checkpointing, saved) in &saved {
                let states = at.quick.states(precision, *optimizer, *checkpointing)?;
                let works = at
                    .forward
                    .iter()
                    .map(|forward| Work { all: forward.layers + forward.head, again: forward.again(*checkpointing) });
                let operations = |work: &Work| 3.0 * work.all + work.again;
                let slowest = works.max_by(|one, other| operations(one).total_cmp(&operations(other)));
                if let Some(work) = slowest {
                    self.steps(at, &states, saved, work);
                }
            }
        }
        Ok(())
    }

    fn steps(&mut self, at: &At<'_>, states: &StateTable, saved: &SavedTable, work: Work) {
        let capacity = at.offer.card.capacity_bytes.saturating_sub(self.assumptions.reserve);
        for (batch, micro) in at.batches {
            for zero in &self.space.zero {
                for offload in &self.space.offload {
                    let step = at.quick.step(states, saved, *batch, *micro, *zero, *offload);
                    if !at.quick.allows_micro_batches(&step) {
                        continue;
                    }
                    let held = at.quick.held(states, saved, *batch, *micro, *zero, *offload);
                    self.considered += 1;
                    let Some(held) = held else { continue };
                    let fits = held.peak <= capacity
                        && held.host <= self.assumptions.host_memory
                        && held.nvme <= self.assumptions.drive;
                    if !fits && self.fitting > 0 {
                        continue;
                    }
                    let Some(cost) = cost(at.quick, states, &step, &held, work, &at.rates) else { continue };
                    let plan = || TrainPlan {
                        card: at.offer.card.id,
                        cards: at.offer.count,
                        step,
                        peak: held.peak,
                        host: held.host,
                        nvme: held.nvme,
                        cost,
                    };
                    if !fits {
                        self.smallest.offer(Score { seconds: held.peak as f64, bytes: held.peak }, plan);
                        continue;
                    }
                    self.fitting += 1;
                    let score = Score { seconds: cost.total(), bytes: held.peak };
                    self.best.offer(score, plan);
                    self.front.offer(score, plan);
                }
            }
        }
    }
}
