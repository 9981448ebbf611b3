//! Files of the course that carry no name of their schema: told by the keys that only they have.

use serde_json::Value;

use crate::Shape;
use crate::read::Locate as _;

/// Keys, the shape and the lab of a file that has any of them in its root or in a block that holds results.
const KINDS: [(&[&str], Shape, &str); 15] = [
    (&["acceptance_rate", "proposed_tokens", "draft_cost_ms"], Shape::InferenceBenchmark, "68"),
    (&["token_reuse_rate", "cache_hit_rate", "hit_rate_evidence", "paired_summary"], Shape::InferenceBenchmark, "69"),
    (&["fairness", "evidence_boundary"], Shape::InferenceBenchmark, "70"),
    (&["unused_tail_tokens", "allocation_report", "block_table"], Shape::InferenceBenchmark, "22"),
    (&["kv_cache_tokens_peak", "prefill_share", "throughput_tok_s"], Shape::InferenceBenchmark, "66"),
    (&["greedy_prefix_agreement"], Shape::Quantization, "40"),
    (&["logit_mse", "state_dict_bytes"], Shape::Quantization, "41"),
    (&["state_storage_reduction_ratio"], Shape::Quantization, "25"),
    (&["error_within_budget", "error_budget", "compression_ratio"], Shape::Quantization, "67"),
    (&["single_replica_time_ms", "kv_handoff_bytes", "kv_handoff_ms"], Shape::Distributed, "81"),
    (&["effective_throughput", "load_skew_ratio", "received_tokens_per_rank"], Shape::Distributed, "80"),
    (&["rank_step_ms", "peak_memory_mb_per_rank"], Shape::Distributed, ""),
    (&["estimated_weight_memory_mb"], Shape::Architecture, "61"),
    (&["representation"], Shape::Architecture, "71"),
    (&["hit_rate"], Shape::InferenceBenchmark, "69"),
];

/// Blocks that hold results.
const RESULTS: [&str; 14] = [
    "",
    "/metrics",
    "/strategy_metrics",
    "/summary",
    "/baseline",
    "/candidate",
    "/quantized",
    "/mechanism_metrics",
    "/candidates/0",
    "/candidates/0/metrics",
    "/runs/0",
    "/runs/0/metrics",
    "/rows/0",
    "/ledger",
];

fn kind(raw: &Value) -> Option<(Shape, &'static str)> {
    // Page 40 lists its artifacts by name.
    let named = raw.get("candidates").and_then(Value::as_object).and_then(|map| map.values().next());
    let blocks: Vec<&Value> = RESULTS.iter().filter_map(|block| raw.locate(block)).chain(named).collect();
    let has = |key: &&str| blocks.iter().any(|block| block.get(*key).is_some());
    KINDS.iter().find(|(keys, _, _)| keys.iter().any(has)).map(|(_, shape, lab)| (*shape, *lab))
}

/// Numbers of labs and pages and the shape that their files have.
const NUMBERS: [(&[&str], Shape); 4] = [
    (&["22", "24", "34", "66", "68", "69", "70"], Shape::InferenceBenchmark),
    (&["25", "40", "41", "67", "82", "83"], Shape::Quantization),
    (&["27", "28", "29", "47", "79", "80", "81"], Shape::Distributed),
    (&["61", "71", "77", "78"], Shape::Architecture),
];

/// The shape of a file, told by its keys, else by the number of its lab if it holds results.
pub(crate) fn shape(raw: &Value) -> Option<Shape> {
    kind(raw).map(|(shape, _)| shape).or_else(|| {
        let results = ["metrics", "baseline", "candidate", "candidates", "groups", "sources", "rows"];
        if !results.iter().any(|key| raw.get(*key).is_some()) {
            return None;
        }
        let number = super::assemble::number(raw)?;
        NUMBERS.iter().find(|(numbers, _)| numbers.contains(&number.as_str())).map(|(_, shape)| *shape)
    })
}

/// The lab of a file, told by its keys alone.
pub(super) fn lab(raw: &Value) -> Option<&'static str> {
    kind(raw).map(|(_, lab)| lab).filter(|lab| !lab.is_empty())
}
