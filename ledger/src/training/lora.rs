//! Training adapters beside a frozen base: LoRA and QLoRA.
//!
//! Frozen linear layers do not save their inputs, frozen norms not their normalised tensors; the adapters save theirs
//! (measured on transformers' Llama layer, equal to the byte). The adapters have the format of the activations.
//! Gradients are taken to flow through the first layer's input, as PEFT arranges it for checkpointing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Line, Moment, Precision, Trained, Training, TrainingLedger, activations, facts::Facts, finish, floor, head, states,
};
use crate::{
    LedgerError, Model, Norm, Object, Role, Tensors, adapters,
    formats::Nf4,
    formula::{Term, b, n, product},
};

/// Adapters of one rank and the base that they stand beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lora {
    pub rank: u64,
    pub targets: LoraTargets,
    pub base: LoraBase,
}

/// Which projections have an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoraTargets {
    QueryValue,
    /// All seven of a layer.
    All,
}

impl LoraTargets {
    /// The names of PEFT without `_proj`.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            LoraTargets::QueryValue => &["q", "v"],
            LoraTargets::All => &adapters::TARGETS,
        }
    }
}

/// How the frozen base is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoraBase {
    /// In the format of the activations.
    Plain,
    /// Matrix products of the layers in NF4 with double quantisation, everything else in BF16 (QLoRA).
    Nf4,
}

/// Predicts the memory of a step that trains adapters.
///
/// ```
/// use ledger::{catalogue, training::{
///     self, Checkpointing, Lora, LoraBase, LoraTargets, Optimizer, Precision, Training,
/// }};
/// let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::PureBf16,
///     optimizer: Optimizer::AdamWFused,
///     batch: 1,
///     seq: 2048,
///     checkpointing: Checkpointing::EveryLayer,
/// };
/// let adapters = Lora { rank: 16, targets: LoraTargets::All, base: LoraBase::Nf4 };
/// let qlora = training::lora_ledger(model, &workload, &adapters)?;
/// let full = training::ledger(model, &workload)?;
/// assert!(qlora.peak.bytes * 5 < full.peak.bytes);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`super::ledger`]; a rank of zero; and [`LedgerError::NotModelled`] for layers other than dense Llama-like ones,
/// for precisions other than FP32 and BF16 throughout, and for an FP32 run over an NF4 base.
pub fn lora_ledger(model: &Model, workload: &Training, lora: &Lora) -> Result<TrainingLedger, LedgerError> {
    super::check(model, workload)?;
    supported(model, workload, lora)?;
    let groups = tensors(model, lora)?;
    let facts = Facts::from_groups(&groups, model.layers, None)?;
    let mut lines = Vec::with_capacity(16);
    let base = base_term(model, workload.precision, lora.base)?;
    let base_bytes = base.clone().finish("base_weights")?.0;
    lines.extend(Line::new(Object::Parameter, "base_weights", base, &Moment::ALL)?);
    lines.extend(states::lines(model, &facts, workload)?.into_iter().map(|mut line| {
        if line.entry.part == "weights" {
            line.entry.part = Cow::Borrowed("adapter_weights");
        }
        line
    }));
    if lora.base == LoraBase::Nf4 {
        // A product reads one matrix at a time, unpacked to BF16.
        let unpacked = n(largest_matrix(model)?) * b(workload.precision.compute_bytes());
        let moments = [Moment::LayersBackward, Moment::FirstLayerBackward];
        lines.extend(Line::new(Object::Temporary, "unpacked_weight", unpacked, &moments)?);
    }
    let trained = match lora.targets {
        LoraTargets::QueryValue => Trained::LoraQueryValue { rank: lora.rank },
        LoraTargets::All => Trained::LoraAll { rank: lora.rank },
    };
    lines.extend(activations::lines(model, &facts, workload, trained)?);
    lines.extend(head::lines(model, workload, true)?);
    let floor = n(base_bytes) + floor::floor_term(&facts, workload.precision, workload.optimizer);
    finish(lines, floor.finish("optimizer_floor")?.0)
}

fn supported(model: &Model, workload: &Training, lora: &Lora) -> Result<(), LedgerError> {
    let not = |what| Err(LedgerError::NotModelled { what });
    if lora.rank == 0 {
        return Err(LedgerError::Zero { field: "rank" });
    }
    if model.norm != Norm::Rms || model.experts.is_some() || model.latent.is_some() {
        return not("adapters on layers that are not dense and Llama-like");
    }
    match (workload.precision, lora.base) {
        (Precision::PureBf16, _) | (Precision::Fp32, LoraBase::Plain) => Ok(()),
        (Precision::Fp32, LoraBase::Nf4) => not("FP32 adapters over an NF4 base"),
        _ => not("adapters under autocast or with a master copy"),
    }
}

/// The adapters' tensors: `A` of rank × inputs and `B` of outputs × rank, per target and layer.
fn tensors(model: &Model, lora: &Lora) -> Result<Vec<Tensors>, LedgerError> {
    let mut groups = Vec::with_capacity(14);
    for target in lora.targets.names() {
        let (inputs, outputs) = adapters::sizes(model, target)?;
        for (part, rows, columns) in [("lora_a", lora.rank, inputs), ("lora_b", outputs, lora.rank)] {
            let elements = product(part, &[rows, columns])?;
            groups.push(Tensors { part, role: Role::Linear, stack: 1, rows, columns, elements, count: model.layers });
        }
    }
    Ok(groups)
}

fn largest_matrix(model: &Model) -> Result<u64, LedgerError> {
    let linear = |group: &Tensors| group.role == Role::Linear;
    Ok(model.tensors()?.iter().filter(|group| linear(group)).map(|group| group.elements).max().unwrap_or(0))
}

fn base_term(model: &Model, precision: Precision, base: LoraBase) -> Result<Term, LedgerError> {
    match base {
        LoraBase::Plain => Ok(n(model.parameters()?) * b(precision.weight_bytes())),
        LoraBase::Nf4 => Nf4::QLORA.model_term(model),
    }
}
