//! What a report concludes, and the limits it was concluded under.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ServingLimits;

/// The three words a report may conclude with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Word {
    /// Adopt the candidate.
    Accept,
    /// A partial benefit, or evidence still missing.
    Tune,
    /// Fall back to the baseline.
    Reject,
}

impl Word {
    pub const ALL: [Word; 3] = [Word::Accept, Word::Tune, Word::Reject];

    pub const fn id(self) -> &'static str {
        match self {
            Word::Accept => "accept",
            Word::Tune => "tune",
            Word::Reject => "reject",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.id() == id)
    }

    /// Our word for one of the public course's; `None` for a word that concludes nothing yet and for an unknown one.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::from_id(word).or(match word {
            // Page 41 goes on with a candidate.
            "continue" => Some(Word::Accept),
            "reject_until_environment_fixed" => Some(Word::Reject),
            _ => None,
        })
    }

    /// Whether a word of the public course leaves the conclusion open.
    pub fn is_open(word: &str) -> bool {
        OPEN.contains(&word)
    }
}

/// Words of the public course that conclude nothing: something is still to be measured, judged or compared.
const OPEN: [&str; 9] = [
    "pending",
    "measure",
    "ready_to_measure",
    "not_started",
    "not_evaluated",
    "ready_for_review",
    "stage_completed",
    "stage_unavailable",
    "pipeline_completed",
];

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    pub decision: Word,
    /// A reason code, or a sentence.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<String>,
}

/// The limits a candidate must keep and the gains it must bring.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Highest allowed peak of allocated memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_cap_bytes: Option<u64>,
    /// Lowest allowed samples per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_samples_per_s: Option<f64>,
    /// The smallest saving that counts as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_memory_saving_bytes: Option<u64>,
    /// Lowest allowed throughput relative to the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_throughput_ratio: Option<f64>,
    /// Highest allowed held-out loss, nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_eval_loss: Option<f64>,
    /// The smallest gain in step time that counts as one, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_step_time_saving_ms: Option<f64>,
    /// The smallest speed-up (baseline time / candidate time) that counts as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_speedup: Option<f64>,
    /// Largest allowed error against the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_abs_error: Option<f64>,
    /// Limits of serving, quantisation and several devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving: Option<ServingLimits>,
}
