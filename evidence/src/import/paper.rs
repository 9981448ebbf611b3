//! What an importer remembers of a file beside the report: where things stand, and what was wrong.

use serde_json::Value;

use crate::{Metrics, Phrase};

/// A single value of the wrong kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) pointer: String,
    pub(crate) expected: Phrase,
    pub(crate) found: Phrase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    NotANumber,
    OutOfRange,
    Unit,
    Type,
    Name,
    Status,
}

/// A metric by its meaning; the file's shape gives it a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    StepTime,
    SamplesPerS,
    Allocated,
    Reserved,
    Loss,
    EvalLoss,
}

/// How a file names its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `peak_mem_mb`, as lab 73 writes.
    Lab73,
    /// `peak_memory_mb`, as labs 75 and 76 write.
    Flat,
    /// `metrics` and `quality` apart, memory in bytes.
    V1,
}

impl Form {
    pub(crate) const fn key(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Form::V1, Metric::StepTime) => "metrics/step_time_ms",
            (Form::V1, Metric::SamplesPerS) => "metrics/samples_per_s",
            (Form::V1, Metric::Allocated) => "metrics/peak_allocated_bytes",
            (Form::V1, Metric::Reserved) => "metrics/peak_reserved_bytes",
            (Form::V1, Metric::Loss) => "quality/loss",
            (Form::V1, Metric::EvalLoss) => "quality/eval_loss",
            (_, Metric::StepTime) => "step_time_ms",
            (_, Metric::SamplesPerS) => "samples_per_s",
            (Form::Lab73, Metric::Allocated) => "peak_mem_mb",
            (Form::Flat, Metric::Allocated) => "peak_memory_mb",
            (_, Metric::Reserved) => "peak_reserved_mb",
            (_, Metric::Loss) => "loss",
            (_, Metric::EvalLoss) => "eval_loss",
        }
    }
}

/// One repeat, as the file gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Run {
    /// Whether it finished.
    pub(crate) ok: bool,
    pub(crate) metrics: Metrics,
    pub(crate) loss: Option<f64>,
    pub(crate) eval_loss: Option<f64>,
}

/// Where a candidate stands in the file; one for each candidate of the report, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) pointer: String,
    pub(crate) form: Form,
    pub(crate) runs: Vec<Run>,
    /// A metric of this candidate had the wrong type or range.
    pub(crate) faulty: bool,
    /// It has no name, or a name that came before.
    pub(crate) unnamed: bool,
}

impl Place {
    /// Pointer to a metric, also where the file leaves it out.
    pub(crate) fn metric(&self, metric: Metric) -> String {
        format!("{}/{}", self.pointer, self.form.key(metric))
    }

    pub(crate) fn finished_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.ok)
    }
}

/// The decision as the file writes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    /// The word, whatever it is.
    pub(crate) word: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) next_action: Option<String>,
    /// A bare string instead of an object.
    pub(crate) bare: bool,
    /// Pointer to the word.
    pub(crate) pointer: String,
}

impl Said {
    pub(crate) fn read(raw: &Value) -> Self {
        let text = |key: &str| raw.pointer(key).and_then(Value::as_str).map(super::quotable);
        match raw.get("decision") {
            Some(Value::String(word)) => Self {
                word: Some(super::quotable(word)),
                bare: true,
                pointer: "/decision".to_owned(),
                ..Self::default()
            },
            Some(Value::Object(_)) => Self {
                word: text("/decision/decision"),
                reason: text("/decision/reason"),
                next_action: text("/decision/next_action"),
                bare: false,
                pointer: "/decision/decision".to_owned(),
            },
            _ => Self { pointer: "/decision".to_owned(), ..Self::default() },
        }
    }
}

/// Beside the report: what the file looks like.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paper {
    pub(crate) duplicates: Vec<String>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) places: Vec<Place>,
    pub(crate) said: Said,
    /// Pointer and text of every place that names a device.
    pub(crate) devices: Vec<(String, String)>,
    /// The word for the evidence level, if the file has one.
    pub(crate) level_word: Option<String>,
    /// A projection, not a measurement.
    pub(crate) projected: bool,
}
