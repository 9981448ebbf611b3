//! A training run in full: the workload, and how it is run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Device, Floor, Implementation, Line, Optimizer, Training, TrainingLedger, device, facts::Facts, finish, floors,
    load, load::Load, states, step_floor,
};
use crate::{
    Entry, LedgerError, Model, Object, Phase, Span,
    formula::{Term, n, sum},
};

/// A workload and every choice beyond it; [`From`] takes the usual ones.
///
/// ```
/// use ledger::{catalogue, training::{self, Checkpointing, GradientBuffer, Optimizer, Precision, Run, Training}};
/// let model = catalogue::model("SmolLM2-135M").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::Bf16Master,
///     optimizer: Optimizer::AdamWFused,
///     batch: 4,
///     seq: 1024,
///     checkpointing: Checkpointing::Selective,
/// };
/// let run = Run { micro_batches: 8, gradients: GradientBuffer::Fp32, ..Run::from(workload) };
/// let accumulating = training::run_ledger(model, &run)?;
/// let once = training::ledger(model, &workload)?;
/// // FP32 gradients that are never freed, instead of BF16 gradients: two bytes more per parameter in `step()`.
/// assert_eq!(accumulating.device.floor - once.floor, 2 * model.parameters()?);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub workload: Training,
    /// Which kernels run the layers.
    pub how: Implementation,
    /// Forward and backward passes per `step()`, of [`Training::batch`] sequences each.
    pub micro_batches: u64,
    pub gradients: GradientBuffer,
    pub offload: Offload,
    pub load: Load,
}

impl From<Training> for Run {
    fn from(workload: Training) -> Self {
        Self {
            workload,
            how: Implementation::TRANSFORMERS,
            micro_batches: 1,
            gradients: GradientBuffer::OfWeights,
            offload: Offload::None,
            load: Load::IN_PLACE,
        }
    }
}

/// Where gradients are added up.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientBuffer {
    /// `.grad` of every parameter, freed between steps (`zero_grad(set_to_none=True)`). Over several micro-batches it
    /// stays, and each backward adds to it.
    OfWeights,
    /// One FP32 number per parameter, from loading to the end, into which each backward adds (Megatron's `main_grad`).
    Fp32,
}

/// Saved activations on the host.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ActivationOffload))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offload {
    /// They stay on the device.
    None,
    /// The device keeps those of at most so many neighbouring layers: the ones that are being written, copied or
    /// fetched ahead. All others travel to the host and back.
    Window { layers: u64 },
}

pub(super) fn check(model: &Model, run: &Run) -> Result<(), LedgerError> {
    super::check(model, &run.workload)?;
    let not = |what| Err(LedgerError::NotModelled { what });
    let checkpointing = run.workload.checkpointing;
    if run.micro_batches == 0 {
        return Err(LedgerError::Zero { field: "micro_batches" });
    }
    let accumulates = run.micro_batches > 1 || run.gradients == GradientBuffer::Fp32;
    if accumulates && run.workload.optimizer == Optimizer::AdamWInBackward {
        return not("gradients that are added up before an optimizer that runs in the backward pass");
    }
    match run.offload {
        Offload::Window { layers: 0 } => Err(LedgerError::Zero { field: "offload.layers" }),
        Offload::Window { .. } if checkpointing.is_segmented() => not("offloaded activations of checkpointed segments"),
        _ => checkpointing.check(model.layers),
    }
}

/// A run on a device and beside it. All sizes in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLedger {
    pub device: TrainingLedger,
    /// What the host holds for the device: copies of the loader in the load phase, paged states, offloaded
    /// activations.
    pub host: Vec<Entry>,
    /// The host's highest phase.
    pub host_peak: u64,
    /// What crosses the link to the host in one step, both directions together: offloaded activations there and back
    /// in every micro-batch, paged states there and back once.
    pub moved: Vec<Entry>,
    pub floors: Vec<Floor>,
}

/// Predicts the memory of a training run: device, host, traffic between them, and floors.
///
/// ```
/// use ledger::{catalogue, training::{self, Checkpointing, Offload, Optimizer, Precision, Run, Training}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::PureBf16,
///     optimizer: Optimizer::PagedAdamW8bit,
///     batch: 1,
///     seq: 8192,
///     checkpointing: Checkpointing::EveryLayer,
/// };
/// let run = Run { offload: Offload::Window { layers: 2 }, ..Run::from(workload) };
/// let ledger = training::run_ledger(model, &run)?;
/// let offloaded = ledger.host.iter().find(|entry| entry.part == "offloaded_activations").expect("30 inputs");
/// assert_eq!(offloaded.bytes, 30 * 2 * 8192 * 4096);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`super::ledger()`], and combinations that have no rule.
pub fn run_ledger(model: &Model, run: &Run) -> Result<RunLedger, LedgerError> {
    let facts = Facts::of(model)?;
    let Device { lines, offloaded, .. } = device(model, &facts, run)?;
    let floor = step_floor(&lines, &facts, run)?;
    around(lines, floor, &facts, run, load::host(run.load, facts.parameters, facts.largest)?, offloaded)
}

/// The ledger of the device with the host's side of it.
pub(super) fn around(
    lines: Vec<Line>,
    floor: u64,
    facts: &Facts,
    run: &Run,
    mut host: Vec<Entry>,
    offloaded: Option<Term>,
) -> Result<RunLedger, LedgerError> {
    let floors = floors::floors(&lines, floor)?;
    let mut moved = Vec::new();
    let entry = |object, part, span, term: Term| {
        let (bytes, formula) = term.finish(part)?;
        Ok::<Entry, LedgerError>(Entry { object, part: Cow::Borrowed(part), span, bytes, formula })
    };
    let step = Span::new(Phase::Forward, Phase::Step);
    if let Some(states) = states::paged(facts, run.workload.optimizer) {
        host.push(entry(Object::OptimizerState, "host_states", step, states.clone())?);
        moved.push(entry(Object::OptimizerState, "moved_states", Span::only(Phase::Step), n(2) * states)?);
    }
    if let Some(activations) = offloaded {
        let span = Span::new(Phase::Forward, Phase::Backward);
        host.push(entry(Object::Activation, "offloaded_activations", span, activations.clone())?);
        let twice = n(2) * n(run.micro_batches) * activations;
        moved.push(entry(Object::Activation, "moved_activations", span, twice)?);
    }
    let mut host_peak = 0;
    for phase in Phase::ALL {
        let alive = host.iter().filter(|entry| entry.span.contains(phase)).map(|entry| entry.bytes);
        host_peak = host_peak.max(sum("host", alive)?);
    }
    Ok(RunLedger { device: finish(lines, floor)?, host, host_peak, moved, floors })
}
