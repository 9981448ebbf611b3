//! The training calculator's inputs.

use ledger::training::{
    self, Checkpointing, GradientBuffer, Implementation, Load, Loader, Lora, LoraBase, LoraMethod, LoraTargets,
    Offload, Optimizer, Precision, Run, RunLedger, StageTotal, Training,
};
use ledger::{Dtype, LedgerError, Model, catalogue};
use serde::{Deserialize, Serialize};

use super::ModelSource;
use super::fields::Problem;
use super::inference::BATCH;
use super::parallel::{MICRO_BATCHES, id, named};
use super::reader::Reader;

pub const SEQ: (u64, u64) = (1, 1_048_576);
pub const RANK: (u64, u64) = (1, 4096);
/// Layers whose saved activations stay on the device; 0 leaves all of them there.
pub const WINDOW: (u64, u64) = (0, 4096);

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    Full,
    Adapters { method: LoraMethod, base: LoraBase },
}

const fn adapters(method: LoraMethod, base: LoraBase) -> Method {
    Method::Adapters { method, base }
}

pub const METHODS: [(&str, Method); 5] = [
    ("full", Method::Full),
    ("lora", adapters(LoraMethod::Lora, LoraBase::Plain)),
    ("qlora", adapters(LoraMethod::Lora, LoraBase::Nf4)),
    ("dora", adapters(LoraMethod::Dora, LoraBase::Plain)),
    ("qdora", adapters(LoraMethod::Dora, LoraBase::Nf4)),
];
pub const TARGETS: [(&str, LoraTargets); 2] = [("all", LoraTargets::All), ("query_value", LoraTargets::QueryValue)];
pub const GRADIENTS: [(&str, GradientBuffer); 2] =
    [("of_weights", GradientBuffer::OfWeights), ("fp32", GradientBuffer::Fp32)];
pub const KERNELS: [(&str, Implementation); 3] = [
    ("transformers", Implementation::TRANSFORMERS),
    ("fused", Implementation::FUSED),
    ("eager_attention", Implementation { attention: training::AttentionKernel::Eager, ..Implementation::TRANSFORMERS }),
];
pub const LOADERS: [(&str, Loader); 3] =
    [("in_place", Loader::InPlace), ("host_copy", Loader::HostCopy), ("device_copy", Loader::DeviceCopy)];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingState {
    pub source: ModelSource,
    pub precision: Precision,
    pub optimizer: Optimizer,
    pub batch: u64,
    pub seq: u64,
    pub checkpointing: Checkpointing,
    pub card: String,
    pub method: Method,
    /// Of adapters.
    pub rank: u64,
    pub targets: LoraTargets,
    pub micro_batches: u64,
    pub gradients: GradientBuffer,
    pub kernels: Implementation,
    /// Layers whose saved activations stay on the device; 0 leaves all of them there.
    pub offload_layers: u64,
    pub loader: Loader,
    /// Format of the numbers in the file.
    pub file: Dtype,
    pub problems: Vec<Problem>,
}

impl Default for TrainingState {
    fn default() -> Self {
        Self::from_pairs(&[])
    }
}

impl TrainingState {
    /// Reads query fields; what cannot be read keeps its default and becomes a problem.
    pub fn from_pairs(pairs: &[(String, String)]) -> Self {
        let mut reader = Reader::new(pairs);
        let state = Self {
            source: reader.source("Qwen2.5-0.5B"),
            precision: reader.pick("precision", Precision::Fp32, &named(Precision::ALL, |it| it.id())),
            optimizer: reader.pick("optimizer", Optimizer::AdamWForeach, &named(Optimizer::ALL, |it| it.id())),
            batch: reader.number("batch", 1, BATCH),
            seq: reader.number("seq", 768, SEQ),
            checkpointing: reader.parsed("checkpointing", Checkpointing::None, CHECKPOINTING),
            card: reader.card("card", "rtx5070ti-laptop"),
            method: reader.pick("method", Method::Full, &METHODS),
            rank: reader.number("rank", 16, RANK),
            targets: reader.pick("targets", LoraTargets::All, &TARGETS),
            micro_batches: reader.number("micro_batches", 1, MICRO_BATCHES),
            gradients: reader.pick("gradients", GradientBuffer::OfWeights, &GRADIENTS),
            kernels: reader.pick("kernels", Implementation::TRANSFORMERS, &KERNELS),
            offload_layers: reader.number("offload_layers", 0, WINDOW),
            loader: reader.pick("loader", Loader::InPlace, &LOADERS),
            file: reader.pick("file", Dtype::Bf16, &named(&Dtype::ALL, |it| it.id())),
            problems: Vec::new(),
        };
        Self { problems: reader.finish(), ..state }
    }

    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = vec![
            ("model", if self.source.config.is_empty() { self.source.name.clone() } else { String::new() }),
            ("config", self.source.config.clone()),
            ("precision", self.precision.id().to_owned()),
            ("optimizer", self.optimizer.id().to_owned()),
            ("batch", self.batch.to_string()),
            ("seq", self.seq.to_string()),
            ("checkpointing", self.checkpointing.slug().into_owned()),
            ("card", self.card.clone()),
        ];
        let usual = Self::default();
        // What few people change stays out of the address while it is as usual.
        let rare = [
            ("method", id(&METHODS, self.method).to_owned(), self.method != usual.method),
            ("rank", self.rank.to_string(), self.rank != usual.rank),
            ("targets", id(&TARGETS, self.targets).to_owned(), self.targets != usual.targets),
            ("micro_batches", self.micro_batches.to_string(), self.micro_batches != usual.micro_batches),
            ("gradients", id(&GRADIENTS, self.gradients).to_owned(), self.gradients != usual.gradients),
            ("kernels", id(&KERNELS, self.kernels).to_owned(), self.kernels != usual.kernels),
            ("offload_layers", self.offload_layers.to_string(), self.offload_layers != usual.offload_layers),
            ("loader", id(&LOADERS, self.loader).to_owned(), self.loader != usual.loader),
            ("file", self.file.id().to_owned(), self.file != usual.file),
        ];
        pairs.extend(rare.into_iter().filter(|(_, _, changed)| *changed).map(|(key, value, _)| (key, value)));
        pairs
    }

    pub fn workload(&self) -> Training {
        Training {
            precision: self.precision,
            optimizer: self.optimizer,
            batch: self.batch,
            seq: self.seq,
            checkpointing: self.checkpointing,
        }
    }

    pub fn capacity(&self) -> u64 {
        catalogue::card(&self.card).map_or(0, |card| card.capacity_bytes)
    }

    /// The workload and how it is run.
    pub fn run(&self) -> Run {
        let offload = match self.offload_layers {
            0 => Offload::None,
            layers => Offload::Window { layers },
        };
        Run {
            how: self.kernels,
            micro_batches: self.micro_batches,
            gradients: self.gradients,
            offload,
            load: Load { loader: self.loader, file: self.file },
            ..Run::from(self.workload())
        }
    }

    /// Adapters, where not everything is trained.
    pub fn adapters(&self) -> Option<Lora> {
        match self.method {
            Method::Full => None,
            Method::Adapters { method, base } => Some(Lora { rank: self.rank, targets: self.targets, base, method }),
        }
    }

    /// Everything the page shows.
    pub fn evaluate(&self, model: &Model) -> Result<RunLedger, LedgerError> {
        match self.adapters() {
            None => training::run_ledger(model, &self.run()),
            Some(adapters) => training::lora_run_ledger(model, &self.run(), &adapters),
        }
    }

    /// The step layer by layer; adapters have no such curve.
    pub fn curve(&self, model: &Model) -> Result<Option<Vec<StageTotal>>, LedgerError> {
        match self.method {
            Method::Full => training::by_layer(model, &self.run()).map(Some),
            Method::Adapters { .. } => Ok(None),
        }
    }
}

/// What a checkpointing may be.
const CHECKPOINTING: &str = "none | selective | every_layer | sqrt_segments | segments_N | \
     recompute_ with core_attention, norms, activation, mlp joined by +";
