//! Lab 74: what a profile and the reports before it allow to say.

use serde_json::Value;

use super::{MIN_STEP_SAVING_MS, baseline_missing, concluded};
use crate::import::mib;
use crate::read::Locate as _;
use crate::report::Budget;
use crate::{Decision, Document, Metrics, Word};

/// Samples per second that count as a gain, where the report states none.
pub(crate) const MIN_RATE_GAIN: f64 = 5.0;

/// Which traces a merge names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Traces {
    /// The status says so, and a trace, a table or a note is there.
    pub(crate) collected: bool,
    /// Strategies that were declared and have no trace.
    pub(crate) missing: Vec<String>,
    /// The file itself says that some trace is missing.
    pub(crate) partly: bool,
}

impl Traces {
    pub(super) fn of(raw: &Value) -> Self {
        let filled = |key: &str| match raw.locate(&format!("/profiling/{key}")) {
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(map)) => !map.is_empty(),
            Some(Value::String(text)) => !text.trim().is_empty(),
            _ => false,
        };
        let something = ["trace_files", "trace_files_by_strategy", "top_operators", "evidence"].into_iter().any(filled);
        let names = |key: &str| {
            let list = raw.locate(&format!("/profiling/{key}")).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(crate::import::quotable).collect::<Vec<String>>()
        };
        let mut missing = names("missing_strategies");
        if let Some(by_strategy) = raw.locate("/profiling/trace_files_by_strategy").and_then(Value::as_object) {
            let traced = |name: &str| {
                by_strategy.get(name).is_some_and(|files| match files {
                    Value::Array(files) => !files.is_empty(),
                    Value::String(file) => !file.is_empty(),
                    _ => false,
                })
            };
            missing.extend(names("expected_strategies").into_iter().filter(|name| !traced(name)));
        }
        missing.sort();
        missing.dedup();
        let partly = raw.locate("/profiling/status").and_then(Value::as_str) == Some(crate::import::PARTLY);
        Self { collected: crate::import::traced(raw) && something, missing, partly }
    }

    /// All three of the lab's codes are a tune: a profile explains, and a change must then be measured.
    pub(super) fn decide(&self) -> Decision {
        let (reason, next_action) = if !self.collected {
            ("upstream_reports_merged_but_profiling_evidence_missing", "collect_profile_and_rerun_same_workload")
        } else if self.partly || !self.missing.is_empty() {
            (
                "profiler_trace_incomplete_for_declared_candidates",
                "collect_missing_strategy_trace_and_rerun_same_workload",
            )
        } else {
            return interpret();
        };
        concluded(Word::Tune, reason, next_action)
    }
}

/// What traces allow to say before anybody has read them.
pub(super) fn interpret() -> Decision {
    concluded(
        Word::Tune,
        "profiler_trace_collected_but_requires_bottleneck_interpretation",
        "interpret_trace_and_validate_one_change",
    )
}

/// One change, before and after; positive differences are better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    pub(crate) sides: Option<(usize, usize)>,
    pub(crate) time_ms: Option<f64>,
    pub(crate) memory_mib: Option<f64>,
    pub(crate) samples_per_s: Option<f64>,
    pub(crate) min_time_ms: f64,
    pub(crate) min_samples_per_s: f64,
}

impl Change {
    pub(super) fn of(doc: &Document, limits: &Budget) -> Self {
        let candidates = &doc.report.candidates;
        let usable = |index: &usize| candidates[*index].metrics.step_time_ms.is_some();
        let baseline = candidates.iter().position(|c| c.is_baseline()).filter(usable);
        let tuned = candidates.iter().position(|c| !c.is_baseline()).filter(usable);
        let sides = baseline.zip(tuned);
        let of = |read: fn(&Metrics) -> Option<f64>| {
            sides.and_then(|(a, b)| Some((read(&candidates[a].metrics)?, read(&candidates[b].metrics)?)))
        };
        let stated = |key: &str| {
            ["thresholds", "validation"].iter().find_map(|home| doc.raw.locate(&format!("/{home}/{key}"))?.as_f64())
        };
        Self {
            sides,
            time_ms: of(|m| m.step_time_ms).map(|(a, b)| a - b),
            memory_mib: of(|m| m.peak_allocated_bytes.map(mib)).map(|(a, b)| a - b),
            samples_per_s: of(|m| m.samples_per_s).map(|(a, b)| b - a),
            min_time_ms: stated("min_time_delta_ms").or(limits.min_step_time_saving_ms).unwrap_or(MIN_STEP_SAVING_MS),
            min_samples_per_s: stated("min_throughput_delta").unwrap_or(MIN_RATE_GAIN),
        }
    }

    pub(super) fn decide(&self) -> Decision {
        let Some(time) = self.time_ms else { return baseline_missing() };
        let positive = |gain: Option<f64>| gain.is_some_and(|gain| gain > 0.0);
        let fast = time >= self.min_time_ms;
        if fast && self.samples_per_s.is_some_and(|gain| gain >= self.min_samples_per_s) {
            concluded(Word::Accept, "time_and_throughput_gain_reach_thresholds", "promote_to_training_run")
        } else if fast && (positive(self.memory_mib) || positive(self.samples_per_s)) {
            concluded(Word::Tune, "throughput_gain_below_threshold", "interpret_trace_and_validate_one_change")
        } else {
            concluded(Word::Reject, "no_gain_in_step_time", "keep_baseline")
        }
    }
}
