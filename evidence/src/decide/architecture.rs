//! Labs 71 and 61: architectures, by calculation and by the reports they cite.

use serde_json::Value;

use super::concluded;
use crate::import::{cache_rows, citations};
use crate::read::Locate as _;
use crate::{Decision, Document, Word};

/// Lab 71: a ledger compares cache sizes and nothing else. Two models served side by side are an observation, which
/// needs a matched quality before anything is adopted.
pub(super) fn cache(doc: &Document) -> Option<Decision> {
    let runs = &doc.report.candidates;
    if runs.is_empty() {
        let rows = cache_rows(&doc.raw);
        let smallest = rows.iter().map(|row| row.bytes).min()?;
        let first = rows.first()?.bytes;
        return Some(if smallest < first {
            concluded(Word::Tune, "cache_is_smaller_by_ledger_only", "measure_on_a_backend_that_supports_it")
        } else {
            concluded(Word::Reject, "cache_is_not_smaller", "keep_baseline_representation")
        });
    }
    let failed = runs
        .iter()
        .any(|run| run.metrics.serving.as_ref().is_some_and(|serving| serving.successful_requests == Some(0)));
    Some(if failed {
        concluded(Word::Reject, "backend_run_failed", "repair_backend_and_rerun")
    } else {
        concluded(Word::Tune, "quality_and_memory_not_matched", "add_matched_quality_and_peak_memory")
    })
}

fn status_of(raw: &Value) -> Option<&str> {
    let decision = raw.get("decision")?;
    decision.as_str().or_else(|| decision.get("status").or_else(|| decision.get("decision"))?.as_str())
}

/// Lab 61 as an audit: it rejects what failed, waits for what is missing, and accepts the rest. Producers are looked up
/// among the linked reports by their SHA-256.
pub(super) fn audit(doc: &Document, linked: &[&Document]) -> Option<Decision> {
    let cited = citations(&doc.raw);
    if cited.is_empty() {
        return candidates(doc);
    }
    let config =
        ["/audit/config_decision", "/audit/config_audit"].into_iter().find_map(|pointer| doc.raw.locate(pointer));
    let config = config
        .and_then(|value| value.as_str().or_else(|| value.get("status").or_else(|| value.get("decision"))?.as_str()));
    let producers: Vec<Option<&Document>> = cited
        .iter()
        .map(|citation| {
            let sha256 = citation.sha256.as_deref()?;
            linked.iter().copied().find(|other| other.sha256.eq_ignore_ascii_case(sha256))
        })
        .collect();
    let failed = producers.iter().flatten().any(|producer| {
        let status = producer.raw.get("status").and_then(Value::as_str);
        status.is_some_and(|status| status != "ok") || status_of(&producer.raw) == Some("reject")
    });
    Some(if config == Some("reject") || failed {
        concluded(Word::Reject, "config_or_producer_failed", "fallback_to_baseline")
    } else if producers.iter().any(|producer| producer.and_then(|doc| status_of(&doc.raw)) != Some("accept")) {
        concluded(Word::Tune, "required_evidence_missing_or_not_accepted", "hand_in_the_cited_reports")
    } else {
        concluded(Word::Accept, "config_and_cited_evidence_accepted", "promote_to_extended_eval")
    })
}

/// Numbers that the older lab 61 lists for each candidate.
#[derive(Debug, Clone, Copy)]
struct Row {
    params: f64,
    memory: f64,
    step: f64,
    score: f64,
    cost: f64,
}

impl Row {
    fn read(value: &Value) -> Option<Self> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64).filter(|number| number.is_finite());
        Some(Self {
            params: number("params")?,
            memory: number("memory_mb")?,
            step: number("step_time_ms")?,
            score: number("score")?,
            cost: number("deploy_cost")?,
        })
    }
}

/// Lab 61 as a comparison of candidates, in the course's order.
fn candidates(doc: &Document) -> Option<Decision> {
    let raw = &doc.raw;
    let Some(items) = raw.get("candidates").and_then(Value::as_array) else {
        crate::import::counts_at(raw)?;
        return Some(concluded(Word::Tune, "ledger_compares_no_candidate", "add_candidates_or_cite_reports"));
    };
    let baseline = raw.get("baseline").and_then(Row::read).filter(|row| row.params > 0.0 && row.step > 0.0);
    let Some(baseline) = baseline else {
        return Some(concluded(Word::Reject, "baseline_incomplete", "repair_baseline_measurement"));
    };
    let limit = |names: &[&str]| {
        let homes = ["/budget", "/thresholds", "/config", ""];
        homes.iter().find_map(|home| names.iter().find_map(|name| raw.locate(&format!("{home}/{name}"))?.as_f64()))
    };
    let most = limit(&["param_budget", "parameter_budget", "max_params"])?;
    let cost = limit(&["max_deploy_delta"]).unwrap_or(0.0);
    let memory = limit(&["max_memory_delta_mb"]).unwrap_or(0.0);
    let step = limit(&["max_step_time_delta_ms"]).unwrap_or(0.0);
    let rows: Vec<Row> = items.iter().filter_map(Row::read).filter(|row| row.params <= most).collect();
    if rows.is_empty() {
        return Some(concluded(Word::Reject, "no_candidate_within_parameter_budget", "reduce_candidate_scope"));
    }
    let deployable: Vec<Row> = rows.into_iter().filter(|row| row.cost - baseline.cost <= cost + 1e-9).collect();
    if deployable.is_empty() {
        return Some(concluded(Word::Tune, "deployment_cost_over_limit", "refine_modules_or_capacity"));
    }
    let small = |row: &&Row| row.memory - baseline.memory <= memory;
    let quick = |row: &&Row| row.step - baseline.step <= step;
    let pools: [Vec<&Row>; 4] = [
        deployable.iter().filter(|row| small(row) && quick(row)).collect(),
        deployable.iter().filter(quick).collect(),
        deployable.iter().filter(small).collect(),
        deployable.iter().collect(),
    ];
    let pool = pools.iter().find(|pool| !pool.is_empty())?;
    let best = pool.iter().copied().reduce(|best, row| {
        let better = row.score > best.score || row.score == best.score && row.memory < best.memory;
        if better { row } else { best }
    })?;
    Some(if best.score > baseline.score && small(&best) && quick(&best) {
        concluded(Word::Accept, "score_budget_and_deployment_hold", "promote_to_extended_eval")
    } else if best.score > baseline.score {
        concluded(Word::Tune, "memory_or_step_time_over_limit", "refine_modules_or_capacity")
    } else {
        concluded(Word::Reject, "no_gain_in_score", "fallback_to_baseline")
    })
}
