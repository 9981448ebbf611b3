//! Reports of two learners that agree as two measurements do not.
//!
//! Allocated peaks and losses of one script are the same on every machine of a kind: that they agree says nothing. Times
//! are not: repeats inside one process spread by 4–5 %, and so do two processes. A report copied with changed digits
//! keeps the *noise* of the times, which honest runs never share.
//!
//! Two questions are asked, each by the probability of so close an agreement by chance (the bound
//! `P(χ²ₙ ≤ x) ≤ (x/2)^(n/2) / Γ(n/2 + 1)`). Per report, the logarithms of the repeats less the mean of their candidate
//! and less the mean of their position (a slow first repeat is everybody's) are its noise.
//! 1. Do all times agree better than that noise allows? The difference of two honest times has twice its variance.
//!    Without repeats 2.5 % a time is assumed, the spread that the course's own reruns show.
//! 2. Is the noise itself the same? That finds a copy whose times were all multiplied by something.

use serde::{Deserialize, Serialize};

use crate::report::{Candidate, Status, Workload};
use crate::{Document, Shape};

/// Of each report at most so many candidates and repeats are compared.
const CANDIDATES: usize = 32;
const REPEATS: usize = 64;
/// Relative standard deviation of a time that was taken once.
const SPREAD: f64 = 0.025;
/// Other numbers (peaks, losses) may differ by so much, or the reports are simply different.
const OTHERS: f64 = 0.005;
/// Probabilities below which agreement is not chance: the first with noise that was measured, the second with noise
/// that was assumed. A class of thirty has 435 pairs.
const MEASURED: f64 = 1e-6;
const ASSUMED: f64 = 1e-4;

/// What is compared of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    name: String,
    /// Milliseconds.
    time: f64,
    runs: Vec<f64>,
    others: Vec<f64>,
}

/// The numbers of a report that are compared; small, so that a report need not be read again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Print {
    /// What must be equal for a comparison: shape, lab, workload, names and statuses of the candidates.
    pub workload: String,
    lines: Vec<Line>,
}

/// How two reports agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// Pairs of times that were compared.
    pub times: usize,
    /// The largest difference of a pair, relative.
    pub largest_difference: f64,
}

impl Print {
    /// What is compared of a report. `None` where nothing can be: fewer than two times, or a shape whose numbers were
    /// measured elsewhere (75 and 74 quote those of a 76, and a class may share one).
    pub fn of(doc: &Document) -> Option<Self> {
        if matches!(doc.shape, Shape::Lab75 | Shape::Lab74Merge | Shape::DryRun) || doc.lab() == "75" {
            return None;
        }
        let candidates = &doc.report.candidates;
        let mut lines: Vec<Line> =
            candidates.iter().take(CANDIDATES).filter(|one| one.status == Status::Ok).filter_map(line).collect();
        lines.sort_by(|a, b| a.name.cmp(&b.name));
        if lines.len() < 2 || lines.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return None;
        }
        let mut told: Vec<String> = candidates.iter().map(|one| format!("{}={}", one.name, one.status.id())).collect();
        told.sort();
        let key = serde_json::json!([doc.shape.id(), doc.lab(), workload(&doc.report.workload), told]);
        Some(Self { workload: crate::read::sha256(key.to_string().as_bytes()), lines })
    }

    /// Whether two reports agree as two measurements do not, and how closely. Symmetric.
    pub fn alike(&self, other: &Self) -> Option<Likeness> {
        let names = |print: &Self| print.lines.iter().map(|line| line.name.clone()).collect::<Vec<_>>();
        if self.workload != other.workload || names(self) != names(other) {
            return None;
        }
        let pairs = || self.lines.iter().zip(&other.lines);
        let others = |(a, b): (&Line, &Line)| {
            a.others.len() == b.others.len() && a.others.iter().zip(&b.others).all(|(a, b)| relative(*a, *b) <= OTHERS)
        };
        if !pairs().all(others) {
            return None;
        }
        let (differences, close) = match Repeats::of(self, other) {
            Repeats::None => {
                let means: Vec<f64> = pairs().map(|(a, b)| (a.time / b.time).ln()).collect();
                let close = chance(squares(&means) / (2.0 * SPREAD * SPREAD), means.len()) <= ASSUMED;
                (means, close)
            }
            Repeats::Coarse => return None,
            Repeats::Noise { a, b, variance, free } => {
                let all: Vec<f64> =
                    pairs().flat_map(|(a, b)| a.runs.iter().zip(&b.runs).map(|(a, b)| (a / b).ln())).collect();
                let scatter: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                let unlikely = |of: &[f64], free| chance(squares(of) / (2.0 * variance), free) <= MEASURED;
                let close = unlikely(&all, all.len()) || unlikely(&scatter, free);
                (all, close)
            }
        };
        close.then(|| Likeness {
            times: differences.len(),
            largest_difference: differences.into_iter().map(|d| d.abs().exp_m1()).fold(0.0, f64::max),
        })
    }
}

fn squares(numbers: &[f64]) -> f64 {
    numbers.iter().map(|n| n * n).sum()
}

fn line(candidate: &Candidate) -> Option<Line> {
    let time =
        |metrics: &crate::Metrics| metrics.step_time_ms.or(metrics.time_ms).filter(|ms| *ms > 0.0 && ms.is_finite());
    let metrics = &candidate.metrics;
    let runs: Vec<f64> = candidate.runs.iter().take(REPEATS).filter_map(time).collect();
    let bytes = [metrics.peak_allocated_bytes, metrics.peak_reserved_bytes].into_iter().flatten().map(|b| b as f64);
    let losses = [candidate.quality.loss, candidate.quality.eval_loss].into_iter().flatten();
    Some(Line {
        name: candidate.name.clone(),
        time: time(metrics)?,
        runs,
        others: bytes.chain(losses).filter(|number| number.is_finite()).collect(),
    })
}

/// The workload without what a copier would write anew at no cost: label, framework, seed.
fn workload(workload: &Workload) -> serde_json::Value {
    let mut value = serde_json::json!(workload);
    if let Some(inside) = value.as_object_mut().and_then(|kinds| kinds.values_mut().next()?.as_object_mut()) {
        for key in ["label", "framework", "seed"] {
            inside.remove(key);
        }
    }
    value
}

fn relative(a: f64, b: f64) -> f64 {
    let size = a.abs().max(b.abs());
    if size > 0.0 { (a - b).abs() / size } else { 0.0 }
}

/// The repeats of two reports.
enum Repeats {
    /// At least one has none, or other numbers of them.
    None,
    /// They do not differ among themselves: the digits are too few to tell measurements apart.
    Coarse,
    Noise {
        a: Vec<f64>,
        b: Vec<f64>,
        /// Of one repeat, over both reports.
        variance: f64,
        /// How many of the numbers of a report's noise are free.
        free: usize,
    },
}

impl Repeats {
    fn of(a: &Print, b: &Print) -> Self {
        let per_line = a.lines.first().map_or(0, |line| line.runs.len());
        let even = |print: &Print| print.lines.iter().all(|line| line.runs.len() == per_line);
        if per_line < 2 || !even(a) || !even(b) {
            return Self::None;
        }
        let free = (a.lines.len() - 1) * (per_line - 1);
        let (a, b) = (noise(a, per_line), noise(b, per_line));
        let variance = (squares(&a) + squares(&b)) / (2 * free) as f64;
        // A millionth of a time.
        if variance < 1e-12 { Self::Coarse } else { Self::Noise { a, b, variance, free } }
    }
}

/// Logarithms of the times less the means of their candidate and of their position.
fn noise(print: &Print, per_line: usize) -> Vec<f64> {
    let logs: Vec<Vec<f64>> = print.lines.iter().map(|line| line.runs.iter().map(|ms| ms.ln()).collect()).collect();
    let mean = |numbers: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = numbers.fold((0.0, 0), |(sum, count), n| (sum + n, count + 1));
        sum / f64::from(count)
    };
    let rows: Vec<f64> = logs.iter().map(|row| mean(&mut row.iter().copied())).collect();
    let columns: Vec<f64> = (0..per_line).map(|at| mean(&mut logs.iter().map(|row| row[at]))).collect();
    let all = mean(&mut rows.iter().copied());
    let residual = |(row, logs): (usize, &Vec<f64>)| {
        logs.iter().zip(&columns).map(|(log, column)| log - rows[row] - column + all).collect::<Vec<f64>>()
    };
    logs.iter().enumerate().flat_map(residual).collect()
}

/// An upper bound of `P(χ²ₙ ≤ x)`, in logarithms: Γ of many repeats is beyond any number.
fn chance(x: f64, n: usize) -> f64 {
    // Γ(n/2 + 1) by its recursion, from Γ(1) or Γ(3/2).
    let half = n as f64 / 2.0;
    let (mut factor, mut gamma) = if n % 2 == 1 { (1.5, (std::f64::consts::PI.sqrt() / 2.0).ln()) } else { (1.0, 0.0) };
    while factor < half + 0.25 {
        gamma += f64::ln(factor);
        factor += 1.0;
    }
    (half * (x / 2.0).ln() - gamma).exp().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::chance;

    #[test]
    fn the_bound_lies_above_the_table() {
        // Lower quantiles of χ², from any table: P(χ²ₙ ≤ x).
        for (n, x, p) in
            [(1, 0.003_93, 0.05), (2, 0.010_0, 0.005), (4, 0.297, 0.01), (6, 0.676, 0.005), (10, 2.156, 0.005)]
        {
            let bound = chance(x, n);
            assert!(bound >= p * 0.99 && bound <= p * 3.0, "n {n}: {bound} for {p}");
        }
    }
}
