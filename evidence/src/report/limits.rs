//! The limits of the labs about inference and several devices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gains a candidate must bring and costs it may have. What a lab does not ask for is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServingLimits {
    /// Smallest gain in throughput as a share of the baseline's: 0.10 is ten percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_throughput_gain_ratio: Option<f64>,
    /// Smallest gain in throughput in its own unit (tokens or samples a second).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_throughput_gain: Option<f64>,
    /// By how many milliseconds the first token may come later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ttft_regression_ms: Option<f64>,
    /// Smallest gain in latency, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_latency_saving_ms: Option<f64>,
    /// Largest error against the unquantised weights, in the report's own measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_error: Option<f64>,
    /// Lowest share of proposed tokens that are kept, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_acceptance_rate: Option<f64>,
    /// By how many milliseconds verification may cost more than the baseline's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_verify_cost_ms: Option<f64>,
    /// Smallest gain in the share of requests that find a prefix, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_hit_rate_gain: Option<f64>,
    /// Largest cost of keeping the cache, as a share of the work, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_overhead: Option<f64>,
    /// Lowest fairness, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_fairness: Option<f64>,
    /// Largest (most − fewest) / mean of the loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_imbalance: Option<f64>,
    /// Lowest stability, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_stability: Option<f64>,
    /// Most tokens above the experts' capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_overflow: Option<f64>,
    /// By how many milliseconds communication may grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_communication_ms: Option<f64>,
    /// Largest share of the single replica's time that communication may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_communication_ratio: Option<f64>,
    /// Lowest share of greedily decoded tokens that agree with the baseline, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_greedy_agreement: Option<f64>,
}

impl ServingLimits {
    /// The stricter of two limits, field by field; the one that is there.
    pub(crate) fn stricter(&self, other: &Self) -> Self {
        use crate::decide::{at_least, at_most};
        Self {
            min_throughput_gain_ratio: at_least(self.min_throughput_gain_ratio, other.min_throughput_gain_ratio),
            min_throughput_gain: at_least(self.min_throughput_gain, other.min_throughput_gain),
            max_ttft_regression_ms: at_most(self.max_ttft_regression_ms, other.max_ttft_regression_ms),
            min_latency_saving_ms: at_least(self.min_latency_saving_ms, other.min_latency_saving_ms),
            max_error: at_most(self.max_error, other.max_error),
            min_acceptance_rate: at_least(self.min_acceptance_rate, other.min_acceptance_rate),
            max_verify_cost_ms: at_most(self.max_verify_cost_ms, other.max_verify_cost_ms),
            min_hit_rate_gain: at_least(self.min_hit_rate_gain, other.min_hit_rate_gain),
            max_overhead: at_most(self.max_overhead, other.max_overhead),
            min_fairness: at_least(self.min_fairness, other.min_fairness),
            max_imbalance: at_most(self.max_imbalance, other.max_imbalance),
            min_stability: at_least(self.min_stability, other.min_stability),
            max_overflow: at_most(self.max_overflow, other.max_overflow),
            max_communication_ms: at_most(self.max_communication_ms, other.max_communication_ms),
            max_communication_ratio: at_most(self.max_communication_ratio, other.max_communication_ratio),
            min_greedy_agreement: at_least(self.min_greedy_agreement, other.min_greedy_agreement),
        }
    }
}
