//! The planner's inputs.

use ledger::planner::{self, Assumptions, Offer, ServeGoal, ServePlans, Space, TrainGoal, TrainPlans};
use ledger::training::{Checkpointing, Optimizer, Precision};
use ledger::{Dtype, LedgerError, Model, catalogue, units};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::inference::BATCH;
use super::parallel::{BETWEEN, PLACES, RANKS, named};
use super::reader::Reader;
use super::{ModelSource, inference, training};

/// Cards of one kind that a search may be given.
pub const CARDS: (u64, u64) = (1, 4096);
const GIB: (u64, u64) = (0, 1 << 20);
pub const PERCENT: (u64, u64) = (1, 100);
pub const STEP: (u64, u64) = (1, 1 << 20);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    Train,
    Serve,
}

pub const GOALS: [(&str, Goal); 2] = [("train", Goal::Train), ("serve", Goal::Serve)];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanState {
    pub source: ModelSource,
    pub goal: Goal,
    /// Sequences per optimizer step, and their tokens.
    pub batch: u64,
    pub seq: u64,
    /// Tokens per sequence of a service, and sequences at the same time.
    pub context: u64,
    pub concurrency: u64,
    /// Formats of a service that are acceptable.
    pub weights: Vec<Dtype>,
    pub kv: Vec<Dtype>,
    /// Cards by id, and how many of each.
    pub cards: Vec<(String, u64)>,
    pub space: Space,
    pub assumptions: Assumptions,
    pub problems: Vec<Problem>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub enum Plans {
    Train(TrainPlans),
    Serve(ServePlans),
}

impl PlanState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let (space, usual) = (Space::default(), Assumptions::default());
        let dtypes = named(&Dtype::ALL, |it| it.id());
        let state = Self {
            source: reader.source("Llama-3-8B"),
            goal: reader.pick("goal", Goal::Train, &GOALS),
            batch: reader.number("batch", 64, STEP),
            seq: reader.number("seq", 4096, training::SEQ),
            context: reader.number("context", 8192, inference::SEQ),
            concurrency: reader.number("concurrency", 32, BATCH),
            weights: reader.several("weights", &[Dtype::Bf16], &dtypes),
            kv: reader.several("kv", &[Dtype::Bf16], &dtypes),
            cards: reader.offers("cards", &[("h100-80gb", 8)], CARDS.1),
            space: Space {
                precisions: reader.several("precisions", &space.precisions, &named(Precision::ALL, |it| it.id())),
                optimizers: reader.several("optimizers", &space.optimizers, &named(Optimizer::ALL, |it| it.id())),
                checkpointing: reader.several(
                    "checkpointing",
                    &space.checkpointing,
                    &named(Checkpointing::ALL, |it| it.id()),
                ),
                offload: offload(&mut reader, &space),
                max_tensor: reader.number("max_tensor", space.max_tensor, RANKS),
                max_pipeline: reader.number("max_pipeline", space.max_pipeline, RANKS),
                max_expert: reader.number("max_expert", space.max_expert, RANKS),
                max_context: reader.number("max_context", space.max_context, RANKS),
                ..space
            },
            assumptions: Assumptions {
                efficiency: reader.number("efficiency_percent", percent(usual.efficiency), PERCENT) as f64 / 100.0,
                memory_efficiency: reader.number("memory_percent", percent(usual.memory_efficiency), PERCENT) as f64
                    / 100.0,
                reserve: reader.number("reserve_mib", usual.reserve / units::MIB, inference::RESERVE_MIB) * units::MIB,
                node: reader.number("node", usual.node, RANKS),
                between: reader.number("between_gb", usual.between / 1_000_000_000, BETWEEN) * 1_000_000_000,
                host_memory: reader.number("host_gib", usual.host_memory / units::GIB, GIB) * units::GIB,
                drive: reader.number("drive_gib", usual.drive / units::GIB, GIB) * units::GIB,
                ..usual
            },
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    fn offers(&self) -> Vec<Offer> {
        let offer = |(card, count): &(String, u64)| Some(Offer { card: catalogue::card(card)?, count: *count });
        self.cards.iter().filter_map(offer).collect()
    }

    pub fn train_goal(&self) -> TrainGoal {
        TrainGoal { batch: self.batch, seq: self.seq }
    }

    pub fn serve_goal(&self) -> ServeGoal {
        let Self { context, concurrency, weights, kv, .. } = self;
        ServeGoal { context: *context, concurrency: *concurrency, weights: weights.clone(), kv: kv.clone() }
    }

    /// The search.
    pub fn evaluate(&self, model: &Model) -> Result<Plans, LedgerError> {
        let offers = self.offers();
        match self.goal {
            Goal::Train => {
                planner::train(model, &self.train_goal(), &offers, &self.space, &self.assumptions).map(Plans::Train)
            }
            Goal::Serve => planner::serve(model, &self.serve_goal(), &offers, &self.assumptions).map(Plans::Serve),
        }
    }
}

impl PlanState {
    /// The fewest of the first kind of cards on which the goal fits, at most as many as are at hand; with its plans.
    pub fn fewest(&self, model: &Model) -> Result<Option<(u64, Plans)>, LedgerError> {
        let offers = self.offers();
        let Some(Offer { card, count }) = offers.first().copied() else { return Ok(None) };
        Ok(match self.goal {
            Goal::Train => {
                let (goal, space) = (self.train_goal(), &self.space);
                planner::fewest_to_train(model, &goal, card, count, space, &self.assumptions)?
                    .map(|(count, plans)| (count, Plans::Train(plans)))
            }
            Goal::Serve => planner::fewest_to_serve(model, &self.serve_goal(), card, count, &self.assumptions)?
                .map(|(count, plans)| (count, Plans::Serve(plans))),
        })
    }
}

fn percent(share: f64) -> u64 {
    (share * 100.0).round() as u64
}

/// How far states and weights may leave the card: nowhere, to the host, or to a drive as well.
fn offload(reader: &mut Reader<'_>, space: &Space) -> Vec<ledger::parallel::Offload> {
    let farthest = reader.pick("offload", ledger::parallel::Place::Nvme, &PLACES);
    space.offload.iter().copied().filter(|choice| choice.states.max(choice.weights) <= farthest).collect()
}
