//! The ledger of a step that is spread over ranks.

use ledger::Text;
use ledger::parallel::{Distributed, Links, Traffic};
use ledger::training::PhaseTotal;
use serde::Serialize;
use ui::state::ParallelState;
use utoipa::ToSchema;

use super::refusal::first;
use super::{EntryAnswer, ModelAnswer, Pairs, Refusal, entries};

#[derive(Debug, Serialize, ToSchema)]
pub struct ParallelAnswer {
    pub model: ModelAnswer,
    pub step: Distributed,
    /// All cards together.
    pub cards: u64,
    pub card: String,
    pub capacity_bytes: u64,
    /// One per kind of stage, in the order of the pipeline.
    pub ranks: Vec<RankAnswer>,
    /// Which of `ranks` has the highest peak.
    pub worst: usize,
    pub why: Text,
    /// The links that the times are for; absent where the card's are not known.
    pub links: Option<Links>,
    pub traffic: Vec<TrafficAnswer>,
    /// Share of the step in which a stage waits.
    pub bubble: f64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RankAnswer {
    /// The first stage of the kind, from 0, and how many hold the same tensors.
    pub stage: u64,
    pub alike: u64,
    pub layers: u64,
    /// Micro-batches, or chunks of them, whose activations are held at once.
    pub live: u64,
    pub entries: Vec<EntryAnswer>,
    pub phases: Vec<PhaseTotal>,
    pub peak: PhaseTotal,
    pub host_bytes: u64,
    pub nvme_bytes: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TrafficAnswer {
    #[serde(flatten)]
    pub traffic: Traffic,
    pub name: Text,
    /// On the link of its axis; absent where that is not known.
    pub seconds: Option<f64>,
}

/// # Errors
/// An input that cannot be read, a model that cannot be read, or ranks that do not divide it.
pub fn parallel(pairs: &Pairs) -> Result<ParallelAnswer, Refusal> {
    let state = ParallelState::from_pairs(pairs);
    first(state.problems.clone())?;
    let model = state.source.model().map_err(Refusal::Model)?;
    let ledger = state.evaluate(&model)?;
    let (why, mesh) = (ledger.why(), state.step.mesh);
    let ranks = ledger.ranks.into_iter().map(|rank| RankAnswer {
        stage: rank.stage,
        alike: rank.alike,
        layers: rank.layers,
        live: rank.live,
        entries: entries(rank.ledger.entries),
        phases: rank.ledger.phases,
        peak: rank.ledger.peak,
        host_bytes: rank.host,
        nvme_bytes: rank.nvme,
    });
    let traffic = ledger.traffic.into_iter().map(|traffic| TrafficAnswer {
        name: traffic.axis.name(),
        seconds: state.seconds(&traffic),
        traffic,
    });
    Ok(ParallelAnswer {
        model: ModelAnswer::of(&model)?,
        step: state.step,
        cards: mesh.ranks()?,
        capacity_bytes: state.capacity(),
        links: state.links(),
        card: state.card.clone(),
        ranks: ranks.collect(),
        worst: ledger.worst,
        why,
        traffic: traffic.collect(),
        bubble: mesh.schedule.bubble(mesh.pipeline, state.step.micro_batches)?,
    })
}
