//! The parallel calculator's inputs.

use ledger::parallel::{self, Distributed, Links, Mesh, Offload, ParallelLedger, Place, Schedule, Traffic, ZeroStage};
use ledger::training::{Checkpointing, Optimizer, Precision, Training};
use ledger::{LedgerError, Model, catalogue};
use serde::{Deserialize, Serialize};

use super::fields::Problem;
use super::inference::BATCH;
use super::reader::Reader;
use super::{ModelSource, training};

pub const RANKS: (u64, u64) = (1, 65_536);
pub const MICRO_BATCHES: (u64, u64) = (1, 65_536);
/// Gigabytes per second between machines.
pub const BETWEEN: (u64, u64) = (1, 10_000);

pub const ZERO: [(&str, ZeroStage); 4] =
    [("0", ZeroStage::Zero), ("1", ZeroStage::One), ("2", ZeroStage::Two), ("3", ZeroStage::Three)];
pub const PLACES: [(&str, Place); 3] = [("device", Place::Device), ("host", Place::Host), ("nvme", Place::Nvme)];
pub const SWITCH: [(&str, bool); 2] = [("off", false), ("on", true)];
pub const SCHEDULES: [(&str, Schedule); 5] = [
    ("gpipe", Schedule::GPipe),
    ("1f1b", Schedule::OneForwardOneBackward),
    ("interleaved_2", Schedule::Interleaved { chunks: 2 }),
    ("interleaved_4", Schedule::Interleaved { chunks: 4 }),
    ("interleaved_8", Schedule::Interleaved { chunks: 8 }),
];

/// The id of an option.
pub fn id<T: PartialEq>(options: &[(&'static str, T)], chosen: T) -> &'static str {
    options.iter().find(|(_, option)| *option == chosen).map_or("", |(id, _)| id)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParallelState {
    pub source: ModelSource,
    pub step: Distributed,
    pub card: String,
    /// Cards in one machine.
    pub node: u64,
    /// Gigabytes per second and card between machines, per direction.
    pub between_gb: u64,
    pub problems: Vec<Problem>,
}

impl ParallelState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let source = reader.source("Llama-3-70B");
        let training = Training {
            precision: reader.pick("precision", Precision::Bf16Master, &named(Precision::ALL, |it| it.id())),
            optimizer: reader.pick("optimizer", Optimizer::AdamWFused, &named(Optimizer::ALL, |it| it.id())),
            batch: reader.number("batch", 1, BATCH),
            seq: reader.number("seq", 4096, training::SEQ),
            checkpointing: reader.pick(
                "checkpointing",
                Checkpointing::Selective,
                &named(Checkpointing::ALL, |it| it.id()),
            ),
        };
        let step = Distributed {
            training,
            micro_batches: reader.number("micro_batches", 16, MICRO_BATCHES),
            mesh: Mesh {
                data: reader.number("data", 2, RANKS),
                tensor: reader.number("tensor", 8, RANKS),
                sequence: reader.pick("sequence", true, &SWITCH),
                pipeline: reader.number("pipeline", 4, RANKS),
                schedule: reader.pick("schedule", Schedule::OneForwardOneBackward, &SCHEDULES),
                expert: reader.number("expert", 1, RANKS),
                context: reader.number("context", 1, RANKS),
            },
            zero: reader.pick("zero", ZeroStage::One, &ZERO),
            offload: Offload {
                states: reader.pick("states", Place::Device, &PLACES),
                weights: reader.pick("weights", Place::Device, &PLACES),
            },
        };
        let card = reader.card("card", "h100-80gb");
        let node = reader.number("node", 8, RANKS);
        let between_gb = reader.number("between_gb", 50, BETWEEN);
        Self { source, step, card, node, between_gb, problems: reader.finish() }
    }

    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let Distributed { training, micro_batches, mesh, zero, offload } = &self.step;
        vec![
            ("model", if self.source.config.is_empty() { self.source.name.clone() } else { String::new() }),
            ("config", self.source.config.clone()),
            ("precision", training.precision.id().to_owned()),
            ("optimizer", training.optimizer.id().to_owned()),
            ("batch", training.batch.to_string()),
            ("seq", training.seq.to_string()),
            ("checkpointing", training.checkpointing.id().to_owned()),
            ("micro_batches", micro_batches.to_string()),
            ("data", mesh.data.to_string()),
            ("tensor", mesh.tensor.to_string()),
            ("sequence", id(&SWITCH, mesh.sequence).to_owned()),
            ("pipeline", mesh.pipeline.to_string()),
            ("schedule", id(&SCHEDULES, mesh.schedule).to_owned()),
            ("expert", mesh.expert.to_string()),
            ("context", mesh.context.to_string()),
            ("zero", id(&ZERO, *zero).to_owned()),
            ("states", id(&PLACES, offload.states).to_owned()),
            ("weights", id(&PLACES, offload.weights).to_owned()),
            ("card", self.card.clone()),
            ("node", self.node.to_string()),
            ("between_gb", self.between_gb.to_string()),
        ]
    }

    pub fn capacity(&self) -> u64 {
        catalogue::card(&self.card).map_or(0, |card| card.capacity_bytes)
    }

    /// The links of the card in such machines; `None` where they are not typed in.
    pub fn links(&self) -> Option<Links> {
        let speed = catalogue::card(&self.card)?.speed?;
        let between = self.between_gb.saturating_mul(1_000_000_000);
        Some(Links { node: self.node, between, ..Links::of(&speed)? })
    }

    /// Seconds of one kind of traffic; `None` where the card's links are not known.
    pub fn seconds(&self, traffic: &Traffic) -> Option<f64> {
        traffic.seconds(&self.links()?, &self.step.mesh).ok()
    }

    /// Everything the page shows.
    pub fn evaluate(&self, model: &Model) -> Result<ParallelLedger, LedgerError> {
        parallel::ledger(model, &self.step)
    }
}

/// Options with their ids.
pub fn named<T: Copy>(options: &[T], id: impl Fn(&T) -> &'static str) -> Vec<(&'static str, T)> {
    options.iter().map(|option| (id(option), *option)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_brings_back_the_same_state() {
        let text = [
            ("model", "Mixtral-8x7B-v0.1"),
            ("tensor", "4"),
            ("schedule", "interleaved_2"),
            ("zero", "3"),
            ("weights", "host"),
            ("sequence", "off"),
            ("between_gb", "100"),
        ];
        let pairs: Vec<_> = text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let state = ParallelState::from_pairs(&pairs);
        assert!(state.problems.is_empty(), "{:?}", state.problems);
        assert_eq!(state.step.mesh.schedule, Schedule::Interleaved { chunks: 2 });
        let again: Vec<_> = state
            .pairs()
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        assert_eq!(ParallelState::from_pairs(&again), state);
    }
}
