//! The rules that the course publishes for labs about inference and several devices.

use serde_json::Value;

use super::sides::{self, Compared, Sides};
use super::{Basis, Recomputed, architecture, parallel, quantised, serving};
use crate::read::Locate as _;
use crate::report::Budget;
use crate::rubric::DecisionRule;
use crate::{Candidate, Document, Workload};

/// Recomputes a decision by one of these rules; `None` where the rule is another module's.
pub(super) fn recompute(
    doc: &Document,
    rule: DecisionRule,
    limits: &Budget,
    linked: &[&Document],
) -> Option<Recomputed> {
    let (compared, sides) = sides::find(doc, linked, better(rule));
    let by = |decide: fn(Sides<'_>, &Budget) -> Option<crate::Decision>| sides.and_then(|sides| decide(sides, limits));
    let decision = match rule {
        DecisionRule::ServingLoad => by(serving::load),
        DecisionRule::Quantised => by(quantised::deployment),
        DecisionRule::Speculative => sides.and_then(|sides| serving::speculative(sides, limits, quality_failed(doc))),
        DecisionRule::PrefixCache => by(serving::prefix_cache),
        DecisionRule::Scheduler => sides.and_then(|sides| serving::scheduler(sides, limits, is_sweep(doc, &compared))),
        DecisionRule::QuantisedLayer => quantised::mechanism(doc, limits),
        DecisionRule::CacheLedger => architecture::cache(doc),
        DecisionRule::ModelAudit => architecture::audit(doc, linked),
        DecisionRule::StateParallel => sides.and_then(|sides| parallel::states(doc, sides, limits)),
        DecisionRule::ExpertParallel => by(parallel::experts),
        DecisionRule::Replicas => parallel::replicas(doc, sides, limits),
        _ => return None,
    };
    Some(Recomputed { basis: Basis::Published(compared), decision })
}

/// Which of two candidates is taken: the faster one.
fn better(rule: DecisionRule) -> impl Fn(&Candidate, &Candidate) -> bool {
    move |a, b| {
        let rate = |run: &Candidate| {
            let metrics = &run.metrics;
            match rule {
                DecisionRule::Replicas => {
                    metrics.serving.as_ref().and_then(|serving| serving.makespan_ms).map(|time| -time)
                }
                DecisionRule::StateParallel => metrics.ranks.as_ref().and_then(parallel::slowest).map(|time| -time),
                _ => metrics
                    .serving
                    .as_ref()
                    .and_then(|serving| serving.output_tokens_per_s)
                    .or_else(|| metrics.ranks.as_ref()?.effective_throughput)
                    .or_else(|| metrics.quantised.as_ref()?.throughput),
            }
        };
        match (rate(a), rate(b)) {
            (Some(a), Some(b)) => a > b,
            (Some(_), None) => true,
            _ => false,
        }
    }
}

/// Whether the file says that the quality of its candidate was not good enough.
fn quality_failed(doc: &Document) -> bool {
    let places =
        ["/quality_ok", "/quality/quality_ok", "/candidate/quality_ok", "/quality/ok", "/candidate/quality/ok"];
    places.into_iter().any(|pointer| doc.raw.locate(pointer) == Some(&Value::Bool(false)))
        || doc.raw.locate("/quality/status").and_then(Value::as_str) == Some("failed")
}

/// Whether only the load differs between the two runs of a comparison of schedulers.
pub(crate) fn is_sweep(doc: &Document, compared: &Compared) -> bool {
    let boundary = ["/evidence_boundary", "/evidence_level", "/config/experiment_type"]
        .into_iter()
        .filter_map(|pointer| doc.raw.locate(pointer)?.as_str())
        .any(|text| text.starts_with("load_sensitivity"));
    boundary || loads(doc, compared).is_some_and(|(before, after)| before != after)
}

/// The concurrency of both runs of one file, where it states them apart.
pub(crate) fn loads(doc: &Document, compared: &Compared) -> Option<(u64, u64)> {
    if !matches!(doc.report.workload, Workload::Inference(_)) || compared.linked.is_some() {
        return None;
    }
    let load = |index: Option<usize>| {
        let at = &doc.paper.places.get(index?)?.pointer;
        if at.is_empty() {
            return None;
        }
        let homes = ["/group", "/config", "/normalized_result/config", "/workload", ""];
        homes.iter().find_map(|home| doc.raw.locate(&format!("{at}{home}/concurrency"))?.as_u64())
    };
    load(compared.baseline).zip(load(compared.candidate))
}
