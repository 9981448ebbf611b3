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

    /// Our word for one of the quantisation pages'; `None` for any other word.
    pub fn from_word(word: &str) -> Option<Self> {
        match Meaning::of(word)? {
            Meaning::Concludes(word) => Some(word),
            Meaning::Waits | Meaning::Ran => None,
        }
    }
}

/// What a word that the course's files use as a decision means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// It concludes.
    Concludes(Word),
    /// It waits for a run, or for a person.
    Waits,
    /// It says that a stage ran, and concludes nothing from it.
    Ran,
}

impl Meaning {
    /// The fourteen words that files of the course use, and what people write for its three, in whatever case; `None` for
    /// any other word.
    pub fn of(word: &str) -> Option<Self> {
        let plain = word.trim().to_lowercase().replace([' ', '-'], "_");
        Some(match plain.as_str() {
            // Page 41 goes on with a candidate that it accepts.
            "accept" | "accepted" | "adopt" | "continue" | "采用" | "采纳" | "接受" => {
                Meaning::Concludes(Word::Accept)
            }
            "tune" | "调整" | "调优" => Meaning::Concludes(Word::Tune),
            "reject" | "rejected" | "fallback" | "fall_back" | "回退" | "拒绝" => Meaning::Concludes(Word::Reject),
            "pending"
            | "measure"
            | "ready_to_measure"
            | "not_started"
            | "not_evaluated"
            | "ready_for_review"
            | "reject_until_environment_fixed"
            | "stage_unavailable" => Meaning::Waits,
            "stage_completed" | "pipeline_completed" => Meaning::Ran,
            _ => return None,
        })
    }
}

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
