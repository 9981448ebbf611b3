//! What several devices measure: one number a rank, in the order of the ranks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers of the ranks of one step. An empty list means not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ranks {
    /// Milliseconds of one step, one a rank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub step_time_ms: Vec<f64>,
    /// Peak of allocated memory, one a rank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peak_allocated_bytes: Vec<u64>,
    /// Tokens that each rank's experts received.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub received_tokens: Vec<u64>,
    /// The slowest rank's step as the file states it, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_step_time_ms: Option<f64>,
    /// The highest peak as the file states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_peak_allocated_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<f64>,
    /// (most − fewest) / mean of the loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imbalance: Option<f64>,
    /// Milliseconds of one step spent in communication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communication_ms: Option<f64>,
    /// Tokens a second that an expert really processed: without those that overflowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_throughput: Option<f64>,
    /// Tokens a second that the router assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// Tokens above the experts' capacity: the sum of max(assigned − capacity, 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<f64>,
    /// The report's own measure of a stable training, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
}

impl Ranks {
    /// How many ranks the lists speak of: the longest one.
    pub fn count(&self) -> usize {
        self.step_time_ms.len().max(self.peak_allocated_bytes.len()).max(self.received_tokens.len())
    }
}
