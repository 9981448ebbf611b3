//! The sheet on which a report is examined: what the checks read, and where they write.

use serde_json::Value;

use super::{Check, CheckStatus, Severity, rule};
use crate::decide::sides::Compared;
use crate::decide::{Basis, Change, Pair, Recomputed, Strategy, Traces};
use crate::import::Place;
use crate::read::Locate as _;
use crate::report::Budget;
use crate::stage::Stage;
use crate::{Candidate, Document, EvidenceClass, Phrase, Shape, Training, Workload};

pub(crate) struct Sheet<'a> {
    pub(crate) doc: &'a Document,
    pub(crate) recomputed: &'a Recomputed,
    pub(crate) class: EvidenceClass,
    /// The limits that apply: the report's own, completed by the rubric's.
    pub(crate) limits: &'a Budget,
    pub(crate) linked: &'a [&'a Document],
    /// The rubric pays for numbers that can be checked against others of the file.
    pub(crate) asks_for_numbers: bool,
    pub(crate) checks: Vec<Check>,
}

impl<'a> Sheet<'a> {
    pub(crate) fn raw(&self) -> &'a Value {
        &self.doc.raw
    }

    /// A value that is there and not null.
    pub(crate) fn value(&self, pointer: &str) -> Option<&'a Value> {
        self.doc.raw.locate(pointer).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.value(pointer)?.as_str()
    }

    pub(crate) fn candidates(&self) -> impl Iterator<Item = (&'a Candidate, &'a Place)> + use<'a> {
        self.doc.report.candidates.iter().zip(&self.doc.paper.places)
    }

    /// Where the candidates stand as a whole: lab 73 has no list of them.
    pub(crate) fn measured_at(&self) -> &'static str {
        match self.doc.shape {
            Shape::Lab73Paired => "/baseline",
            Shape::Lab73Probe => "/candidate",
            Shape::Lab74Merge if self.doc.is_stage(Stage::Merge) => "/standard_metrics",
            Shape::TrainingMechanism => "/paths",
            _ => "/candidates",
        }
    }

    pub(crate) fn candidate(&self, index: usize) -> Option<(&'a Candidate, &'a Place)> {
        Some((self.doc.report.candidates.get(index)?, self.doc.paper.places.get(index)?))
    }

    pub(crate) fn baseline(&self) -> Option<(&'a Candidate, &'a Place)> {
        self.candidates().find(|(candidate, place)| candidate.is_baseline() && !place.unnamed)
    }

    pub(crate) fn training(&self) -> Option<&'a Training> {
        match &self.doc.report.workload {
            Workload::Training(training) => Some(training),
            _ => None,
        }
    }

    pub(crate) fn strategy(&self) -> Option<&'a Strategy> {
        match &self.recomputed.basis {
            Basis::Strategy(strategy) => Some(strategy),
            _ => None,
        }
    }

    pub(crate) fn pair(&self) -> Option<&'a Pair> {
        match &self.recomputed.basis {
            Basis::Pair(pair) => Some(pair),
            _ => None,
        }
    }

    pub(crate) fn change(&self) -> Option<&'a Change> {
        match &self.recomputed.basis {
            Basis::Change(change) => Some(change),
            _ => None,
        }
    }

    pub(crate) fn traces(&self) -> Option<&'a Traces> {
        match &self.recomputed.basis {
            Basis::Traces(traces) => Some(traces),
            _ => None,
        }
    }

    /// What a rule of inference or several devices compared.
    pub(crate) fn compared(&self) -> Option<&'a Compared> {
        match &self.recomputed.basis {
            Basis::Published(compared) => Some(compared),
            _ => None,
        }
    }

    fn write(&mut self, id: &str, status: CheckStatus, pointer: &str, texts: [Phrase; 4]) {
        let [expected, found, message, fix] = texts;
        // One fault in many places is told often enough.
        let told = self.checks.iter().filter(|check| check.failed() && check.id == id).count();
        if status == CheckStatus::Fail && told >= MAX_TOLD {
            return;
        }
        self.checks.push(Check {
            id: id.to_owned(),
            severity: rule(id).map_or(Severity::Error, |rule| rule.severity),
            status,
            pointer: pointer.to_owned(),
            expected: cut(expected),
            found: cut(found),
            message: cut(message),
            fix,
        });
    }

    /// Writes that a check holds.
    pub(crate) fn pass(&mut self, id: &str, pointer: &str, zh: impl Into<String>, en: impl Into<String>) {
        self.write(
            id,
            CheckStatus::Pass,
            pointer,
            [Phrase::default(), Phrase::default(), Phrase::new(zh, en), Phrase::default()],
        );
    }

    /// Writes that a check does not hold: what was expected, what was found, and the sentence about it.
    pub(crate) fn fail(
        &mut self,
        id: &str,
        pointer: &str,
        expected: impl Into<Phrase>,
        found: impl Into<Phrase>,
        message: Phrase,
    ) {
        let fix = rule(id).map_or_else(Phrase::default, |rule| Phrase::new(rule.fix[0], rule.fix[1]));
        self.write(id, CheckStatus::Fail, pointer, [expected.into(), found.into(), message, fix]);
    }

    /// Whether this check has failed so far.
    pub(crate) fn has_failed(&self, id: &str) -> bool {
        self.checks.iter().any(|check| check.failed() && check.id == id)
    }
}

/// A fault is told in at most so many places.
const MAX_TOLD: usize = 20;
/// No sentence of ours is as long; only quoted values of the file are.
const MAX_CHARS: usize = 800;

fn cut(phrase: Phrase) -> Phrase {
    let short = |text: String| match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    Phrase { zh: short(phrase.zh), en: short(phrase.en) }
}

/// A number for a reader: at most `digits` decimals, no trailing zeros.
pub(crate) fn short(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// MiB with one decimal, as the ledger shows them.
pub(crate) fn mib_text(bytes: f64) -> String {
    format!("{} MiB", short(bytes / crate::import::MIB, 1))
}
