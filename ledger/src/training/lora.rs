//! Training adapters beside a frozen base: LoRA, QLoRA and DoRA.
//!
//! Frozen linear layers do not save their inputs, frozen norms not their normalised tensors; the adapters save theirs
//! (measured on transformers' Llama layer, equal to the byte). The adapters have the format of the activations.
//! Gradients are taken to flow through the first layer's input, as PEFT arranges it for checkpointing.
//!
//! DoRA (Liu et al. 2024) adds a magnitude per output. In PEFT (`tuners/lora/dora.py`) each adapted projection saves two
//! more tensors of its output's width, the frozen projection's result and the adapter's, for the gradient of the
//! magnitude; and the norm of `W + scaling·BA`, which has no gradient, holds three matrices of the weight's size for a
//! moment: the product, the scaled product and the sum. That moment is placed in the layers' backward, where
//! checkpointing runs it again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Line, Moment, Optimizer, Precision, Recompute, Run, RunLedger, Trained, Training, TrainingLedger,
    activations::{self, Saves},
    by_layer,
    facts::Facts,
    head, load,
    run::{self, around},
    states, step_floor,
};
use crate::{
    LedgerError, Model, Norm, Object, Role, Tensors, adapters,
    formats::Nf4,
    formula::{Term, b, n, product},
};

/// Adapters of one rank and the base that they stand beside.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lora {
    pub rank: u64,
    pub targets: LoraTargets,
    pub base: LoraBase,
    pub method: LoraMethod,
}

/// What an adapter learns.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoraMethod {
    /// Two low-rank matrices.
    Lora,
    /// These and a magnitude per output (weight-decomposed).
    Dora,
}

/// Which projections have an adapter.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
///     self, Checkpointing, Lora, LoraBase, LoraMethod, LoraTargets, Optimizer, Precision, Training,
/// }};
/// let model = catalogue::model("Llama-2-7B").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::PureBf16,
///     optimizer: Optimizer::AdamWFused,
///     batch: 1,
///     seq: 2048,
///     checkpointing: Checkpointing::EveryLayer,
/// };
/// let (targets, base, method) = (LoraTargets::All, LoraBase::Nf4, LoraMethod::Lora);
/// let adapters = Lora { rank: 16, targets, base, method };
/// let qlora = training::lora_ledger(model, &workload, &adapters)?;
/// let full = training::ledger(model, &workload)?;
/// assert!(qlora.peak.bytes * 5 < full.peak.bytes);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`super::ledger()`]; a rank of zero; and [`LedgerError::NotModelled`] for layers other than dense Llama-like ones,
/// for precisions other than FP32 and BF16 throughout, for an FP32 run over an NF4 base, and for recomputed norms or
/// feed-forward parts.
pub fn lora_ledger(model: &Model, workload: &Training, lora: &Lora) -> Result<TrainingLedger, LedgerError> {
    Ok(lora_run_ledger(model, &Run::from(*workload), lora)?.device)
}

/// As [`lora_ledger`], for a run in full: device, host, traffic between them, and floors.
///
/// # Errors
/// As [`lora_ledger`] and [`super::run_ledger`].
pub fn lora_run_ledger(model: &Model, run: &Run, lora: &Lora) -> Result<RunLedger, LedgerError> {
    run::check(model, run)?;
    let workload = &run.workload;
    supported(model, workload, lora)?;
    let groups = tensors(model, lora)?;
    let facts = Facts::from_groups(&groups, model.layers, None)?;
    let mut lines = Vec::with_capacity(16);
    let base = base_term(model, workload.precision, lora.base)?;
    lines.extend(Line::new(Object::Parameter, "base_weights", base, &Moment::ALL)?);
    lines.extend(states::lines(model, &facts, run)?.into_iter().map(|mut line| {
        if line.entry.part == "weights" {
            line.entry.part = Cow::Borrowed("adapter_weights");
        }
        line
    }));
    let all = Facts::of(model)?;
    lines.extend(load::line(run.load, all.parameters)?);
    let in_layers = [Moment::LayersBackward, Moment::FirstLayerBackward];
    if lora.base == LoraBase::Nf4 {
        // A product reads one matrix at a time, unpacked to BF16.
        let unpacked = n(largest_matrix(model)?) * b(workload.precision.compute_bytes());
        lines.extend(Line::new(Object::Temporary, "unpacked_weight", unpacked, &in_layers)?);
    }
    if lora.method == LoraMethod::Dora {
        let norm = n(3) * n(largest_target(model, lora)?) * b(workload.precision.compute_bytes());
        lines.extend(Line::new(Object::Temporary, "dora_norm", norm, &in_layers)?);
    }
    let trained = match lora.targets {
        LoraTargets::QueryValue => Trained::LoraQueryValue { rank: lora.rank },
        LoraTargets::All => Trained::LoraAll { rank: lora.rank },
    };
    let extra = match lora.method {
        LoraMethod::Lora => 0,
        LoraMethod::Dora => outputs(model, lora)?.saturating_mul(2),
    };
    let saves = Saves { trained, extra };
    let saved = activations::lines(model, &facts, run, saves)?;
    lines.extend(saved.lines);
    lines.extend(head::lines(model, workload, run.how.loss, true)?);
    by_layer::turn(model, run, &facts, &saved.sizes, &mut lines)?;
    let base_bytes = lines.first().map_or(0, |line| line.entry.bytes);
    let floor = match workload.optimizer {
        Optimizer::AdamWInBackward => {
            (n(base_bytes) + n(step_floor(&lines, &facts, run)?)).finish("optimizer_floor")?.0
        }
        _ => step_floor(&lines, &facts, run)?,
    };
    around(lines, floor, &facts, run, load::host(run.load, all.parameters, all.largest)?, saved.host)
}

fn supported(model: &Model, workload: &Training, lora: &Lora) -> Result<(), LedgerError> {
    let not = |what| Err(LedgerError::NotModelled { what });
    if lora.rank == 0 {
        return Err(LedgerError::Zero { field: "rank" });
    }
    if model.norm != Norm::Rms || model.experts.is_some() || model.latent.is_some() {
        return not("adapters on layers that are not dense and Llama-like");
    }
    if workload.checkpointing.recompute().is_some_and(Recompute::beyond_attention) {
        return not("recomputed norms or feed-forward parts beside adapters");
    }
    match (workload.precision, lora.base) {
        (Precision::PureBf16, _) | (Precision::Fp32 | Precision::Tf32, LoraBase::Plain) => Ok(()),
        (Precision::Fp32 | Precision::Tf32, LoraBase::Nf4) => not("FP32 adapters over an NF4 base"),
        _ => not("adapters under autocast or with a master copy"),
    }
}

/// The adapters' tensors: `A` of rank × inputs, `B` of outputs × rank and DoRA's magnitudes, per target and layer.
fn tensors(model: &Model, lora: &Lora) -> Result<Vec<Tensors>, LedgerError> {
    let mut groups = Vec::with_capacity(14);
    for target in lora.targets.names() {
        let (inputs, outputs) = adapters::sizes(model, target)?;
        for (part, rows, columns) in [("lora_a", lora.rank, inputs), ("lora_b", outputs, lora.rank)] {
            let elements = product(part, &[rows, columns])?;
            groups.push(Tensors { part, role: Role::Linear, stack: 1, rows, columns, elements, count: model.layers });
        }
        if lora.method == LoraMethod::Dora {
            let (part, role, rows, columns) = ("magnitude", Role::Norm, outputs, 1);
            groups.push(Tensors { part, role, stack: 1, rows, columns, elements: outputs, count: model.layers });
        }
    }
    Ok(groups)
}

/// Outputs of all targets of a layer.
fn outputs(model: &Model, lora: &Lora) -> Result<u64, LedgerError> {
    let mut all = n(0);
    for target in lora.targets.names() {
        all = all + n(adapters::sizes(model, target)?.1);
    }
    Ok(all.finish("dora")?.0)
}

fn largest_target(model: &Model, lora: &Lora) -> Result<u64, LedgerError> {
    let mut largest = 0;
    for target in lora.targets.names() {
        let (inputs, outputs) = adapters::sizes(model, target)?;
        largest = largest.max(product("dora", &[inputs, outputs])?);
    }
    Ok(largest)
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
