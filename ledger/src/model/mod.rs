//! What a transformer is, as far as memory is concerned.

mod counts;
mod family;
mod tensors;
mod validate;

use serde::{Deserialize, Serialize};

pub use family::Family;
pub use tensors::{Role, Tensors};

/// A decoder-only transformer. All sizes are counts of elements, layers or heads.
///
/// Built by [`crate::import_config`], taken from [`crate::catalogue`], or typed in field by field; every function
/// that takes a model checks it first, so that a contradiction is an error and never a wrong number.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    pub name: String,
    pub family: Family,
    pub vocab: u64,
    pub hidden: u64,
    pub layers: u64,
    /// Query heads.
    pub heads: u64,
    /// Key and value heads: `heads` for MHA, fewer for GQA, 1 for MQA.
    pub kv_heads: u64,
    pub head_dim: u64,
    /// Width of the feed-forward block (of the dense layers, where some are mixtures of experts).
    pub intermediate: u64,
    /// The longest sequence the model was made for (`max_position_embeddings`, `n_positions`).
    pub max_positions: u64,
    /// Rows of a learned position table; 0 where positions are rotary.
    #[serde(default)]
    pub position_table: u64,
    /// The output head is the embedding matrix itself.
    pub tied: bool,
    pub mlp: Mlp,
    pub norm: Norm,
    /// Norms per layer, each over `hidden`.
    pub norms_per_layer: u64,
    /// Queries and keys are normalised per head over `head_dim`.
    #[serde(default)]
    pub qk_norm: bool,
    #[serde(default)]
    pub biases: Biases,
    /// Layers that attend to a window only.
    #[serde(default)]
    pub window: Option<Window>,
    /// One learned attention sink per query head and layer.
    #[serde(default)]
    pub sinks: bool,
    #[serde(default)]
    pub experts: Option<Experts>,
    #[serde(default)]
    pub latent: Option<Latent>,
}

/// The shape of the feed-forward block.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mlp {
    /// Three matrices, SiLU or GELU on the gate branch (SwiGLU, GeGLU).
    Gated,
    /// Two matrices around an activation function.
    Plain,
}

/// The normalisation layer.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// A weight, no bias.
    Rms,
    /// A weight and a bias.
    Layer,
}

/// Which linear layers carry a bias vector.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Biases {
    /// Query, key and value projections.
    pub qkv: bool,
    /// The projection after attention.
    pub out: bool,
    /// All projections of the feed-forward block.
    pub mlp: bool,
    /// The output head.
    pub head: bool,
}

/// Sliding-window attention.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Tokens a sliding layer attends to, its own included.
    pub tokens: u64,
    /// How many layers slide; the others attend to everything.
    pub layers: u64,
}

/// Mixture of experts in place of the dense feed-forward block.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experts {
    /// Routed experts per layer.
    pub total: u64,
    /// Routed experts that one token uses.
    pub per_token: u64,
    /// Width of one routed expert.
    pub intermediate: u64,
    /// Width of all shared experts together; 0 where there are none.
    #[serde(default)]
    pub shared_intermediate: u64,
    /// Layers that keep the dense block.
    #[serde(default)]
    pub dense_layers: u64,
    /// Router and experts carry bias vectors.
    #[serde(default)]
    pub biases: bool,
    /// A gate of its own weighs the shared experts.
    #[serde(default)]
    pub shared_gate: bool,
    /// The router keeps a correction per expert that is a buffer, not a parameter.
    #[serde(default)]
    pub correction: bool,
}

/// Multi-head latent attention: the cache holds one compressed vector per token.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latent {
    /// Rank of the query compression; `None` where queries are projected directly.
    pub q_rank: Option<u64>,
    pub kv_rank: u64,
    pub nope_dim: u64,
    pub rope_dim: u64,
    pub value_dim: u64,
}
