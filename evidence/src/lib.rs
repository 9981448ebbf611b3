//! What a lab report is: its schema, how a file is read, what class of evidence it is, and how it is graded.
//!
//! Pure: no I/O, no clock. Texts are made in the reader's language at the edge; see [`Lang`].

mod alike;
pub mod budget;
pub mod check;
mod decide;
pub mod diff;
pub mod export;
mod grade;
mod import;
mod lang;
mod line;
mod model;
mod paths;
mod phrase;
mod read;
mod reconcile;
pub mod report;
mod rubric;
mod schema;
mod shape;
pub mod show;
/// Statistics of single timings.
pub mod statistics {
    pub use crate::report::spread::{
        CONFIDENCE, NOISE_BOUND, median_interval, ordered, quantile, relative_standard_error,
    };
}
mod stage;
mod template;
pub mod trace;

pub use alike::{Likeness, Print};
pub use check::{Check, CheckStatus, Severity};
pub use decide::conclude;
pub use diff::{GradeDiff, diff};
pub use grade::{
    Blocked, DecisionLine, GRADER, Grade, GradeContext, ItemScore, Outcome, PartPoints, Points, Why, grade, limits,
};
pub use lang::Lang;
pub use line::{CheckLine, GradeLine};
pub use paths::{absolute_path, is_absolute_path};
pub use phrase::Phrase;
pub use read::{Document, MAX_BYTES, ReadError, read};
pub use reconcile::{Line, LineKind};
pub use report::{
    Backend, Boundary, BoundaryKind, Budget, Candidate, Compiled, Conditions, Decision, DeviceFacts, DeviceKind, Event,
    EvidenceClass, EvidenceLevel, Interval, IntervalMethod, Kernel, KernelResources, LearnerCode, LedgerLine, Meaning,
    MemoryStep, Metrics, PrefixCache, Provenance, Quality, Quantised, Ranks, Reached, Report, Roofline, SCHEMA,
    SchemaId, Serving, ServingLimits, Speculative, Spread, Status, TargetResources, Timer, Times, Training, Word,
    Workload,
};
pub use rubric::{DecisionRule, Part, Rubric, RubricItem};
pub use schema::report_v1_schema;
pub use shape::Shape;
pub use template::template;
