//! What a training report holds, in whichever form it was written.

use serde_json::Value;

use crate::{Document, Shape};

/// A place in the chain 73 → 76 → 75 → 74, or beside it. The labs' own files and the normalised copies of them
/// (`training-memory-benchmark/v1`) say the same things, and the checks ask for what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// 73: a baseline and a tuned run.
    Pair,
    /// 73: one BF16 run.
    Probe,
    /// 76: strategies against a baseline.
    Strategies,
    /// 75: a budget decision on the numbers of 76.
    Budget,
    /// 74: times and operators under a profiler.
    Profile,
    /// 74: what the other reports say, put together.
    Merge,
    /// 74: one change, measured before and after.
    Change,
    /// 60: LoRA against full fine-tuning.
    FineTuning,
    /// 12, 19, 42: one mechanism, with and without.
    Mechanism,
}

impl Stage {
    pub(crate) const fn is_73(self) -> bool {
        matches!(self, Stage::Pair | Stage::Probe)
    }

    /// Told by the shape, and for a shape of several labs by the file's own stage, then by its project.
    pub(crate) fn of(shape: Shape, raw: &Value) -> Option<Self> {
        Some(match shape {
            Shape::Lab73Paired => Stage::Pair,
            Shape::Lab73Probe => Stage::Probe,
            Shape::Lab76 => Stage::Strategies,
            Shape::Lab75 => Stage::Budget,
            Shape::Lab74Profile => Stage::Profile,
            Shape::Lab74Merge if raw.get("candidates").is_some() => Stage::Change,
            Shape::Lab74Merge => Stage::Merge,
            Shape::FineTuning => Stage::FineTuning,
            Shape::TrainingMechanism => Stage::Mechanism,
            Shape::TrainingMemoryV1 => return Self::normalised(raw),
            _ => return None,
        })
    }

    fn normalised(raw: &Value) -> Option<Self> {
        let by_stage = match raw.get("stage").and_then(Value::as_str) {
            Some("measurement_baseline") => Some(Stage::Pair),
            Some("bf16_capacity_probe") => Some(Stage::Probe),
            Some("activation_checkpoint_offload_benchmark") => Some(Stage::Strategies),
            Some("memory_budget_decision") => Some(Stage::Budget),
            _ => None,
        };
        let by_project = || match crate::import::project_number(raw).as_str() {
            "73" => Some(Stage::Pair),
            "76" => Some(Stage::Strategies),
            "75" => Some(Stage::Budget),
            _ => None,
        };
        let names = || {
            let items = raw.get("candidates").and_then(Value::as_array)?;
            Some(items.iter().filter_map(|item| item.get("name")?.as_str()).collect::<Vec<_>>())
        };
        // A pair without a baseline that was measured alone is the probe.
        match by_stage.or_else(by_project)? {
            Stage::Pair if names().is_some_and(|names| names.len() == 1 && names[0] != "baseline") => {
                Some(Stage::Probe)
            }
            stage => Some(stage),
        }
    }

    /// The number of the lab.
    pub(crate) const fn lab(self) -> &'static str {
        match self {
            Stage::Pair | Stage::Probe => "73",
            Stage::Strategies => "76",
            Stage::Budget => "75",
            Stage::Profile | Stage::Merge | Stage::Change => "74",
            Stage::FineTuning => "60",
            Stage::Mechanism => "19",
        }
    }
}

impl Document {
    pub(crate) fn stage(&self) -> Option<Stage> {
        Stage::of(self.shape, &self.raw)
    }

    /// Of this stage, or a report in our own schema about its lab.
    pub(crate) fn is_of(&self, stage: Stage) -> bool {
        self.is_stage(stage) || self.shape == Shape::V1 && self.lab() == stage.lab()
    }

    pub(crate) fn is_stage(&self, stage: Stage) -> bool {
        self.stage() == Some(stage)
    }
}
