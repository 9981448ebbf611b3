//! Which code runs a layer, and which of its parameters are trained: both decide about the saved tensors.

use serde::{Deserialize, Serialize};

/// The kernels of a layer.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    pub norm: NormKernel,
    pub attention: AttentionKernel,
    pub mlp: MlpKernel,
    pub dropout: Dropout,
    pub loss: LossKernel,
}

impl Implementation {
    /// Layers of transformers with `attn_implementation="sdpa"`: eager norms and activation functions, attention
    /// without a score matrix, no dropout.
    pub const TRANSFORMERS: Implementation = Implementation {
        norm: NormKernel::Eager,
        attention: AttentionKernel::Flash,
        mlp: MlpKernel::Eager,
        dropout: Dropout::None,
        loss: LossKernel::Fp32,
    };

    /// One fused kernel for each norm and activation function.
    pub const FUSED: Implementation =
        Implementation { norm: NormKernel::Fused, mlp: MlpKernel::Fused, ..Self::TRANSFORMERS };
}

/// How RMSNorm runs.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormKernel {
    /// transformers' module: FP32 copy of the input, normalised tensor in the input's format, reciprocal root.
    Eager,
    /// `F.rms_norm` where no fused kernel exists: both tensors in FP32.
    Composite,
    /// Saves its input and the reciprocal root.
    Fused,
}

/// How attention runs.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKernel {
    /// SDPA or FlashAttention that reads grouped key-value heads: saves q, k, v, output and the log-sum-exp.
    Flash,
    /// The same after `repeat_kv`: keys and values are saved once per query head.
    FlashRepeated,
    /// The score matrix is materialised and its softmax saved.
    Eager,
}

/// How the feed-forward block runs.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MlpKernel {
    /// The activation function and the product with the gate are separate operators; a tanh-GELU is written out.
    Eager,
    /// One kernel for the activation function (and the product with the gate).
    Fused,
}

/// Dropout in training.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dropout {
    None,
    /// Masks of one byte per number, as CUDA keeps them.
    ByteMask,
    /// Masks in the format of the input, as PyTorch on the CPU keeps them.
    WideMask,
}

/// How head and cross entropy run.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossKernel {
    /// Logits are raised to FP32, as transformers does.
    Fp32,
    /// The loss runs in the format of the logits.
    Native,
    /// Logits of so many tokens at a time, whose gradient is taken at once: they never exist as a whole (Liger's fused
    /// linear cross entropy). What waits for the backward instead are the gradients of the head's input and weight.
    Chunked { tokens: u64 },
}

/// Which parameters of a layer are trained. A frozen linear layer does not save its input, a frozen norm not its
/// normalised tensor.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trained {
    All,
    /// Gradients pass through, no parameter is trained.
    Nothing,
    /// LoRA of this rank on the query and value projections.
    LoraQueryValue {
        rank: u64,
    },
    /// LoRA of this rank on all seven projections.
    LoraAll {
        rank: u64,
    },
}
