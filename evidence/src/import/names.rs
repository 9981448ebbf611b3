//! Where a file about inference or several devices keeps a value: the same meaning under many names, in many blocks.

use crate::read::Locate as _;
use serde_json::Value;

/// Blocks of one run in which a value may stand, nearest first.
const BLOCKS: [&str; 15] = [
    "",
    "/metrics",
    "/metrics/serving",
    "/metrics/speculative",
    "/metrics/prefix_cache",
    "/metrics/quantised",
    "/metrics/ranks",
    "/strategy_metrics",
    "/normalized_result/metrics",
    "/normalized_result/strategy_metrics",
    "/mechanism_metrics",
    "/allocation_report",
    "/summary",
    "/quality",
    "/cost",
];

/// Blocks in which a file describes what was run, nearest first.
const SETTINGS: [&str; 12] = [
    "/workload",
    "/config",
    "/normalized_result/config",
    "/group",
    "/experiment",
    "/experiment_contract",
    "/baseline_contract",
    "/normalized_result/config",
    "/parallel",
    "/manifest",
    "/artifact",
    "",
];

/// Blocks that hold thresholds.
const LIMITS: [&str; 7] = ["/thresholds", "/budget", "/gates", "/limits", "/quality_floor", "/config", ""];

/// Words that the course writes where nothing was measured.
const ABSENT: [&str; 6] =
    ["not_available", "not_applicable", "not_recorded", "not_collected", "unsupported", "unavailable"];

/// Whether a value says something: null and the course's words for "not measured" do not.
fn is_stated(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !ABSENT.contains(&text.as_str()),
        _ => true,
    }
}

fn first(raw: &Value, at: &str, blocks: &[&str], names: &[&str]) -> Option<String> {
    let home = raw.locate(at)?;
    blocks.iter().find_map(|block| {
        let block_value = home.locate(block)?;
        names
            .iter()
            .find(|name| block_value.get(**name).is_some_and(is_stated))
            .map(|name| format!("{at}{block}/{name}"))
    })
}

/// Pointer to a number of the run at a pointer.
pub(crate) fn locate(raw: &Value, at: &str, names: &[&str]) -> Option<String> {
    first(raw, at, &BLOCKS, names)
}

/// Pointer to a setting of the run at a pointer, or of the file.
pub(crate) fn described(raw: &Value, at: &str, names: &[&str]) -> Option<String> {
    first(raw, at, &SETTINGS, names).or_else(|| if at.is_empty() { None } else { first(raw, "", &SETTINGS, names) })
}

/// Pointer to a threshold of the file.
pub(super) fn threshold(raw: &Value, names: &[&str]) -> Option<String> {
    first(raw, "", &LIMITS, names)
}

pub(crate) const TTFT: &[&str] = &["ttft_ms", "ttft"];
pub(crate) const TPOT: &[&str] = &["tpot_ms", "tpot"];
pub(crate) const E2E: &[&str] = &["e2e_ms", "e2e_latency_ms", "total_ms", "e2e_latency"];
pub(crate) const QUEUE: &[&str] = &["queue_wait_ms", "avg_queue_wait_ms", "mean_queue_wait_ms", "queue_ms"];
pub(crate) const SUCCESSFUL: &[&str] = &["successful_requests", "completed_requests", "completed_count"];
pub(crate) const FAILED: &[&str] = &["failed_requests"];
pub(crate) const SUCCESS_RATE: &[&str] = &["success_rate"];
pub(crate) const OUTPUT_TOKENS: &[&str] = &["output_tokens", "total_output_tokens", "effective_output_tokens"];
pub(crate) const PROMPT_MEAN: &[&str] = &["prompt_tokens_mean"];
pub(crate) const DURATION: &[&str] = &["duration_s"];
pub(crate) const REQUEST_RATE: &[&str] =
    &["request_throughput_per_s", "throughput_requests_per_s", "requests_per_s", "request_throughput"];
pub(crate) const TOKEN_RATE: &[&str] = &[
    "output_token_throughput_per_s",
    "output_tokens_per_s",
    "throughput_tokens_per_s",
    "throughput_tok_s",
    "throughput_tps",
    "tokens_per_s",
    "throughput",
];
pub(crate) const MAKESPAN: &[&str] = &["makespan_ms"];
pub(crate) const UTILIZATION: &[&str] = &["utilization"];
pub(crate) const FAIRNESS: &[&str] = &["fairness"];
pub(crate) const HANDOFF_BYTES: &[&str] = &["kv_handoff_bytes", "handoff_total_bytes", "handoff_bytes"];
pub(crate) const HANDOFF_MS: &[&str] = &["kv_handoff_ms", "handoff_total_ms", "handoff_ms"];
pub(crate) const ACCEPTANCE: &[&str] = &["acceptance_rate"];
pub(crate) const PROPOSED: &[&str] = &["proposed_tokens"];
pub(crate) const ACCEPTED: &[&str] = &["accepted_tokens"];
pub(crate) const HIT_RATE: &[&str] = &["hit_rate", "cache_hit_rate", "prefix_cache_hit_rate"];
pub(crate) const REUSE_RATE: &[&str] = &["token_reuse_rate"];
pub(crate) const REUSED: &[&str] = &["reused_tokens"];
pub(crate) const MISSED: &[&str] = &["miss_tokens"];
pub(crate) const HIT_EVIDENCE: &[&str] = &["hit_rate_evidence", "hit_rate_source"];
pub(crate) const PEAK_MIB: &[&str] =
    &["peak_memory_mb", "peak_mem_mb", "vram_mb", "peak_memory_mib", "state_mb_per_rank"];
pub(crate) const PEAK_BYTES: &[&str] = &["peak_allocated_bytes", "peak_memory_bytes"];
pub(crate) const STATE_BYTES: &[&str] =
    &["state_bytes", "state_dict_bytes", "artifact_bytes", "quantized_bytes", "compressed_bytes", "weight_bytes"];
pub(crate) const RATIO: &[&str] = &["compression_ratio"];
pub(crate) const LATENCY: &[&str] =
    &["latency_ms", "median_latency_ms", "latency_median_ms", "latency_median", "generation_latency_ms"];
pub(crate) const ERROR: &[&str] = &["error", "max_error", "relative_error", "quant_error", "mean_abs_error"];
pub(crate) const MSE: &[&str] = &["output_mse", "logit_mse", "mse"];
pub(crate) const AGREEMENT: &[&str] = &["greedy_prefix_agreement"];
pub(crate) const STEP_RANKS: &[&str] = &["step_time_ms_per_rank", "rank_step_ms", "step_time_ms"];
pub(crate) const PEAK_RANKS: &[&str] = &["peak_memory_mb_per_rank"];
pub(crate) const PEAK_RANKS_BYTES: &[&str] = &["peak_allocated_bytes"];
pub(crate) const RECEIVED: &[&str] = &["received_tokens_per_rank", "received_tokens"];
pub(crate) const MAX_STEP: &[&str] = &["max_step_time_ms", "max_rank_step_ms"];
pub(crate) const MAX_PEAK: &[&str] = &["max_peak_memory_mb"];
pub(crate) const RANK_TOKENS: &[&str] = &["tokens_per_s_proxy", "tokens_per_s"];
pub(crate) const IMBALANCE: &[&str] =
    &["imbalance", "imbalance_ratio", "load_skew_ratio", "load_imbalance_ratio", "load_imbalance"];
pub(crate) const COMMUNICATION: &[&str] = &["comm_ms", "communication_ms", "comm_cost_ms", "max_communication_ms"];
pub(crate) const EFFECTIVE: &[&str] = &["effective_throughput", "effective_throughput_tokens_per_s"];
pub(crate) const OVERFLOW: &[&str] = &["overflow", "overflow_tokens"];
pub(crate) const STABILITY: &[&str] = &["stability"];
pub(crate) const WORLD: &[&str] = &["world_size", "num_gpus", "nproc", "num_ranks"];
pub(crate) const CONCURRENCY: &[&str] = &["concurrency", "max_concurrency"];
pub(crate) const MODEL: &[&str] = &["model", "model_id", "model_name"];
pub(crate) const DTYPE: &[&str] = &["dtype", "weight_dtype", "compute_dtype"];
pub(crate) const BACKEND: &[&str] = &["backend", "backend_adapter", "serving_backend"];
pub(crate) const KV_PER_TOKEN: &[&str] = &["kv_bytes_per_token"];
pub(crate) const REQUESTS: &[&str] = &["requests", "num_prompts", "num_requests"];
pub(crate) const GENERATED: &[&str] = &["generated_tokens", "max_tokens", "max_new_tokens"];
pub(crate) const SOURCE: &[&str] = &["source", "workload_path", "workload_id", "workload"];

/// The names under which a field of a workload may stand.
pub(crate) fn of_field(field: &str) -> &'static [&'static str] {
    match field {
        "model" => MODEL,
        "dtype" => DTYPE,
        "source" => SOURCE,
        "backend" => BACKEND,
        "requests" => REQUESTS,
        "max_tokens" => GENERATED,
        "warmup" => &["warmup"],
        "repeats" => &["repeats"],
        "batch" => &["batch", "batch_size"],
        "world_size" => WORLD,
        "micro_batch" => &["micro_batch", "batch_size", "batch"],
        "seq_len" => &["seq_len", "seq"],
        "gradient_accumulation" => &["gradient_accumulation", "accumulation"],
        "layers" => &["layers", "num_layers"],
        "hidden" => &["width", "hidden_dim", "hidden_size", "hidden"],
        "tokens_per_rank" => &["tokens_per_rank"],
        _ => &[],
    }
}
