//! What a training step needs, phase by phase.
//!
//! The ledger is that of the second step and later: the optimizer's states exist. Gradients are set to `None` between
//! steps, the script keeps the loss and drops the logits, attention goes through SDPA without dropout, norms and
//! rotary embeddings are the eager ones of transformers ([`Implementation::TRANSFORMERS`]).
//! Token ids and other tensors of a few kilobytes are left out here and counted in [`tracked`]. Not counted either: the
//! buffers of soft-capped logits (Gemma 2), the CUDA context and library workspaces, and what the allocator reserves
//! beyond what is allocated ([`crate::allocator`]).
//!
//! # Saved activations
//!
//! With `e` bytes per number, `T = batch × seq` tokens, `a` query heads, `k` key-value heads, `d` head size, `f`
//! feed-forward width and `h` hidden width, one layer saves (unique storages, parameters excluded; measured with
//! saved-tensor hooks on transformers' layers with SDPA, equal to the byte):
//!
//! * **Llama type**: `e·T·(2h + 2ad + 2kd + 4f) + 2T·norm + 4aT`. An eager RMSNorm saves `norm = 6h + 4` bytes per
//!   token in 16 bit (FP32 input, normalised output, reciprocal root) and `8h + 4` in FP32; `4aT` is the FP32
//!   log-sum-exp of attention. A norm of queries and keys adds `T·(a + k)·(6d + 4)`, in FP32 `(8d + 4)`.
//! * **GPT-2**: `e·T·(4h + 4ad + 5f) + 4Te + 4aT`: the eager tanh-GELU keeps three tensors of width `f` besides its
//!   input and output; `4Te` are mean and reciprocal deviation of two LayerNorms.
//! * **autocast** over FP32 parameters keeps the residual stream and the norms in FP32 and casts the input of every
//!   matrix product separately: Llama type `e·T·(5h + 2ad + 2kd + 4f) + 2T·(8h + 4) + 4aT`. For GPT-2 the form is
//!   derived from autocast's lists of operators (`pow` and `layer_norm` run in FP32), not measured.
//!
//! Other kernels and frozen parameters: [`Implementation`], [`Trained`], [`layer_bytes`]; parts that are computed again:
//! [`Recompute`]; matrix products in FP8: [`fp8`].
//!
//! [`ledger()`] takes a workload; [`run_ledger`] also how it is run ([`Run`]: kernels, micro-batches, offload, loader) and
//! tells what the host holds; [`lora_ledger`] trains adapters; [`by_layer`] draws the whole curve.

mod activations;
mod by_layer;
mod choice;
mod facts;
mod floor;
mod floors;
pub mod fp8;
mod head;
mod load;
mod lora;
mod moments;
mod optimizer;
mod precision;
mod recompute;
mod run;
mod states;
mod tracker;
mod words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use activations::{
    AttentionKernel, Dropout, Implementation, LossKernel, MlpKernel, NormKernel, Trained, expert_bytes,
    kept_layer_bytes, latent_attention_bytes, layer_bytes, rotary_table_bytes,
};
pub use by_layer::{Stage, StageTotal, by_layer};
pub use choice::{Checkpointing, UnknownChoice};
pub use floor::{optimizer_floor, state_bytes};
pub use floors::Floor;
pub use head::{log_softmax_bytes, loss_temporary_bytes};
pub use load::{Load, Loader};
pub use lora::{Lora, LoraBase, LoraMethod, LoraTargets, lora_ledger, lora_run_ledger};
pub use moments::{Moment, Part, PhaseTotal};
pub use optimizer::Optimizer;
pub use precision::Precision;
pub use recompute::Recompute;
pub use run::{GradientBuffer, Offload, Run, RunLedger, run_ledger};
pub use tracker::{Tracked, tracked};

/// Terms that expressions show with their formula.
pub(crate) mod head_terms {
    pub(crate) use super::head::log_softmax;
}
pub(crate) mod state_terms {
    pub(crate) use super::{
        activations::{Saves, saved},
        floor::{floor, per_parameter, states},
    };
}

/// What the parallel ledger puts together anew for the share of one rank.
pub(crate) mod pieces {
    pub(crate) use super::{Line, check, facts::Facts, finish, states::paged};
    use super::{Run, Training, activations::Saves, by_layer::turn};
    use crate::{LedgerError, Model};

    /// Weights, gradients, optimizer states.
    pub(crate) fn states(
        model: &Model,
        facts: &Facts,
        training: &Training,
        micro_batches: u64,
    ) -> Result<Vec<Line>, LedgerError> {
        let run = Run { micro_batches, ..Run::from(*training) };
        let mut lines = super::states::lines(model, facts, &run)?;
        turn(model, &run, facts, &[], &mut lines)?;
        Ok(lines)
    }

    /// What head and loss hold.
    pub(crate) fn head(model: &Model, training: &Training, frozen: bool) -> Result<Vec<Line>, LedgerError> {
        super::head::lines(model, training, super::LossKernel::Fp32, frozen)
    }

    /// What the layers save.
    pub(crate) fn activations(model: &Model, facts: &Facts, training: &Training) -> Result<Vec<Line>, LedgerError> {
        training.checkpointing.check(model.layers)?;
        let run = Run::from(*training);
        let mut saved = super::activations::lines(model, facts, &run, Saves::ALL)?;
        turn(model, &run, facts, &saved.sizes, &mut saved.lines)?;
        Ok(saved.lines)
    }
}

use crate::{Entry, LedgerError, Model, formula::Term, object::Span};

/// A training workload on one device.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Training {
    pub precision: Precision,
    pub optimizer: Optimizer,
    /// Sequences per micro-batch.
    pub batch: u64,
    /// Tokens per sequence.
    pub seq: u64,
    pub checkpointing: Checkpointing,
}

/// The entries of a training ledger, the totals per phase and the peak. All sizes in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingLedger {
    /// Every object with its largest size. They are not all alive together: see `phases`.
    pub entries: Vec<Entry>,
    /// Load, forward, backward and step, each at its highest moment.
    pub phases: Vec<PhaseTotal>,
    /// The highest phase; of equals the earliest.
    pub peak: PhaseTotal,
    /// Weights, gradients, states and the optimizer's temporary: what is alive in `step()`, whatever is done about
    /// activations. No activation strategy can bring the peak below it.
    pub floor: u64,
}

/// An entry and what is alive of it at each moment.
pub(crate) struct Line {
    pub(crate) entry: Entry,
    pub(crate) at: [u64; Moment::COUNT],
}

impl Line {
    /// An object that is wholly alive at the given moments.
    pub(crate) fn new(
        object: crate::Object,
        part: &'static str,
        term: Term,
        moments: &[Moment],
    ) -> Result<Option<Self>, LedgerError> {
        let (bytes, formula) = term.finish(part)?;
        let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return Ok(None) };
        if bytes == 0 {
            return Ok(None);
        }
        let span = Span::new(first.phase(), last.phase());
        let mut at = [0; Moment::COUNT];
        for moment in moments {
            at[moment.index()] = bytes;
        }
        // Like the last layers' backward, unless the curve turns.
        for moment in Moment::TURNS {
            at[moment.index()] = at[Moment::LayersBackward.index()];
        }
        Ok(Some(Self { entry: Entry { object, part: Cow::Borrowed(part), span, bytes, formula }, at }))
    }

    /// What is left of the object at one moment.
    fn reduced(mut self, moment: Moment, bytes: u64) -> Self {
        self.at[moment.index()] = bytes.min(self.entry.bytes);
        if moment == Moment::LayersBackward {
            for turn in Moment::TURNS {
                self.at[turn.index()] = self.at[moment.index()];
            }
        }
        self
    }
}

/// Predicts the memory of a training step.
///
/// ```
/// use ledger::{catalogue, training::{self, Checkpointing, Optimizer, Precision, Training}};
/// let model = catalogue::model("Qwen2.5-0.5B").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::Fp32,
///     optimizer: Optimizer::AdamWForeach,
///     batch: 1,
///     seq: 256,
///     checkpointing: Checkpointing::None,
/// };
/// let ledger = training::ledger(model, &workload)?;
/// // 4 B each for weight, gradient, m, v and the temporary of the multi-tensor step.
/// assert_eq!(ledger.floor, 20 * 494_032_768);
/// assert_eq!(ledger.peak.bytes, ledger.floor);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// A batch or sequence of zero, an inconsistent model, a sequence beyond a learned position table, or a sum of 2⁶⁴
/// bytes and more.
pub fn ledger(model: &Model, workload: &Training) -> Result<TrainingLedger, LedgerError> {
    let facts = facts::Facts::of(model)?;
    let run = Run::from(*workload);
    let lines = device(model, &facts, &run)?.lines;
    let floor = step_floor(&lines, &facts, &run)?;
    finish(lines, floor)
}

/// What is alive in `step()`; of an optimizer in the backward pass, what its update holds there.
fn step_floor(lines: &[Line], facts: &facts::Facts, run: &Run) -> Result<u64, LedgerError> {
    match run.workload.optimizer {
        Optimizer::AdamWInBackward => {
            Ok(floor::floor_term(facts, run.workload.precision, run.workload.optimizer).finish("optimizer_floor")?.0)
        }
        _ => moments::bytes_at(lines, Moment::Step),
    }
}

/// The same step moment by moment: where memory rises and falls between the phases' peaks.
///
/// ```
/// use ledger::{catalogue, training::{self, Checkpointing, Moment, Optimizer, Precision, Training}};
/// let model = catalogue::model("SmolLM2-135M").expect("in the catalogue");
/// let workload = Training {
///     precision: Precision::PureBf16,
///     optimizer: Optimizer::AdamWFused,
///     batch: 1,
///     seq: 1024,
///     checkpointing: Checkpointing::None,
/// };
/// let timeline = training::timeline(model, &workload)?;
/// let highest = timeline.iter().max_by_key(|total| total.bytes).map(|total| total.moment);
/// assert_eq!(highest, Some(Moment::LossBackward));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`ledger`].
pub fn timeline(model: &Model, workload: &Training) -> Result<Vec<PhaseTotal>, LedgerError> {
    moments::timeline(&device(model, &facts::Facts::of(model)?, &Run::from(*workload))?.lines)
}

/// Totals of the phases, their peak, and the entries.
pub(crate) fn finish(lines: Vec<Line>, floor: u64) -> Result<TrainingLedger, LedgerError> {
    let phases = moments::phases(&lines)?;
    let peak = moments::highest(&phases);
    Ok(TrainingLedger { entries: lines.into_iter().map(|line| line.entry).collect(), phases, peak, floor })
}

/// Everything about a run that is not printed yet.
struct Device {
    lines: Vec<Line>,
    /// What of the activations is on the host.
    offloaded: Option<Term>,
    /// What each layer keeps.
    sizes: Vec<activations::Size>,
}

fn device(model: &Model, facts: &facts::Facts, run: &Run) -> Result<Device, LedgerError> {
    run::check(model, run)?;
    let mut lines = states::lines(model, facts, run)?;
    lines.extend(load::line(run.load, facts.parameters)?);
    let saved = activations::lines(model, facts, run, activations::Saves::ALL)?;
    lines.extend(saved.lines);
    lines.extend(head::lines(model, &run.workload, run.how.loss, false)?);
    by_layer::turn(model, run, facts, &saved.sizes, &mut lines)?;
    Ok(Device { lines, offloaded: saved.host, sizes: saved.sizes })
}

pub(crate) fn check(model: &Model, workload: &Training) -> Result<(), LedgerError> {
    model.validate()?;
    for (field, value) in [("batch", workload.batch), ("seq", workload.seq)] {
        if value == 0 {
            return Err(LedgerError::Zero { field });
        }
    }
    if model.position_table > 0 && workload.seq > model.position_table {
        return Err(LedgerError::BeyondPositions { seq: workload.seq, positions: model.position_table });
    }
    Ok(())
}
