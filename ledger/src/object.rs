//! What lies in memory, and from when to when.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A kind of thing that occupies GPU memory.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    Parameter,
    Gradient,
    OptimizerState,
    OptimizerTemporary,
    Activation,
    Logits,
    Temporary,
    KvCache,
    Buffer,
    Communication,
    Context,
}

impl Object {
    pub const ALL: [Object; 11] = [
        Object::Parameter,
        Object::Gradient,
        Object::OptimizerState,
        Object::OptimizerTemporary,
        Object::Activation,
        Object::Logits,
        Object::Temporary,
        Object::KvCache,
        Object::Buffer,
        Object::Communication,
        Object::Context,
    ];

    /// The name used in reports and URLs; equal to the serialised form.
    pub const fn id(self) -> &'static str {
        match self {
            Object::Parameter => "parameter",
            Object::Gradient => "gradient",
            Object::OptimizerState => "optimizer_state",
            Object::OptimizerTemporary => "optimizer_temporary",
            Object::Activation => "activation",
            Object::Logits => "logits",
            Object::Temporary => "temporary",
            Object::KvCache => "kv_cache",
            Object::Buffer => "buffer",
            Object::Communication => "communication",
            Object::Context => "context",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|object| object.id() == id)
    }
}

/// A stage of a training step (`Load` to `Step`) or of serving a request (`Load`, `Prefill`, `Decode`).
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Load,
    Forward,
    Backward,
    Step,
    Prefill,
    Decode,
}

impl Phase {
    pub const ALL: [Phase; 6] =
        [Phase::Load, Phase::Forward, Phase::Backward, Phase::Step, Phase::Prefill, Phase::Decode];

    /// The name used in reports and URLs; equal to the serialised form.
    pub const fn id(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Forward => "forward",
            Phase::Backward => "backward",
            Phase::Step => "step",
            Phase::Prefill => "prefill",
            Phase::Decode => "decode",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.id() == id)
    }
}

/// The phases, both ends included, in which an entry is alive.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub from: Phase,
    pub to: Phase,
}

impl Span {
    pub const fn new(from: Phase, to: Phase) -> Self {
        Self { from, to }
    }

    /// An entry that lives in one phase only.
    pub const fn only(phase: Phase) -> Self {
        Self { from: phase, to: phase }
    }

    pub fn contains(self, phase: Phase) -> bool {
        self.from <= phase && phase <= self.to
    }
}

/// One line of a ledger.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub object: Object,
    /// Which thing of that kind, as a slug: `weights`, `kv`, `adam_m`, `foreach_temporary`, …
    pub part: Cow<'static, str>,
    pub span: Span,
    /// Bytes, exact.
    pub bytes: u64,
    /// The arithmetic that gives `bytes`, with its numbers filled in:
    /// `2 × 32 × 8 × 128 × 2 B × 8,192`. Symbols are language-neutral.
    pub formula: String,
}
