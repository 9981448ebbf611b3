//! Training on many cards: every axis at once.
//!
//! The ledger of a rank is that of [`crate::training`] over the rank's share of the model, line by line: weights,
//! gradients and states of its tensors, activations of its layers, heads and tokens. On one rank it is the single
//! card's ledger exactly. What sharing adds:
//!
//! * **tensor**: heads, feed-forward widths and the vocabulary are divided (the vocabulary padded), norms, routers,
//!   biases of row-parallel layers and latent down-projections repeated; key-value heads repeated where there are
//!   fewer of them than ranks. With **sequence** parallelism norms and layer inputs keep their share of the tokens.
//! * **pipeline**: layers are divided; the first stage holds the embedding and waits for most micro-batches, the last
//!   holds the final norm, the head (a copy of a tied one) and the logits.
//! * **expert**: routed experts are divided. Tokens are taken to be routed evenly, so that activations stay the same.
//! * **context**: tokens of a sequence are divided; two blocks of keys and values pass around the ring.
//! * **ZeRO** divides states, gradients, weights tensor by tensor among the data and context ranks, shares rounded up;
//!   a unit (layer, embedding, head) and the next layer are whole for a moment, and a unit's gradients before they
//!   are reduced. Autocast's weight copies stay whole.
//! * several **micro-batches** keep the sum of gradients alive through the passes.
//!
//! Assumed: gradients are views into the buckets in which they are reduced; a stage drops what it has sent.

use serde::{Deserialize, Serialize};

use super::{
    Mesh, Offload, Place, Schedule, Traffic, ZeroStage,
    rank::{self, Shard},
    stage::{Stage, stages},
    traffic,
};
use crate::{
    LedgerError, Model, Object, Text,
    formula::sum,
    training::{Optimizer, Training, TrainingLedger, pieces},
};

/// A training step on a mesh of ranks.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distributed {
    /// `batch` is the sequences per micro-batch and data rank, `seq` the tokens of a whole sequence.
    pub training: Training,
    /// Micro-batches per step and data rank.
    pub micro_batches: u64,
    pub mesh: Mesh,
    pub zero: ZeroStage,
    pub offload: Offload,
}

impl Distributed {
    /// Sequences per step: data ranks × micro-batches × sequences of one.
    ///
    /// # Errors
    /// A product of 2⁶⁴ and more.
    pub fn global_batch(&self) -> Result<u64, LedgerError> {
        crate::formula::product("global_batch", &[self.mesh.data, self.micro_batches, self.training.batch])
    }

    pub(crate) fn check(&self, model: &Model) -> Result<(), LedgerError> {
        pieces::check(model, &self.training)?;
        self.mesh.check(model, self.training.seq, self.micro_batches)?;
        self.check_step()
    }

    /// What does not depend on the model.
    pub(crate) fn check_step(&self) -> Result<(), LedgerError> {
        self.offload.check(self.zero)?;
        let several = self.mesh.tensor > 1 || self.mesh.replicas() > 1;
        match self.training.optimizer {
            Optimizer::Muon if several => {
                return Err(LedgerError::NotModelled { what: "Muon over matrices of which ranks hold shares" });
            }
            Optimizer::PagedAdamW | Optimizer::PagedAdamW8bit if several || self.offload != Offload::NONE => {
                return Err(LedgerError::NotModelled { what: "paged optimizer states beside other ranks or offload" });
            }
            _ => {}
        }
        if self.training.optimizer == Optimizer::AdamWInBackward {
            if self.micro_batches > 1 {
                return Err(LedgerError::Contradiction {
                    field: "micro_batches",
                    value: self.micro_batches,
                    other: "micro_batches of an optimizer in the backward pass",
                    other_value: 1,
                    why: "a gradient that is applied as it appears cannot be added up",
                });
            }
            if self.offload.states != Place::Device {
                return Err(LedgerError::NotModelled { what: "an offloaded optimizer in the backward pass" });
            }
        }
        Ok(())
    }
}

/// The ledger of the ranks of one kind of stage. All tensor, data, expert and context ranks of it hold the same.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankLedger {
    /// The first stage of that kind, counted from 0.
    pub stage: u64,
    /// Stages of that kind, from `stage` on: they hold the same tensors, and later ones wait for fewer micro-batches.
    pub alike: u64,
    /// The embedding lies here.
    pub first: bool,
    /// Head and logits lie here.
    pub last: bool,
    pub layers: u64,
    /// Micro-batches, or chunks of them where stages are interleaved, whose activations are held at once.
    pub live: u64,
    pub ledger: TrainingLedger,
    /// Bytes in the host's memory.
    pub host: u64,
    /// Bytes on a drive.
    pub nvme: u64,
    /// Bytes of optimizer states among them.
    pub states_on_drive: u64,
}

/// Ledgers of all kinds of ranks, and what travels between them.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelLedger {
    /// One per kind of stage, in the order of the pipeline.
    pub ranks: Vec<RankLedger>,
    /// Which of `ranks` has the highest peak; of equals the earliest.
    pub worst: usize,
    /// What each rank sends in a step, by axis and purpose.
    pub traffic: Vec<Traffic>,
}

impl ParallelLedger {
    /// The rank with the highest peak.
    pub fn worst(&self) -> Option<&RankLedger> {
        self.ranks.get(self.worst)
    }

    /// Why the worst rank is the worst.
    pub fn why(&self) -> Text {
        let Some(rank) = self.worst() else { return Text::new("", "") };
        let cause = crate::part_name(&rank.ledger.peak.cause_part).unwrap_or_else(|| {
            let slug = rank.ledger.peak.cause_part.clone();
            Text { zh: slug.clone(), en: slug }
        });
        if self.ranks.len() <= 1 {
            return Text::new(
                format!("所有卡持有的一样多；峰值由“{}”造成。", cause.zh),
                format!("All ranks hold the same; the peak is due to {}.", cause.en),
            );
        }
        let (zh, en) = match (rank.first, rank.last) {
            (true, _) => {
                ("它存放词嵌入，等待反向的微批次也最多", "it holds the embedding and waits for most micro-batches")
            }
            (_, true) => ("它存放输出头与 logits", "it holds the output head and the logits"),
            _ => ("它的层保存得最多", "its layers save most"),
        };
        Text::new(
            format!("第 {} 级最紧：{zh}；峰值由“{}”造成。", rank.stage, cause.zh),
            format!("Stage {} is the tightest: {en}; the peak is due to {}.", rank.stage, cause.en),
        )
    }
}

/// Predicts the memory of every kind of rank and the traffic of a step.
///
/// ```
/// use ledger::{catalogue, parallel::{self, Distributed, Mesh, Offload, ZeroStage}};
/// use ledger::training::{Checkpointing, Optimizer, Precision, Training};
/// let model = catalogue::model("Llama-3-70B").expect("in the catalogue");
/// let training = Training {
///     precision: Precision::Bf16Master,
///     optimizer: Optimizer::AdamWFused,
///     batch: 1,
///     seq: 4096,
///     checkpointing: Checkpointing::EveryLayer,
/// };
/// let mesh = Mesh { tensor: 8, sequence: true, pipeline: 4, data: 2, ..Mesh::SINGLE };
/// let step = Distributed { training, micro_batches: 8, mesh, zero: ZeroStage::One, offload: Offload::NONE };
/// let ledger = parallel::ledger(model, &step)?;
/// // First, middle and last stage differ; the middle one stands for two.
/// assert_eq!(ledger.ranks.iter().map(|rank| rank.alike).collect::<Vec<_>>(), [1, 2, 1]);
/// assert!(ledger.worst().is_some_and(|rank| rank.ledger.peak.bytes < 80_000_000_000));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// What does not divide, by name; a step that the single card's ledger refuses; or a sum of 2⁶⁴ bytes and more.
pub fn ledger(model: &Model, how: &Distributed) -> Result<ParallelLedger, LedgerError> {
    how.check(model)?;
    let shards = stages(model, &how.mesh)
        .into_iter()
        .map(|stage| Shard::of(model, &how.mesh, stage))
        .collect::<Result<Vec<_>, _>>()?;
    let ranks = shards.iter().map(|shard| rank_ledger(model, shard, how)).collect::<Result<Vec<_>, _>>()?;
    // Of equals the earliest.
    let worst = (0..ranks.len()).rev().max_by_key(|at| ranks[*at].ledger.peak.bytes).unwrap_or(0);
    let loads: Vec<_> = shards.iter().map(traffic::Load::of).collect();
    let drive: Vec<u64> = ranks.iter().map(|rank| rank.states_on_drive).collect();
    let traffic = traffic::of_step(model, &loads, how, &drive)?;
    Ok(ParallelLedger { ranks, worst, traffic })
}

fn rank_ledger(model: &Model, shard: &Shard, how: &Distributed) -> Result<RankLedger, LedgerError> {
    let (lines, elsewhere) = rank::lines(model, shard, how)?;
    let is_state = |object| {
        use Object::{Buffer, Gradient, OptimizerState, OptimizerTemporary, Parameter};
        matches!(object, Parameter | Gradient | OptimizerState | OptimizerTemporary | Buffer)
    };
    let states = lines.iter().filter(|line| is_state(line.entry.object));
    let floor = sum("optimizer_floor", states.map(|line| line.entry.bytes))?;
    let Stage { index, count, first, last, layers, .. } = shard.stage;
    Ok(RankLedger {
        stage: index,
        alike: count,
        first,
        last,
        layers,
        live: how.mesh.live_chunks(index, how.micro_batches),
        ledger: pieces::finish(lines, floor)?,
        host: elsewhere.host,
        nvme: elsewhere.nvme,
        states_on_drive: elsewhere.states_on_drive,
    })
}

impl Schedule {
    /// The schedule in words.
    pub fn name(self) -> Text {
        match self {
            Schedule::GPipe => Text::new("GPipe（先全部前向）", "GPipe (all forwards first)"),
            Schedule::OneForwardOneBackward => Text::new("1F1B", "1F1B"),
            Schedule::Interleaved { chunks } => Text::new(
                format!("交错 1F1B，每级 {chunks} 块"),
                format!("Interleaved 1F1B, {chunks} chunks per stage"),
            ),
        }
    }
}

impl ZeroStage {
    /// The stage in words.
    pub fn name(self) -> Text {
        match self {
            ZeroStage::Zero => Text::new("不切分（DP）", "Nothing divided (DP)"),
            ZeroStage::One => Text::new("ZeRO-1：切优化器状态", "ZeRO-1: optimizer states"),
            ZeroStage::Two => Text::new("ZeRO-2：再切梯度", "ZeRO-2: and gradients"),
            ZeroStage::Three => Text::new("ZeRO-3 / FSDP：再切权重", "ZeRO-3 / FSDP: and weights"),
        }
    }
}
