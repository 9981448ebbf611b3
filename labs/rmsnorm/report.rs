//! The report: everything above, in the one schema.

use std::collections::BTreeMap;

use evidence::{
    Boundary, BoundaryKind, Budget, Candidate, DeviceFacts, EvidenceClass, EvidenceLevel, Kernel, LedgerLine, Metrics,
    Quality, Report, SchemaId, Status, Timer, Workload,
};

use super::account::{Account, Outcome};
use super::conclude::{Finding, decide, least_speedup};
use super::config::{Config, WARMUP};
use super::reference::TOLERANCE;
use super::timing::Timed;
use super::variant::Variant;
use crate::run::Summary;

pub fn build(
    config: &Config,
    (device, timer): (DeviceFacts, Timer),
    accounts: [&Account; 2],
    timed: Option<&[Timed; 2]>,
) -> Report {
    let class = device.evidence_class();
    let [baseline, fused] = accounts;
    let timed_of = |variant: Variant| timed.and_then(|both| both.iter().find(|timed| timed.variant == variant));

    let mut budget = Budget::default();
    let (slow, fast) = (timed_of(Variant::Unfused).and_then(summary), timed_of(Variant::Fused).and_then(summary));
    let finding = match (&baseline.outcome, &fused.outcome, &slow, &fast) {
        (_, Outcome::OutOfMemory { .. }, ..) => Finding::CandidateOutOfMemory,
        (Outcome::OutOfMemory { .. }, ..) => Finding::BaselineOutOfMemory,
        (_, _, Some(slow), Some(fast)) => {
            let least = least_speedup(slow, fast);
            budget.min_speedup = Some(least);
            Finding::Compared { baseline: slow, candidate: fast, least_speedup: least }
        }
        (_, Outcome::Ran { result: Ok(_), .. }, ..) if timed.is_none() => Finding::NotTimed,
        _ => Finding::CandidateWrong,
    };

    let candidates = [(Candidate::BASELINE, baseline), ("fused", fused)];
    let iters = slow.as_ref().map_or(0, |summary| summary.count as u64);
    Report {
        schema: SchemaId::V1,
        lab: "rmsnorm".to_owned(),
        workload: Workload::Kernel(Kernel {
            operation: "rmsnorm".to_owned(),
            shape: BTreeMap::from([
                ("rows".to_owned(), config.rows.into()),
                ("hidden".to_owned(), config.hidden.into()),
            ]),
            dtype: "fp32".to_owned(),
            warmup: WARMUP,
            iters,
            seed: config.seed,
        }),
        level: match class {
            EvidenceClass::Gpu => EvidenceLevel::GpuBenchmark,
            _ if matches!(finding, Finding::NotTimed) => EvidenceLevel::CpuSimulation,
            _ => EvidenceLevel::CpuBenchmark,
        },
        device: Some(device),
        ledger: ledger(baseline, fused),
        decision: Some(decide(&finding)),
        boundaries: candidates.iter().filter_map(|(name, account)| boundary(name, account)).collect(),
        candidates: candidates
            .iter()
            .map(|(name, account)| candidate(name, account, timed_of(account.variant), timer))
            .collect(),
        budget: Some(budget),
        source: None,
        learner_code: None,
    }
}

/// What the baseline keeps, then what each variant's passes move.
fn ledger(baseline: &Account, fused: &Account) -> Vec<LedgerLine> {
    [&baseline.resident, &baseline.moved, &fused.moved].into_iter().flatten().cloned().collect()
}

/// The summary of a variant that was right in every run.
fn summary(timed: &Timed) -> Option<Summary> {
    if timed.wrong.is_some() { None } else { timed.samples.summary() }
}

/// What the device counted over all passes; `None` where it counts nothing.
fn counted(moved: &[LedgerLine]) -> Option<u64> {
    moved.iter().try_fold(0u64, |sum, line| sum.checked_add(line.measured_bytes?))
}

fn candidate(name: &str, account: &Account, timed: Option<&Timed>, timer: Timer) -> Candidate {
    let mut candidate = Candidate { name: name.to_owned(), ..Candidate::default() };
    candidate.quality.tolerance = Some(TOLERANCE);
    match &account.outcome {
        Outcome::OutOfMemory { message, .. } => {
            candidate.status = Status::Oom;
            candidate.error = Some(message.clone());
            candidate.quality = Quality::default();
        }
        Outcome::Ran { result: Err(wrong), .. } => {
            candidate.status = Status::Failed;
            candidate.error = Some(wrong.to_string());
        }
        Outcome::Ran { peak_bytes, result: Ok(error) } => {
            candidate.metrics = Metrics {
                timer: Some(timer),
                peak_allocated_bytes: Some(*peak_bytes),
                allocated_before_bytes: Some(account.allocated_before_bytes),
                bytes_moved: counted(&account.moved),
                ..Metrics::default()
            };
            candidate.quality.max_rel_error = Some(error.max(timed.map_or(0.0, |timed| timed.worst_error)));
        }
    }
    if let Some(timed) = timed {
        if let Some(wrong) = &timed.wrong {
            candidate.status = Status::Failed;
            candidate.error = Some(wrong.to_string());
        }
        if let Some(summary) = summary(timed) {
            candidate.metrics.time_ms = Some(summary.mean);
        }
        let run = |ms: &f64| Metrics { time_ms: Some(*ms), ..Metrics::default() };
        candidate.runs = timed.samples.all().iter().map(run).collect();
    }
    candidate
}

fn boundary(name: &str, account: &Account) -> Option<Boundary> {
    let Outcome::OutOfMemory { requested_bytes, message } = &account.outcome else { return None };
    Some(Boundary {
        kind: BoundaryKind::Oom,
        candidate: name.to_owned(),
        requested_bytes: Some(*requested_bytes),
        message: Some(message.clone()),
    })
}
