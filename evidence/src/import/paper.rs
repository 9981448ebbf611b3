//! What an importer remembers of a file beside the report: where things stand, and what was wrong.

use serde_json::Value;

use crate::read::Locate as _;
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
    /// What was allocated when the measurement began.
    AllocatedBefore,
    Loss,
    EvalLoss,
}

impl Metric {
    pub(crate) const ALL: [Metric; 7] = [
        Metric::StepTime,
        Metric::SamplesPerS,
        Metric::Allocated,
        Metric::Reserved,
        Metric::AllocatedBefore,
        Metric::Loss,
        Metric::EvalLoss,
    ];
}

/// How a file names its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `peak_mem_mb`, as lab 73 writes.
    Lab73,
    /// `peak_memory_mb`, as labs 74, 75 and 76 write.
    Flat,
    /// `metrics` and `quality` apart, memory in MiB, as the course's normaliser writes.
    Normalised,
    /// Project 60: losses by the data they are of.
    FineTuning,
    /// The two paths of a mechanism page.
    Path,
    /// `metrics` and `quality` apart, memory in bytes.
    V1,
}

impl Form {
    /// The names of a metric: the form's own first, then those that files use instead.
    pub(crate) const fn keys(self, metric: Metric) -> &'static [&'static str] {
        match (self, metric) {
            (Form::V1, Metric::StepTime) => &["metrics/step_time_ms"],
            (Form::V1, Metric::SamplesPerS) => &["metrics/samples_per_s"],
            (Form::V1, Metric::Allocated) => &["metrics/peak_allocated_bytes"],
            (Form::V1, Metric::Reserved) => &["metrics/peak_reserved_bytes"],
            (Form::V1, Metric::AllocatedBefore) => &["metrics/allocated_before_bytes"],
            (Form::V1, Metric::Loss) => &["quality/loss"],
            (Form::V1, Metric::EvalLoss) => &["quality/eval_loss"],
            (Form::Normalised, Metric::StepTime) => &["metrics/step_time_ms"],
            (Form::Normalised, Metric::SamplesPerS) => &["metrics/samples_per_s", "metrics/throughput_samples_per_s"],
            (Form::Normalised, Metric::Allocated) => &["metrics/peak_memory_mb", "metrics/peak_mem_mb"],
            (Form::Normalised, Metric::Reserved) => &["metrics/peak_reserved_mb"],
            (Form::Normalised, Metric::AllocatedBefore) => &["metrics/allocated_before_mb"],
            (Form::Normalised, Metric::Loss) => &["quality/loss"],
            (Form::Normalised, Metric::EvalLoss) => &["quality/eval_loss", "quality/val_loss"],
            (Form::FineTuning, Metric::Loss) => &["train_loss", "loss"],
            (Form::FineTuning, Metric::EvalLoss) => &["val_loss", "eval_loss"],
            (Form::Path, Metric::StepTime) => &["step_ms", "step_time_ms"],
            (Form::Path, Metric::Allocated) => &["peak_allocated_mb", "peak_memory_mb", "peak_mem_mb"],
            (_, Metric::StepTime) => &["step_time_ms"],
            (_, Metric::SamplesPerS) => &["samples_per_s", "throughput_samples_per_s"],
            (Form::Lab73, Metric::Allocated) => &["peak_mem_mb", "peak_memory_mb"],
            (_, Metric::Allocated) => &["peak_memory_mb", "peak_mem_mb"],
            (_, Metric::Reserved) => &["peak_reserved_mb"],
            (_, Metric::AllocatedBefore) => &["allocated_before_mb"],
            (_, Metric::Loss) => &["loss"],
            (_, Metric::EvalLoss) => &["eval_loss", "val_loss"],
        }
    }

    /// The name of a metric in a file that keeps to the form.
    pub(crate) const fn key(self, metric: Metric) -> &'static str {
        self.keys(metric)[0]
    }

    /// How the repeats of a candidate are written. The normaliser copies them as they were.
    pub(crate) const fn of_runs(self) -> Self {
        match self {
            Form::Normalised => Form::Flat,
            other => other,
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
    /// Metrics that the file calls by another name than its form does.
    pub(crate) renamed: Vec<(Metric, &'static str)>,
    pub(crate) runs: Vec<Run>,
    /// A metric of this candidate had the wrong type or range.
    pub(crate) faulty: bool,
    /// It has no name, or a name that came before.
    pub(crate) unnamed: bool,
}

impl Place {
    /// Pointer to a metric, also where the file leaves it out.
    pub(crate) fn metric(&self, metric: Metric) -> String {
        let renamed = self.renamed.iter().find(|(of, _)| *of == metric).map(|(_, name)| *name);
        format!("{}/{}", self.pointer, renamed.unwrap_or_else(|| self.form.key(metric)))
    }

    /// Pointer to the list of repeats, also where there is none.
    pub(crate) fn runs_at(&self) -> String {
        match self.form {
            Form::Normalised if !self.runs.is_empty() => format!("{}/legacy_fields/runs", self.pointer),
            _ => format!("{}/runs", self.pointer),
        }
    }

    /// Pointer to a metric of one repeat.
    pub(crate) fn run_metric(&self, index: usize, metric: Metric) -> String {
        format!("{}/{index}/{}", self.runs_at(), self.form.of_runs().key(metric))
    }

    pub(crate) fn finished_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.ok)
    }

    /// Repeats of the timing: a run that states no time repeats nothing.
    pub(crate) fn timed_runs(&self) -> impl Iterator<Item = &Run> {
        self.finished_runs().filter(|run| {
            let metrics = &run.metrics;
            metrics.step_time_ms.is_some() || metrics.time_ms.is_some() || metrics.samples_per_s.is_some()
        })
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
        let text = |key: &str| raw.locate(key).and_then(Value::as_str).map(super::quotable);
        match raw.get("decision") {
            Some(Value::String(word)) => Self {
                word: Some(super::quotable(word)),
                bare: true,
                pointer: "/decision".to_owned(),
                ..Self::default()
            },
            Some(Value::Object(map)) => {
                // `architecture-evaluation/v1` calls the word a status.
                let key =
                    if map.contains_key("decision") || !map.contains_key("status") { "decision" } else { "status" };
                let pointer = format!("/decision/{key}");
                Self {
                    word: text(&pointer),
                    reason: text("/decision/reason"),
                    next_action: text("/decision/next_action"),
                    bare: false,
                    pointer,
                }
            }
            _ => Self { pointer: "/decision".to_owned(), ..Self::default() },
        }
    }
}

/// Beside the report: what the file looks like.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paper {
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
