//! Which known shape a file of no known shape comes nearest to.

use serde_json::Value;

use crate::Shape;
use crate::read::Locate as _;

/// What tells a shape from the others. Where two shapes share keys, each has some of its own.
const SIGNS: [(Shape, &[&str]); 16] = [
    (Shape::V1, &["/schema", "/lab", "/workload", "/level", "/candidates"]),
    (
        Shape::Lab73Paired,
        &[
            "/stage",
            "/config/model_id",
            "/baseline/step_time_ms",
            "/baseline/peak_mem_mb",
            "/tuned/step_time_ms",
            "/tuned/peak_mem_mb",
            "/decision",
        ],
    ),
    (
        Shape::Lab73Probe,
        &["/stage", "/config/model_id", "/candidate/step_time_ms", "/candidate/peak_mem_mb", "/decision"],
    ),
    (
        Shape::Lab76,
        &["/stage", "/source_baseline", "/config", "/budget", "/quality_floor", "/candidates", "/summary", "/decision"],
    ),
    (
        Shape::Lab75,
        &[
            "/stage",
            "/source",
            "/planning_context",
            "/budget",
            "/quality_floor",
            "/candidates",
            "/sensitivity",
            "/decision",
        ],
    ),
    (Shape::TrainingMemoryV1, &["/schema_version", "/stage", "/config", "/candidates/0/metrics", "/legacy_source"]),
    (Shape::Lab74Profile, &["/stage", "/source_76", "/trace_root", "/candidates", "/profile"]),
    (Shape::Lab74Merge, &["/schema_version", "/sources", "/upstream", "/profiling", "/roofline", "/decision"]),
    (Shape::Lab66Raw, &["/label", "/model", "/workload", "/metrics/ttft_ms", "/metrics/tpot_ms", "/metrics/e2e_ms"]),
    (
        Shape::InferenceBenchmark,
        &["/schema_version", "/strategy", "/role", "/config", "/metrics", "/quality", "/status", "/evidence_level"],
    ),
    (Shape::FineTuning, &["/schema_version", "/baseline", "/candidates", "/quality", "/resources", "/artifacts"]),
    (
        Shape::Quantization,
        &["/schema_version", "/chapter", "/baseline", "/candidate", "/mechanism_metrics", "/decision"],
    ),
    (
        Shape::Distributed,
        &[
            "/project",
            "/strategy",
            "/workload",
            "/hardware",
            "/metrics/step_time_ms_per_rank",
            "/metrics/peak_memory_mb_per_rank",
        ],
    ),
    (Shape::Architecture, &["/schema_version", "/role", "/references", "/rows", "/evidence_level", "/decision"]),
    (Shape::ProjectEvidence, &["/schema_version", "/record_type", "/evidence_level", "/status", "/decision"]),
    (
        Shape::TrainingMechanism,
        &[
            "/schema_version",
            "/experiment",
            "/environment",
            "/config",
            "/paths/baseline",
            "/paths/candidate",
            "/correctness",
        ],
    ),
];

/// The nearest shape and the places that it has and the file lacks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Nearest {
    pub(crate) shape: Shape,
    pub(crate) missing: Vec<&'static str>,
}

/// The shape of which the largest share is there; none where no sign of any shape is.
pub(crate) fn nearest(raw: &Value) -> Option<Nearest> {
    let share = |signs: &[&str]| signs.iter().filter(|sign| raw.locate(sign).is_some()).count() * 1000 / signs.len();
    // The first of equals: shapes that more people write come first.
    let (shape, signs) =
        SIGNS.iter().rev().max_by_key(|(_, signs)| share(signs)).filter(|(_, signs)| share(signs) > 0)?;
    Some(Nearest { shape: *shape, missing: signs.iter().copied().filter(|sign| raw.locate(sign).is_none()).collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_nearest_shape_and_its_gaps_are_named() {
        let almost = json!({
            "stage": "my_stage", "config": {"model_id": "m"}, "baseline": {"step_time_ms": 1.0},
            "tuned": {"step_time_ms": 1.0, "peak_mem_mb": 2.0},
        });
        let missing = vec!["/baseline/peak_mem_mb", "/decision"];
        assert_eq!(nearest(&almost), Some(Nearest { shape: Shape::Lab73Paired, missing }));
        assert_eq!(nearest(&json!({"recipe": "soup"})), None);
    }
}
