//! Ranks along each axis, and what must divide what.

use serde::{Deserialize, Serialize};

use super::{Schedule, check_divides};
use crate::{LedgerError, Model, formula::product};

/// How many ranks there are along each axis. Tensor ranks are neighbours, then come context, data and pipeline
/// (Megatron's order `tp-cp-dp-pp`); expert ranks are taken from the data and context ranks of one stage.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mesh {
    pub data: u64,
    pub tensor: u64,
    /// Between its tensor-parallel regions a rank holds a share of the tokens only (Korthikanti et al. 2022).
    pub sequence: bool,
    pub pipeline: u64,
    /// Read where there are several stages.
    pub schedule: Schedule,
    pub expert: u64,
    /// Ranks that share the tokens of a sequence and pass keys and values around a ring.
    pub context: u64,
}

impl Mesh {
    /// One device.
    pub const SINGLE: Mesh = Mesh {
        data: 1,
        tensor: 1,
        sequence: false,
        pipeline: 1,
        schedule: Schedule::OneForwardOneBackward,
        expert: 1,
        context: 1,
    };

    /// All ranks: data × tensor × pipeline × context. Expert ranks are among the data and context ranks.
    ///
    /// ```
    /// use ledger::parallel::Mesh;
    /// assert_eq!(Mesh { data: 4, tensor: 8, pipeline: 2, ..Mesh::SINGLE }.ranks()?, 64);
    /// # Ok::<(), ledger::LedgerError>(())
    /// ```
    ///
    /// # Errors
    /// A product of 2⁶⁴ and more.
    pub fn ranks(&self) -> Result<u64, LedgerError> {
        product("ranks", &[self.data, self.tensor, self.pipeline, self.context])
    }

    /// Ranks that hold the same dense weights, and between which ZeRO divides: data × context.
    pub(crate) fn replicas(&self) -> u64 {
        self.data.saturating_mul(self.context)
    }

    /// Ranks that hold the same experts.
    pub(crate) fn expert_replicas(&self) -> u64 {
        self.replicas() / self.expert.max(1)
    }

    /// Pieces of the model on one stage.
    pub(crate) fn chunks(&self) -> u64 {
        match self.schedule {
            Schedule::Interleaved { chunks } if self.pipeline > 1 => chunks,
            _ => 1,
        }
    }

    /// Pieces of micro-batches whose activations stage `stage` holds at once, in chunks of a stage.
    ///
    /// GPipe: all of them. One forward, one backward: the stage and those behind it. Interleaved: Megatron's warm-up,
    /// `2(p − r − 1) + (v − 1)p` forward passes, and the one after it.
    pub(crate) fn live_chunks(&self, stage: u64, micro_batches: u64) -> u64 {
        if self.pipeline <= 1 {
            return 1;
        }
        let behind = self.pipeline - 1 - stage.min(self.pipeline - 1);
        match self.schedule {
            Schedule::GPipe => micro_batches,
            Schedule::OneForwardOneBackward => micro_batches.min(behind + 1),
            Schedule::Interleaved { chunks } => {
                let warm_up = behind.saturating_mul(2).saturating_add((chunks - 1).saturating_mul(self.pipeline));
                micro_batches.saturating_mul(chunks).min(warm_up.saturating_add(1)).max(chunks)
            }
        }
    }

    /// Tokens per sequence on one rank outside and inside the tensor-parallel regions.
    pub(crate) fn tokens(&self, seq: u64) -> (u64, u64) {
        let inside = seq / self.context.max(1);
        (if self.sequence { inside / self.tensor.max(1) } else { inside }, inside)
    }

    /// Checks that the model, a sequence of `seq` tokens and the micro-batches of a step can be divided like this.
    ///
    /// # Errors
    /// [`LedgerError::Zero`] for an axis of zero ranks; [`LedgerError::Contradiction`] with the number that must be a
    /// multiple and the number that must divide it.
    pub fn check(&self, model: &Model, seq: u64, micro_batches: u64) -> Result<(), LedgerError> {
        check_divides(model, self.tensor, self.pipeline, self.expert)?;
        for (field, value) in [
            ("data", self.data),
            ("context", self.context),
            ("chunks", self.chunks()),
            ("micro_batches", micro_batches),
        ] {
            if value == 0 {
                return Err(LedgerError::Zero { field });
            }
        }
        multiple("data × context", product("replicas", &[self.data, self.context])?, "expert", self.expert)?;
        if let Some(experts) = &model.experts {
            multiple("experts.intermediate", experts.intermediate, "tensor", self.tensor)?;
            multiple("experts.shared_intermediate", experts.shared_intermediate, "tensor", self.tensor)?;
        }
        if self.expert > 1 && self.tensor > 1 && !self.sequence {
            return Err(LedgerError::Contradiction {
                field: "expert",
                value: self.expert,
                other: "tensor",
                other_value: self.tensor,
                why: "experts beside tensor ranks need sequence parallelism, or each rank would send every token",
            });
        }
        if self.context > 1 {
            // A rank takes an early and a late piece of each sequence, so that causal attention is balanced.
            multiple("seq", seq, "2 × context", product("context", &[2, self.context])?)?;
        }
        if self.sequence {
            multiple("seq ÷ context", seq / self.context, "tensor", self.tensor)?;
        }
        if self.chunks() > 1 {
            multiple("layers", model.layers, "pipeline × chunks", product("chunks", &[self.pipeline, self.chunks()])?)?;
            multiple("micro_batches", micro_batches, "pipeline", self.pipeline)?;
        }
        Ok(())
    }
}

fn multiple(field: &'static str, value: u64, other: &'static str, other_value: u64) -> Result<(), LedgerError> {
    if value.is_multiple_of(other_value) {
        return Ok(());
    }
    Err(LedgerError::Contradiction { field, value, other, other_value, why: "it must be a multiple" })
}
