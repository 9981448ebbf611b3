//! What a serving run measures beside bytes: times of requests, rates, and what its strategy counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time over many requests, milliseconds. A file that gives one number gives the mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Times {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
}

impl Times {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The value that two runs are compared by: the median, else the mean, else the lowest percentile there is.
    pub fn typical(&self) -> Option<f64> {
        self.p50.or(self.mean).or(self.p95).or(self.p99)
    }
}

/// Requests answered by a server or by a simulator of one. Absent means not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Serving {
    /// Time to the first token, milliseconds.
    #[serde(skip_serializing_if = "Times::is_empty")]
    pub ttft_ms: Times,
    /// Time per output token after the first: (end to end − first token) / (tokens − 1), milliseconds.
    #[serde(skip_serializing_if = "Times::is_empty")]
    pub tpot_ms: Times,
    /// End to end, milliseconds.
    #[serde(skip_serializing_if = "Times::is_empty")]
    pub e2e_ms: Times,
    /// Waiting before the work begins, milliseconds.
    #[serde(skip_serializing_if = "Times::is_empty")]
    pub queue_wait_ms: Times,
    /// Requests that were answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successful_requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_requests: Option<u64>,
    /// Answered requests as a share of all, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    /// Tokens of all answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens_mean: Option<f64>,
    /// From the first request to the last answer, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<f64>,
    /// Share of the time that prefill takes, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_share: Option<f64>,
    /// Share of the time that decoding takes, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_share: Option<f64>,
    /// From the first arrival to the last answer, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makespan_ms: Option<f64>,
    /// Busy time as a share of the makespan, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<f64>,
    /// 1 − (longest − shortest wait) / mean wait, never below 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// Bytes of cache handed from a prefill worker to a decode worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_handoff_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_handoff_ms: Option<f64>,
}

/// Speculative decoding: what a draft model proposed and the target model kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Speculative {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_tokens: Option<u64>,
    /// Tokens that the target model put in the place of a refused one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_tokens: Option<u64>,
    /// Accepted / proposed, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_tokens_per_round: Option<f64>,
    /// Time spent in the draft model, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_cost_ms: Option<f64>,
    /// Time spent verifying, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_cost_ms: Option<f64>,
}

/// A prefix cache: how much of the prompts it had already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PrefixCache {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub miss_tokens: Option<u64>,
    /// Share of the requests that found anything, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Share of the prompt tokens that were reused, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_reuse_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evictions: Option<u64>,
    /// What keeping the cache costs, as a share of the work, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<f64>,
    /// Where the hit rate comes from: a metric of the backend, a log, a simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate_evidence: Option<String>,
}

/// Weights in fewer bits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Quantised {
    /// Bits of one weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u64>,
    /// Bytes of what is stored: weights with their scales.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_bytes: Option<u64>,
    /// Bytes before / bytes after, as the report states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression_ratio: Option<f64>,
    /// One pass, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Rate in the workload's own unit (tokens or samples a second).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// Error against the unquantised weights, in the report's own measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The error that the report allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_budget: Option<f64>,
    /// Mean squared difference of the outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mse: Option<f64>,
    /// Share of greedily decoded tokens that agree with the baseline from the start, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greedy_prefix_agreement: Option<f64>,
}
