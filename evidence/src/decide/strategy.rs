//! Labs 76 and 75: the feasible candidate with the lowest peak.

use super::{MIN_RATIO, MIN_SAVING_BYTES, baseline_missing, concluded};
use crate::report::Budget;
use crate::{Decision, Document, Shape, Status, Word};

/// Float noise in a difference of two `*_mb` values: 1 KiB. Real values carry two decimals, 10 KiB.
const NOISE_BYTES: u64 = 1024;
/// Relative float noise of rates and losses, which files round to three and six decimals.
const NOISE: f64 = 1e-9;
const LOSS_ROUNDING: f64 = 1e-6;

/// The limits a strategy is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    pub(crate) cap: Option<u64>,
    pub(crate) min_samples_per_s: Option<f64>,
    pub(crate) max_eval_loss: Option<f64>,
    pub(crate) min_saving: u64,
    pub(crate) min_ratio: f64,
    /// The course's labs ask for a held-out loss of every candidate.
    pub(crate) needs_loss: bool,
}

impl Limits {
    pub(crate) fn of(budget: &Budget, doc: &Document) -> Self {
        Self {
            cap: budget.memory_cap_bytes,
            min_samples_per_s: budget.min_samples_per_s,
            max_eval_loss: budget.max_eval_loss,
            min_saving: budget.min_memory_saving_bytes.unwrap_or(MIN_SAVING_BYTES),
            min_ratio: budget.min_throughput_ratio.unwrap_or(MIN_RATIO),
            needs_loss: doc.shape != Shape::V1,
        }
    }

    /// Whether anything limits at all: without a budget there is nothing to decide.
    pub(crate) fn usable(&self) -> bool {
        self.cap.is_some() || self.min_samples_per_s.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Feasible,
    Rejected,
    Oom,
    Invalid,
}

impl Verdict {
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Verdict::Feasible => "feasible",
            Verdict::Rejected => "rejected",
            Verdict::Oom => "oom",
            Verdict::Invalid => "invalid",
        }
    }
}

/// One candidate against the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) reasons: Vec<&'static str>,
}

/// All candidates against the limits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strategy {
    /// One for each candidate of the report, in order.
    pub(crate) rows: Vec<Row>,
    /// Positions of the feasible ones: by peak, then throughput descending, then loss.
    pub(crate) feasible: Vec<usize>,
    pub(crate) baseline: Option<usize>,
    pub(crate) saving_bytes: Option<i64>,
    pub(crate) ratio: Option<f64>,
}

impl Strategy {
    pub(crate) fn of(doc: &Document, limits: &Limits) -> Self {
        let candidates = &doc.report.candidates;
        let rows: Vec<Row> = (0..candidates.len()).map(|index| row(doc, index, limits)).collect();
        let mut feasible: Vec<usize> =
            (0..rows.len()).filter(|index| rows[*index].verdict == Verdict::Feasible).collect();
        let peak = |index: usize| candidates[index].metrics.peak_allocated_bytes;
        let rate = |index: usize| candidates[index].metrics.samples_per_s;
        feasible.sort_by(|a, b| {
            let loss = |index: usize| candidates[index].quality.eval_loss.unwrap_or(f64::INFINITY);
            peak(*a)
                .cmp(&peak(*b))
                .then_with(|| rate(*b).unwrap_or(0.0).total_cmp(&rate(*a).unwrap_or(0.0)))
                .then_with(|| loss(*a).total_cmp(&loss(*b)))
        });
        let baseline = candidates.iter().zip(&doc.paper.places).position(|(candidate, place)| {
            candidate.is_baseline()
                && !place.unnamed
                && candidate.status == Status::Ok
                && candidate.metrics.peak_allocated_bytes.is_some()
                && candidate.metrics.samples_per_s.is_some()
        });
        let best = feasible.first().copied();
        let pair = baseline.zip(best);
        let saving_bytes =
            pair.and_then(|(a, b)| i64::try_from(peak(a)?).ok()?.checked_sub(i64::try_from(peak(b)?).ok()?));
        let ratio = pair.and_then(|(a, b)| Some(rate(b)? / rate(a)?));
        Self { rows, feasible, baseline, saving_bytes, ratio }
    }

    pub(crate) fn best(&self) -> Option<usize> {
        self.feasible.first().copied()
    }

    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    pub(crate) fn quality_failed(&self) -> usize {
        self.rows.iter().filter(|row| row.reasons.contains(&"quality_over_floor")).count()
    }

    pub(crate) fn saving_is_enough(&self, limits: &Limits) -> bool {
        let least = limits.min_saving.saturating_sub(NOISE_BYTES);
        self.saving_bytes.is_some_and(|saving| u64::try_from(saving).is_ok_and(|saving| saving >= least))
            || limits.min_saving == 0
    }

    pub(crate) fn ratio_is_enough(&self, limits: &Limits) -> bool {
        self.ratio.is_some_and(|ratio| ratio >= limits.min_ratio * (1.0 - NOISE))
    }

    /// The first rule that holds, in the course's order.
    pub(crate) fn decide(&self, limits: &Limits, is_75: bool) -> Decision {
        // Labs 75 and 76 share the rules and differ in their words.
        let words = |for_76: &'static str, for_75: &'static str| if is_75 { for_75 } else { for_76 };
        if self.baseline.is_none() {
            return baseline_missing();
        }
        let Some(best) = self.best() else {
            return concluded(
                Word::Reject,
                "no_strategy_meets_budget_and_quality",
                words("rework_checkpoint_or_offload_scope", "tighten_batch_or_rework_memory_plan"),
            );
        };
        let (saves, fast) = (self.saving_is_enough(limits), self.ratio_is_enough(limits));
        if Some(best) != self.baseline && saves && fast {
            return concluded(
                Word::Accept,
                words("strategy_is_best_feasible_option", "compression_strategy_is_best_feasible_option"),
                "promote_to_training_run",
            );
        }
        let (reason, next_action) = if self.quality_failed() > 0 {
            (
                words("strategy_needs_quality_recovery", "compression_needs_quality_recovery"),
                words("adjust_checkpoint_granularity_or_offload_scope", "adjust_checkpoint_scope_or_batch_plan"),
            )
        } else if !saves {
            (
                "memory_saving_below_meaningful_threshold",
                words("test_pressure_or_offload_scope", "test_larger_pressure_or_optimizer_compression"),
            )
        } else if !fast {
            ("throughput_loss_exceeds_budget", words("reduce_checkpoint_or_offload_scope", "reduce_compression_scope"))
        } else {
            ("baseline_still_best_under_current_budget", words("revisit_strategy_mix", "revisit_memory_strategy_mix"))
        };
        concluded(Word::Tune, reason, next_action)
    }
}

/// Whether a peak keeps a cap; the noise of rounded MiB is let through.
pub(crate) fn fits(peak_bytes: u64, cap_bytes: u64) -> bool {
    peak_bytes <= cap_bytes.saturating_add(NOISE_BYTES)
}

/// Whether a rate reaches its floor.
pub(crate) fn fast_enough(samples_per_s: f64, least: f64) -> bool {
    samples_per_s >= least * (1.0 - NOISE)
}

/// Whether a held-out loss keeps its ceiling.
pub(crate) fn good_enough(eval_loss: f64, most: f64) -> bool {
    eval_loss <= most + LOSS_ROUNDING
}

fn row(doc: &Document, index: usize, limits: &Limits) -> Row {
    let candidate = &doc.report.candidates[index];
    let row = |verdict, reasons| Row { name: candidate.name.clone(), verdict, reasons };
    if doc.paper.places.get(index).is_none_or(|place| place.unnamed) {
        return row(Verdict::Invalid, vec!["missing_or_duplicate_name"]);
    }
    if candidate.status == Status::Oom {
        return row(Verdict::Oom, vec!["oom"]);
    }
    let metrics = &candidate.metrics;
    let eval_loss = candidate.quality.eval_loss;
    let complete = metrics.peak_allocated_bytes.zip(metrics.samples_per_s);
    let Some((peak, rate)) =
        complete.filter(|_| candidate.status != Status::Failed && (eval_loss.is_some() || !limits.needs_loss))
    else {
        return row(Verdict::Invalid, vec!["missing_or_non_numeric_metric"]);
    };
    let mut reasons = Vec::new();
    if limits.cap.is_some_and(|cap| !fits(peak, cap)) {
        reasons.push("memory_over_budget");
    }
    if limits.min_samples_per_s.is_some_and(|least| !fast_enough(rate, least)) {
        reasons.push("throughput_below_floor");
    }
    if limits.max_eval_loss.zip(eval_loss).is_some_and(|(most, loss)| !good_enough(loss, most)) {
        reasons.push("quality_over_floor");
    }
    row(if reasons.is_empty() { Verdict::Feasible } else { Verdict::Rejected }, reasons)
}
