//! The report: everything measured, in the one schema.

use std::collections::BTreeSet;

use evidence::{
    Boundary, BoundaryKind, Budget, Candidate, EvidenceClass, EvidenceLevel, Kernel, LedgerLine, Metrics, Quality,
    Quantised, Reached, Report, Roofline, SchemaId, Spread, Status, Workload,
};

use super::account::{Account, Outcome};
use super::timing::Timed;
use super::{Study, Variant, WARMUP};
use crate::run::{Device, RunError, Summary};

/// Two runs of the same program on the same machine differ by about this much: a smaller gain is noise however many samples there
/// are within one run.
const BETWEEN_RUNS: f64 = 0.05;

pub fn build(
    study: &Study,
    device: &dyn Device,
    roofline: Option<Roofline>,
    accounts: &[Account],
    timed: &[Timed<'_>],
) -> Result<Report, RunError> {
    let facts = device.facts();
    let of = |variant: &Variant| timed.iter().find(|timed| timed.variant.candidate == variant.candidate);
    let right = |timed: &Timed<'_>| timed.wrong.is_none();
    let mut candidates = Vec::with_capacity(accounts.len());
    for (variant, account) in study.variants.iter().zip(accounts) {
        let mut candidate = checked(study, variant, account);
        if let Some(timed) = of(variant) {
            times(&mut candidate, timed, variant, roofline.as_ref(), device)?;
        }
        candidates.push(candidate);
    }
    let summaries: Vec<Summary> =
        timed.iter().filter(|timed| right(timed)).filter_map(|timed| timed.samples.summary()).collect();
    let mut report = Report {
        schema: SchemaId::V1,
        lab: study.lab.to_owned(),
        workload: Workload::Kernel(Kernel {
            operation: study.operation.to_owned(),
            shape: study.shape.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
            dtype: study.dtype.to_owned(),
            warmup: WARMUP,
            iters: summaries.first().map_or(0, |summary| summary.count as u64),
            seed: study.seed,
        }),
        level: match facts.evidence_class() {
            EvidenceClass::Gpu => EvidenceLevel::GpuBenchmark,
            _ if timed.is_empty() && accounts.iter().all(Account::ran_right) => EvidenceLevel::CpuSimulation,
            _ => EvidenceLevel::CpuBenchmark,
        },
        device: Some(facts),
        roofline,
        ledger: ledger(accounts),
        boundaries: study.variants.iter().zip(accounts).filter_map(|(it, account)| boundary(it, account)).collect(),
        candidates,
        budget: Some(Budget { min_speedup: least_speedup(&summaries), ..study.budget.clone() }),
        decision: None,
        source: None,
        learner_code: None,
        conditions: None,
    };
    report.decision = evidence::conclude(&report, study.rule, &Budget::default());
    Ok(report)
}

/// The speed-up that lies outside the noise band: three standard errors of the ratio, or the usual difference between runs.
/// Of several candidates the noisiest sets it. `None` where nothing was compared.
fn least_speedup(summaries: &[Summary]) -> Option<f64> {
    let (baseline, others) = summaries.split_first()?;
    let worst = others.iter().map(|other| other.relative_standard_error).reduce(f64::max)?;
    let band = (3.0 * baseline.relative_standard_error.hypot(worst)).max(BETWEEN_RUNS);
    // A ratio with four decimals is what the report shows; rounded up, so that rounding never makes a gain.
    Some(((1.0 + band) * 1e4).ceil() / 1e4)
}

/// What the variants keep, each thing once, then what the passes of each move.
fn ledger(accounts: &[Account]) -> Vec<LedgerLine> {
    let mut seen = BTreeSet::new();
    let resident = accounts.iter().flat_map(|account| &account.resident);
    let kept = resident.filter(|line| seen.insert(line.part.clone()));
    kept.chain(accounts.iter().flat_map(|account| &account.moved)).cloned().collect()
}

/// What running it once gave.
fn checked(study: &Study, variant: &Variant, account: &Account) -> Candidate {
    let mut candidate = Candidate { name: variant.candidate.clone(), ..Candidate::default() };
    candidate.quality.tolerance = Some(study.tolerance);
    candidate.timeline.clone_from(&account.timeline);
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
        Outcome::Ran { peak_bytes, reserved_bytes, result: Ok(found) } => {
            let quantised = variant.stored.map(|(bits, bytes)| Quantised {
                bits: Some(bits),
                state_bytes: Some(bytes),
                error: found.lost,
                ..Quantised::default()
            });
            candidate.metrics = Metrics {
                peak_allocated_bytes: Some(*peak_bytes),
                peak_reserved_bytes: *reserved_bytes,
                allocated_before_bytes: Some(account.allocated_before_bytes),
                bytes_moved: account.counted,
                quantised,
                ..Metrics::default()
            };
            candidate.quality.max_rel_error = Some(found.error);
        }
    }
    candidate
}

fn times(
    candidate: &mut Candidate,
    timed: &Timed<'_>,
    variant: &Variant,
    roofline: Option<&Roofline>,
    device: &dyn Device,
) -> Result<(), RunError> {
    let run = |ms: &f64| Metrics { time_ms: Some(*ms), ..Metrics::default() };
    candidate.runs = timed.samples.all().iter().map(run).collect();
    if let Some(wrong) = &timed.wrong {
        candidate.status = Status::Failed;
        candidate.error = Some(wrong.to_string());
        return Ok(());
    }
    let error = &mut candidate.quality.max_rel_error;
    *error = error.map(|error| error.max(timed.worst_error));
    let metrics = &mut candidate.metrics;
    metrics.timer = Some(device.timer());
    metrics.time_ms = timed.samples.summary().map(|summary| summary.mean);
    metrics.spread = Spread::of(timed.samples.all());
    let (bytes, flops) = variant.cost()?;
    let least = roofline.and_then(|line| line.least_ms(bytes, flops));
    let median = metrics.spread.as_ref().map(|spread| spread.median_ms).filter(|median| *median > 0.0);
    let fraction = least.zip(median).map(|(least, median)| least / median);
    metrics.reached = Some(Reached { bytes, flops, fraction });
    Ok(())
}

fn boundary(variant: &Variant, account: &Account) -> Option<Boundary> {
    let Outcome::OutOfMemory { requested_bytes, message } = &account.outcome else { return None };
    Some(Boundary {
        kind: BoundaryKind::Oom,
        candidate: variant.candidate.clone(),
        requested_bytes: Some(*requested_bytes),
        message: Some(message.clone()),
    })
}
