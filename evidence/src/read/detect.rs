//! Which shape a file has.

use serde_json::Value;

use super::ReadError;
use crate::Shape;
use crate::import;

/// The shape, from the schema's name, the stage, and the keys, in this order.
///
/// # Errors
///
/// [`ReadError::UnknownShape`] for an object that says nothing at all.
pub(super) fn shape(raw: &Value) -> Result<Shape, ReadError> {
    let text = |key: &str| raw.get(key).and_then(Value::as_str);
    if text("schema") == Some(crate::SCHEMA) {
        return Ok(Shape::V1);
    }
    if import::declares_dry_run(raw) {
        return Ok(Shape::DryRun);
    }
    text("schema_version")
        .and_then(by_schema)
        .or_else(|| text("stage").and_then(|stage| by_stage(stage, raw)))
        .or_else(|| by_keys(raw))
        .or_else(|| import::shape_by_content(raw))
        .or_else(|| raw.as_object().is_some_and(|map| !map.is_empty()).then_some(Shape::Unrecognised))
        .ok_or(ReadError::UnknownShape)
}

fn by_schema(name: &str) -> Option<Shape> {
    let family = name.split('/').next().unwrap_or(name);
    Some(match family {
        "training-memory-benchmark" => Shape::TrainingMemoryV1,
        "profiling-project" | "profiling-optimization" | "profiling-optimization-benchmark" => Shape::Lab74Merge,
        "inference-benchmark" | "inference-baseline" => Shape::InferenceBenchmark,
        "quantization-evidence" | "quantized-inference-project" | "quantization-mechanism-gpu" => Shape::Quantization,
        "distributed-benchmark" => Shape::Distributed,
        "architecture-evaluation" => Shape::Architecture,
        "fine-tuning-project" => Shape::FineTuning,
        "project-evidence" => Shape::ProjectEvidence,
        _ => return None,
    })
}

fn by_stage(stage: &str, raw: &Value) -> Option<Shape> {
    Some(match stage {
        "measurement_baseline" if raw.get("candidate").is_some() && raw.get("baseline").is_none() => Shape::Lab73Probe,
        "measurement_baseline" => Shape::Lab73Paired,
        "bf16_capacity_probe" => Shape::Lab73Probe,
        "activation_checkpoint_offload_benchmark" => Shape::Lab76,
        "memory_budget_decision" => Shape::Lab75,
        "real_profiler_trace" => Shape::Lab74Profile,
        "upstream_report_merge" => Shape::Lab74Merge,
        "matched_backend_measurement"
        | "artifact_gate"
        | "floating_baseline"
        | "quantized_deployment"
        | "serving_profile" => Shape::Quantization,
        _ => return None,
    })
}

fn by_keys(raw: &Value) -> Option<Shape> {
    let has = |key: &str| raw.get(key).is_some();
    let inside = |key: &str, name: &str| raw.get(key).is_some_and(|value| value.get(name).is_some());
    if has("baseline") && has("tuned") && inside("baseline", "step_time_ms") {
        Some(Shape::Lab73Paired)
    } else if inside("candidate", "peak_mem_mb") {
        Some(Shape::Lab73Probe)
    } else if has("candidates") && (has("source_baseline") || has("baseline_validation")) {
        Some(Shape::Lab76)
    } else if has("candidates") && has("budget") && (has("sensitivity") || has("planning_context") || has("source")) {
        Some(Shape::Lab75)
    } else if has("candidates") && has("budget") && has("quality_floor") {
        Some(Shape::Lab76)
    } else if inside("paths", "baseline") && inside("paths", "candidate") {
        Some(Shape::TrainingMechanism)
    } else if inside("upstream", "76_strategy_summary") || inside("upstream", "73_training_baseline") {
        Some(Shape::Lab74Merge)
    } else if inside("baseline", "trainable_params") && has("candidates") {
        Some(Shape::FineTuning)
    } else if inside("metrics", "ttft_ms") && (has("base_url") || !has("project")) {
        Some(Shape::Lab66Raw)
    } else if has("profile") && has("candidates") {
        let by_name = raw.get("candidates").is_some_and(Value::is_object);
        Some(if by_name { Shape::Lab74Merge } else { Shape::Lab74Profile })
    } else if inside("metrics", "step_time_ms_per_rank") || inside("metrics", "max_rank_step_ms") {
        Some(Shape::Distributed)
    } else {
        None
    }
}
