//! Which two runs are compared: both in one file, or the other one among the learner's reports.

use crate::report::{Distributed, Inference};
use crate::{Candidate, Document, Workload};

/// The runs that a rule of inference or of several devices compares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) baseline: &'a Candidate,
    pub(crate) candidate: &'a Candidate,
}

/// What was compared, for the checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Position of the candidate in the report.
    pub(crate) candidate: Option<usize>,
    /// Position of the baseline in the report that holds it.
    pub(crate) baseline: Option<usize>,
    /// SHA-256 of the linked report that holds the other run, if it is another one.
    pub(crate) linked: Option<String>,
    /// Whether the report is itself the baseline: by its name, or of a linked one.
    pub(crate) is_baseline: bool,
}

/// A report's usable runs: those that measured something.
fn usable(doc: &Document) -> impl Iterator<Item = (usize, &Candidate)> {
    doc.report.candidates.iter().enumerate().filter(|(_, run)| !run.metrics.is_empty())
}

/// Finds the two runs. In one file the baseline is the one of that name; the candidate is chosen by `better`, which
/// says whether its first argument is to be preferred. Alone, a run looks for its partner among the linked reports.
pub(crate) fn find<'a>(
    doc: &'a Document,
    linked: &[&'a Document],
    better: impl Fn(&Candidate, &Candidate) -> bool,
) -> (Compared, Option<Sides<'a>>) {
    let candidates = || usable(doc).filter(|(_, run)| !run.is_baseline());
    let own = usable(doc).find(|(_, run)| run.is_baseline());
    let best = candidates().reduce(|best, next| if better(next.1, best.1) { next } else { best });
    if let (Some((baseline, a)), Some((candidate, b))) = (own, best) {
        let compared = Compared { candidate: Some(candidate), baseline: Some(baseline), ..Compared::default() };
        return (compared, Some(Sides { baseline: a, candidate: b }));
    }
    if doc.report.candidates.len() > 1 {
        return (Compared { candidate: best.map(|(index, _)| index), ..Compared::default() }, None);
    }
    alone(doc, linked)
}

/// One run in the file: the other is a linked report of the same lab.
fn alone<'a>(doc: &'a Document, linked: &[&'a Document]) -> (Compared, Option<Sides<'a>>) {
    let Some((index, own)) = usable(doc).next() else { return (Compared::default(), None) };
    let partner = linked
        .iter()
        .copied()
        .filter(|other| {
            other.sha256 != doc.sha256
                && other.lab() == doc.lab()
                && other.report.workload.kind() == doc.report.workload.kind()
                && other.report.candidates.len() == 1
                && usable(other).next().is_some()
                && load(other) != load(doc)
        })
        .min_by_key(|other| (differences(doc, other).len(), other.sha256.clone()));
    let Some(partner) = partner else {
        let is_baseline = own.is_baseline();
        return (Compared { candidate: Some(index), is_baseline, ..Compared::default() }, None);
    };
    if is_first(doc, partner) {
        let linked = Some(partner.sha256.clone());
        return (Compared { candidate: Some(index), linked, is_baseline: true, ..Compared::default() }, None);
    }
    let Some((there, baseline)) = usable(partner).next() else { return (Compared::default(), None) };
    let linked = Some(partner.sha256.clone());
    let compared = Compared { candidate: Some(index), baseline: Some(there), linked, is_baseline: false };
    (compared, Some(Sides { baseline, candidate: own }))
}

/// What one run changes against another: its load, or what it is called.
fn load(doc: &Document) -> (Option<u64>, bool) {
    let concurrency = match &doc.report.workload {
        Workload::Inference(inference) => inference.concurrency,
        _ => None,
    };
    (concurrency, doc.report.baseline().is_some())
}

/// Whether a report is the baseline beside another one: by name, else by the lower load.
fn is_first(doc: &Document, other: &Document) -> bool {
    match (doc.report.baseline().is_some(), other.report.baseline().is_some()) {
        (true, false) => true,
        (false, true) => false,
        _ => load(doc).0.unwrap_or(u64::MAX) < load(other).0.unwrap_or(u64::MAX),
    }
}

/// A field that two runs of one workload do not share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) field: &'static str,
    pub(crate) here: Option<String>,
    pub(crate) there: Option<String>,
}

/// Fields in which two reports' workloads differ, the load apart.
pub(crate) fn differences(doc: &Document, other: &Document) -> Vec<Difference> {
    between(&doc.report.workload, &other.report.workload)
}

fn fields(a: &Workload, b: &Workload) -> Vec<Field> {
    match (a, b) {
        (Workload::Inference(a), Workload::Inference(b)) => inference(a, b),
        (Workload::Distributed(a), Workload::Distributed(b)) => distributed(a, b),
        _ => Vec::new(),
    }
}

/// Fields that say what was deployed or how often it was timed, not what it had to do.
const NO_WORK: [&str; 6] = ["model", "dtype", "backend", "world_size", "warmup", "repeats"];

/// Whether both workloads say what was to be done: two that say nothing are not the same.
pub(crate) fn stated(a: &Workload, b: &Workload) -> bool {
    fields(a, b).iter().any(|(field, [here, there])| !NO_WORK.contains(field) && here.is_some() && there.is_some())
}

/// Fields in which two workloads differ, the load apart.
pub(crate) fn between(a: &Workload, b: &Workload) -> Vec<Difference> {
    fields(a, b)
        .into_iter()
        .filter(|(_, [here, there])| here != there)
        .map(|(field, [here, there])| Difference { field, here, there })
        .collect()
}

fn number(value: Option<u64>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// A field with its value in both workloads.
type Field = (&'static str, [Option<String>; 2]);
/// A field and how it is read from a workload.
type Read<W, T> = (&'static str, fn(&W) -> Option<T>);

fn inference(a: &Inference, b: &Inference) -> Vec<Field> {
    let texts: [Read<Inference, String>; 4] = [
        ("model", |i| i.model.clone()),
        ("dtype", |i| i.weight_dtype.clone()),
        ("source", |i| i.source.clone()),
        ("backend", |i| i.framework.clone()),
    ];
    let counts: [Read<Inference, u64>; 5] = [
        ("requests", |i| i.requests),
        ("max_tokens", |i| i.generated_tokens),
        ("warmup", |i| i.warmup),
        ("repeats", |i| i.repeats),
        ("batch", |i| i.batch),
    ];
    let mut pairs: Vec<_> = texts.iter().map(|(field, read)| (*field, [read(a), read(b)])).collect();
    pairs.extend(counts.iter().map(|(field, read)| (*field, [number(read(a)), number(read(b))])));
    pairs
}

fn distributed(a: &Distributed, b: &Distributed) -> Vec<Field> {
    let counts: [Read<Distributed, u64>; 7] = [
        ("world_size", |d| d.world_size),
        ("micro_batch", |d| d.batch),
        ("seq_len", |d| d.seq),
        ("gradient_accumulation", |d| d.accumulation),
        ("layers", |d| d.layers),
        ("hidden", |d| d.hidden),
        ("tokens_per_rank", |d| d.tokens_per_rank),
    ];
    let mut pairs =
        vec![("model", [a.model.clone(), b.model.clone()]), ("dtype", [a.param_dtype.clone(), b.param_dtype.clone()])];
    pairs.extend(counts.iter().map(|(field, read)| (*field, [number(read(a)), number(read(b))])));
    pairs
}
