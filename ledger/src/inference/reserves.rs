//! What a serving process takes beside weights, cache and activations: named assumptions, each to be edited.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    Entry, LedgerError, Object, Phase, Span,
    formula::{b, sum},
    units::MIB,
};

/// Bytes set aside. None of them follows from a model: measure them on the machine at hand and type them in.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserves {
    /// The driver's context with loaded kernels: what `nvidia-smi` shows of a process before its first tensor.
    pub context: u64,
    /// Workspaces of cuBLAS and its like.
    pub workspaces: u64,
    /// Captured CUDA graphs with their private pools.
    pub graphs: u64,
    /// Buffers of NCCL's channels; a single GPU has none.
    pub nccl: u64,
}

impl Reserves {
    pub const NONE: Reserves = Reserves { context: 0, workspaces: 0, graphs: 0, nccl: 0 };
    /// What pages propose for one GPU, together as much as [`super::Inference::DEFAULT_RESERVE`]: contexts commonly
    /// take 300–600 MiB, PyTorch's cuBLAS workspace on Hopper is 32 MiB, captured graphs take some hundred MiB.
    pub const TYPICAL: Reserves = Reserves { context: 500 * MIB, workspaces: 32 * MIB, graphs: 492 * MIB, nccl: 0 };

    fn all(self) -> [(&'static str, u64); 4] {
        [
            ("cuda_context", self.context),
            ("workspaces", self.workspaces),
            ("cuda_graphs", self.graphs),
            ("nccl_buffers", self.nccl),
        ]
    }

    /// Bytes of all together.
    ///
    /// # Errors
    /// A sum of 2⁶⁴ bytes and more.
    pub fn total(self) -> Result<u64, LedgerError> {
        sum("reserve", self.all().into_iter().map(|(_, bytes)| bytes))
    }

    /// One entry each, those of zero bytes left out.
    pub(super) fn entries(self) -> impl Iterator<Item = Entry> {
        self.all().into_iter().filter(|(_, bytes)| *bytes > 0).map(|(part, bytes)| Entry {
            object: if part == "nccl_buffers" { Object::Communication } else { Object::Context },
            part: Cow::Borrowed(part),
            span: Span::new(Phase::Load, Phase::Decode),
            bytes,
            formula: b(bytes).text(),
        })
    }
}
