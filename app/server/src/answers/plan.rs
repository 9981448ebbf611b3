//! The planner.

use ledger::Model;
use ledger::planner::{self, Assumptions, Comparison, ServeGoal, ServePlan, TrainGoal, TrainPlan};
use serde::Serialize;
use ui::state::{PlanState, Plans};
use utoipa::ToSchema;

use super::refusal::first;
use super::{ModelAnswer, Pairs, Refusal};

/// What a search found, fastest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "goal", rename_all = "snake_case")]
pub enum PlanAnswer {
    Train(Found<TrainGoal, TrainPlan>),
    Serve(Found<ServeGoal, ServePlan>),
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Found<G, P> {
    pub model: ModelAnswer,
    pub workload: G,
    /// What the order rests on.
    pub assumptions: Assumptions,
    /// Choices whose bytes were computed, and how many of them fit.
    pub considered: u64,
    pub fitting: u64,
    pub best: Vec<P>,
    /// Why the first beats the second.
    pub why: Option<Comparison>,
    /// What nothing beats in memory and time at once.
    pub front: Vec<P>,
    /// Where nothing fits: the plan with the lowest peak.
    pub smallest: Option<P>,
}

/// # Errors
/// An input that cannot be read, or a model that cannot be read. That nothing fits is an answer.
pub fn plan(pairs: &Pairs) -> Result<PlanAnswer, Refusal> {
    let state = PlanState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let plans = state.evaluate(&model)?;
    found(&state, &model, plans)
}

/// The fewest cards on which a goal fits.
#[derive(Debug, Serialize, ToSchema)]
pub struct FewestAnswer {
    pub card: String,
    /// How many were tried at most.
    pub limit: u64,
    /// Absent where the goal fits on none of these numbers.
    pub cards: Option<u64>,
    pub plans: Option<PlanAnswer>,
}

/// Every number up to the limit is a search of its own.
const MOST_CARDS: u64 = 512;

/// # Errors
/// As [`plan`], and a limit above 512 cards.
pub fn fewest(pairs: &Pairs) -> Result<FewestAnswer, Refusal> {
    let state = PlanState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let (card, limit) = state.cards.first().cloned().unwrap_or_default();
    if limit > MOST_CARDS {
        let (key, found) = ("cards".to_owned(), format!("{card}:{limit}"));
        return Err(Refusal::Input { key, expected: format!("CARD:COUNT, 1…{MOST_CARDS}"), found });
    }
    Ok(match state.fewest(&model)? {
        Some((count, plans)) => {
            FewestAnswer { card, limit, cards: Some(count), plans: Some(found(&state, &model, plans)?) }
        }
        None => FewestAnswer { card, limit, cards: None, plans: None },
    })
}

fn found(state: &PlanState, model: &Model, plans: Plans) -> Result<PlanAnswer, Refusal> {
    let counted = ModelAnswer::of(model)?;
    Ok(match plans {
        Plans::Train(plans) => PlanAnswer::Train(Found {
            model: counted,
            workload: state.train_goal(),
            assumptions: state.assumptions,
            considered: plans.considered,
            fitting: plans.fitting,
            why: two(&plans.best).map(|(best, next)| planner::compare(best, next)),
            best: plans.best,
            front: plans.front,
            smallest: plans.smallest,
        }),
        Plans::Serve(plans) => PlanAnswer::Serve(Found {
            model: counted,
            workload: state.serve_goal(),
            assumptions: state.assumptions,
            considered: plans.considered,
            fitting: plans.fitting,
            why: two(&plans.best).map(|(best, next)| planner::compare_serving(best, next)),
            best: plans.best,
            front: plans.front,
            smallest: plans.smallest,
        }),
    })
}

fn two<P>(plans: &[P]) -> Option<(&P, &P)> {
    Some((plans.first()?, plans.get(1)?))
}
