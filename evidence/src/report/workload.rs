//! What must be equal for two runs to be comparable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workload, tagged by its kind, so that training and inference evidence stay apart.
///
/// In JSON: `{"training": {…}}`, `{"kernel": {…}}`, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    Training(Training),
    Inference(Inference),
    Kernel(Kernel),
    Distributed(Distributed),
}

impl Workload {
    pub const fn kind(&self) -> &'static str {
        match self {
            Workload::Training(_) => "training",
            Workload::Inference(_) => "inference",
            Workload::Kernel(_) => "kernel",
            Workload::Distributed(_) => "distributed",
        }
    }
}

/// A training step. A field that the file does not state is absent, and two absent fields do not match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// The model's Hugging Face id or catalogue name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The workload's label (`smoke`, `pressure`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// In which the parameters are stored: `fp32`, `bf16`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param_dtype: Option<String>,
    /// In which the matrix products are computed; for autocast it differs from `param_dtype`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_dtype: Option<String>,
    /// How FP32 products are computed: `ieee`, `tf32`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matmul_precision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// Untimed steps before the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<u64>,
    /// Timed steps of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iters: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Framework and its version (`torch 2.11.0+cu128`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
}

/// Serving requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inference {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_dtype: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_dtype: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
    /// Requests of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The requests' file or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Requests before the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u64>,
    /// How prefixes are kept (`default`, `prefix_cache`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_policy: Option<String>,
    /// Server and its version (`vllm 0.11.0`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
}

/// One operation on given shapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The operation (`rmsnorm`, …).
    pub operation: String,
    /// Its sizes by name (`rows`, `hidden`, …).
    #[serde(default)]
    pub shape: std::collections::BTreeMap<String, u64>,
    /// In which the tensors are stored.
    pub dtype: String,
    #[serde(default)]
    pub warmup: u64,
    #[serde(default)]
    pub iters: u64,
    #[serde(default)]
    pub seed: u64,
}

/// One step over several devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Distributed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param_dtype: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accumulation: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<u64>,
    /// Width of a layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<u64>,
    /// Tokens that each rank sends to the experts in one step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_rank: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u64>,
}
