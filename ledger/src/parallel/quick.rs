//! The peak of [`super::ledger`] by table: the same bytes, without formulas.
//!
//! A search over layouts asks for thousands of peaks that share their parts. States depend on precision, optimizer and,
//! as gradients appear segment by segment, on checkpointing; saved tensors on precision and checkpointing. Both are
//! sums over the ledger's own lines; the rest of a choice (ZeRO, offload, micro-batches) only says which to add. Saved tensors grow linearly with the sequences of a
//! micro-batch: two sizes give the line, and a third is checked when a table is made.

use super::{
    Distributed, Mesh, Offload, Place, Traffic, ZeroStage,
    held::{Kind, Share},
    rank::{self, GRADIENTS, PASSES, Shard},
    stage::stages,
    traffic::{self, Load},
};
use crate::{
    LedgerError, Model,
    training::{Checkpointing, Moment, Optimizer, Precision, Training, pieces::Line},
};

const MOMENTS: usize = Moment::COUNT;
type Moments = [u64; MOMENTS];

/// A model on a mesh, its stages cut once.
pub struct Quick<'a> {
    model: &'a Model,
    mesh: Mesh,
    seq: u64,
    shards: Vec<Shard>,
    loads: Vec<Load>,
}

/// Sums of a kind of state lines, over whole tensors and over shares.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    at: [Moments; 2],
    /// What is kept from step to step.
    kept: [u64; 2],
}

/// States of one precision, optimizer and checkpointing on every kind of stage.
pub struct StateTable {
    precision: Precision,
    optimizer: Optimizer,
    checkpointing: Checkpointing,
    /// By [`Kind`], for one micro-batch per step and for several; and pages of states on the host.
    stages: Vec<([[Sums; Kind::ALL.len()]; 2], u64)>,
}

/// Bytes at `batch` sequences: `constant + batch × slope`.
#[derive(Debug, Clone, Copy, Default)]
struct Linear {
    constant: u64,
    slope: u64,
}

impl Linear {
    fn through(one: u64, two: u64, three: u64) -> Option<Self> {
        let slope = two.checked_sub(one)?;
        (three.checked_sub(two)? == slope).then_some(())?;
        Some(Self { constant: one.checked_sub(slope)?, slope })
    }

    fn at(self, batch: u64) -> u128 {
        u128::from(self.constant) + u128::from(self.slope) * u128::from(batch)
    }
}

/// Saved tensors of one precision and checkpointing on every kind of stage.
pub struct SavedTable {
    precision: Precision,
    checkpointing: Checkpointing,
    stages: Vec<([Linear; MOMENTS], Linear)>,
}

/// What the most loaded rank holds. Bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Peak on the card.
    pub peak: u64,
    /// The most that any rank holds at each moment, in the order of [`Moment::ALL`].
    pub moments: [u64; MOMENTS],
    pub host: u64,
    pub nvme: u64,
    /// Bytes that the optimizer's step reads and writes: states twice, gradients, weights twice.
    pub stepped: u64,
}

impl<'a> Quick<'a> {
    /// Cuts a model for a mesh and sequences of `seq` tokens.
    ///
    /// ```
    /// use ledger::{catalogue, parallel::{Distributed, Mesh, Offload, Quick, ZeroStage}};
    /// use ledger::training::{self, Checkpointing, Optimizer, Precision, Training};
    /// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
    /// let training = Training {
    ///     precision: Precision::PureBf16,
    ///     optimizer: Optimizer::AdamWFused,
    ///     batch: 2,
    ///     seq: 2048,
    ///     checkpointing: Checkpointing::None,
    /// };
    /// let quick = Quick::new(model, Mesh::SINGLE, training.seq)?;
    /// let states = quick.states(training.precision, training.optimizer, training.checkpointing)?;
    /// let saved = quick.saved(training.precision, training.checkpointing)?;
    /// let held = quick.held(&states, &saved, 2, 1, ZeroStage::Zero, Offload::NONE);
    /// assert_eq!(held.map(|held| held.peak), Some(training::ledger(model, &training)?.peak.bytes));
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// As [`super::ledger`]; micro-batches are checked where they are known.
    pub fn new(model: &'a Model, mesh: Mesh, seq: u64) -> Result<Self, LedgerError> {
        mesh.check(model, seq, mesh.pipeline)?;
        let shards = stages(model, &mesh)
            .into_iter()
            .map(|stage| Shard::of(model, &mesh, stage))
            .collect::<Result<Vec<_>, _>>()?;
        let loads = shards.iter().map(Load::of).collect();
        Ok(Self { model, mesh, seq, shards, loads })
    }

    pub(crate) fn shards(&self) -> &[Shard] {
        &self.shards
    }

    fn training(&self, precision: Precision, optimizer: Optimizer, batch: u64, how: Checkpointing) -> Training {
        Training { precision, optimizer, batch, seq: self.seq, checkpointing: how }
    }

    /// Weights, gradients and states.
    ///
    /// # Errors
    /// As [`super::ledger`].
    pub fn states(
        &self,
        precision: Precision,
        optimizer: Optimizer,
        checkpointing: Checkpointing,
    ) -> Result<StateTable, LedgerError> {
        let training = self.training(precision, optimizer, 1, checkpointing);
        let sums = |shard: &Shard, micro_batches| {
            let mut sums = [Sums::default(); Kind::ALL.len()];
            for (share, lines) in shard.states(&training, micro_batches)?.into_iter().enumerate() {
                for line in &lines {
                    let sum = &mut sums[Kind::of(line) as usize];
                    add(&mut sum.at[share], line)?;
                    if line.entry.object != crate::Object::OptimizerTemporary {
                        sum.kept[share] = sum.kept[share].checked_add(line.entry.bytes).ok_or_else(overflow)?;
                    }
                }
            }
            Ok::<_, LedgerError>(sums)
        };
        let of_stage = |shard: &Shard| Ok(([sums(shard, 1)?, sums(shard, 2)?], shard.paged(optimizer)?));
        let stages = self.shards.iter().map(of_stage).collect::<Result<_, LedgerError>>()?;
        Ok(StateTable { precision, optimizer, checkpointing, stages })
    }

    /// What layers and head save.
    ///
    /// # Errors
    /// As [`super::ledger`]; [`LedgerError::NotModelled`] if it does not grow linearly with the batch.
    pub fn saved(&self, precision: Precision, checkpointing: Checkpointing) -> Result<SavedTable, LedgerError> {
        let curved = LedgerError::NotModelled { what: "saved tensors that do not grow linearly with the batch" };
        let of_stage = |shard: &Shard| {
            let sizes = |batch| {
                let how = Distributed {
                    training: self.training(precision, Optimizer::Sgd, batch, checkpointing),
                    micro_batches: 1,
                    mesh: self.mesh,
                    zero: ZeroStage::Zero,
                    offload: Offload::NONE,
                };
                let lines = rank::saved(self.model, shard, &how)?;
                let mut at = [0; MOMENTS];
                for line in &lines {
                    add(&mut at, line)?;
                }
                Ok::<_, LedgerError>((at, rank::waiting(&lines)?))
            };
            let (one, two, three) = (sizes(1)?, sizes(2)?, sizes(3)?);
            let mut at = [Linear::default(); MOMENTS];
            for (moment, line) in at.iter_mut().enumerate() {
                *line = Linear::through(one.0[moment], two.0[moment], three.0[moment]).ok_or_else(|| curved.clone())?;
            }
            Ok((at, Linear::through(one.1, two.1, three.1).ok_or_else(|| curved.clone())?))
        };
        let stages = self.shards.iter().map(of_stage).collect::<Result<_, LedgerError>>()?;
        Ok(SavedTable { precision, checkpointing, stages })
    }

    /// What the most loaded rank holds; `None` where 64 bits do not suffice, and for tables of different precision or
    /// checkpointing. What [`Distributed`] refuses is not
    /// checked here: see [`Quick::allows`].
    pub fn held(
        &self,
        states: &StateTable,
        saved: &SavedTable,
        batch: u64,
        micro_batches: u64,
        zero: ZeroStage,
        offload: Offload,
    ) -> Option<Held> {
        let same = (states.precision, states.checkpointing) == (saved.precision, saved.checkpointing);
        same.then_some(())?;
        let several = usize::from(micro_batches > 1);
        let mut most = Held::default();
        for ((shard, (sums, pages)), (at, waiting)) in self.shards.iter().zip(&states.stages).zip(&saved.stages) {
            let mut total: [u128; MOMENTS] = std::array::from_fn(|moment| at[moment].at(batch));
            let (mut away, mut stepped) = ([0, *pages, 0], 0u64);
            for (kind, sums) in Kind::ALL.into_iter().zip(&sums[several]) {
                let Some((share, place)) = kind.held(zero, offload) else { continue };
                let share = share as usize;
                let kept = sums.kept[share];
                // The step works on a share of the weights as soon as the states are divided.
                let touched = match kind {
                    Kind::States => 2 * u128::from(kept),
                    Kind::Gradients => u128::from(kept),
                    Kind::Weights => 2 * u128::from(sums.kept[usize::from(zero >= ZeroStage::One)]),
                    Kind::Incoming | Kind::Whole => 0,
                };
                stepped = stepped.checked_add(u64::try_from(touched).ok()?)?;
                if place != Place::Device {
                    away[place as usize] = away[place as usize].checked_add(kept)?;
                    continue;
                }
                for (moment, total) in total.iter_mut().enumerate() {
                    *total += u128::from(sums.at[share][moment]);
                }
            }
            let [unit, next] = shard.gathered(zero, offload.weights);
            let gathered = u128::from(states.precision.weight_bytes()) * (u128::from(unit) + u128::from(next));
            let bucket = u128::from(states.precision.gradient_bytes()) * u128::from(shard.bucket(zero, offload.states));
            let (live, chunks) = (self.mesh.live_chunks(shard.stage.index, micro_batches), self.mesh.chunks());
            let behind = (u128::from(live.saturating_sub(chunks)) * waiting.at(batch)).div_ceil(u128::from(chunks));
            for moment in PASSES {
                total[moment.index()] += gathered + behind;
            }
            for moment in GRADIENTS {
                total[moment.index()] += bucket;
            }
            for (most, total) in most.moments.iter_mut().zip(total) {
                *most = u64::try_from(total).ok()?.max(*most);
            }
            most.host = most.host.max(away[Place::Host as usize]);
            most.nvme = most.nvme.max(away[Place::Nvme as usize]);
            most.stepped = most.stepped.max(stepped);
        }
        most.peak = most.moments.into_iter().max()?;
        Some(most)
    }

    /// Whether [`super::ledger`] accepts the choice.
    pub fn allows(&self, how: &Distributed) -> bool {
        how.check(self.model).is_ok()
    }

    /// [`Quick::allows`] for a mesh, model and sequence that are known to go together.
    pub(crate) fn allows_micro_batches(&self, how: &Distributed) -> bool {
        let whole = self.mesh.chunks() <= 1 || how.micro_batches.is_multiple_of(self.mesh.pipeline);
        whole && how.check_step().is_ok()
    }

    /// The step that a choice from the tables makes.
    pub fn step(
        &self,
        states: &StateTable,
        saved: &SavedTable,
        batch: u64,
        micro_batches: u64,
        zero: ZeroStage,
        offload: Offload,
    ) -> Distributed {
        let training = self.training(states.precision, states.optimizer, batch, saved.checkpointing);
        Distributed { training, micro_batches, mesh: self.mesh, zero, offload }
    }

    /// The traffic of a step, line by line; `None` where 64 bits do not suffice.
    pub(crate) fn traffic(&self, states: &StateTable, how: &Distributed, mut then: impl FnMut(Traffic)) -> Option<()> {
        let share = if how.zero >= ZeroStage::One { Share::Divided } else { Share::Whole };
        let mut drive = [0u64; 16];
        for (at, (sums, _)) in states.stages.iter().enumerate() {
            *drive.get_mut(at)? = sums[0][Kind::States as usize].kept[share as usize];
        }
        traffic::each(self.model, &self.loads, how, &drive, &mut then)
    }
}

fn add(sums: &mut Moments, line: &Line) -> Result<(), LedgerError> {
    for (sum, bytes) in sums.iter_mut().zip(line.at) {
        *sum = sum.checked_add(bytes).ok_or_else(overflow)?;
    }
    Ok(())
}

fn overflow() -> LedgerError {
    LedgerError::Overflow { what: "total", formula: "Σ total".to_owned() }
}
