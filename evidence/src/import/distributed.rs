//! Several devices: the producers of pages 27, 28 and 29 with one number a rank, `distributed-benchmark/v1` that gathers
//! them for labs 79 to 81, and the simulators of those labs.

use serde_json::Value;

use super::names;
use super::values::Reader;
use super::{Paper, assemble, content, dtype_id};
use crate::report::Distributed;
use crate::{ReadError, Report, Shape, Workload};

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let mut parts = assemble::parts(raw)?;
    let role = raw.get("role").and_then(Value::as_str).unwrap_or_default();
    let lab = assemble::number(raw).or_else(|| content::lab(raw).map(str::to_owned)).unwrap_or_else(|| {
        match role {
            "training_state_parallel" => "79",
            "moe_expert_parallel" => "80",
            "distributed_serving" => "81",
            _ => "",
        }
        .to_owned()
    });
    let at = parts.places.first().map(|place| place.pointer.clone()).unwrap_or_default();
    let workload = workload(&mut parts.reader, &at);
    Ok(assemble::report(Shape::Distributed, lab, Workload::Distributed(workload), sha256, parts))
}

/// What the run at a pointer did. Page 27 counts micro-batches of one rank.
pub(super) fn workload(reader: &mut Reader<'_>, at: &str) -> Distributed {
    Distributed {
        strategy: assemble::text(reader, at, &["strategy"]),
        world_size: assemble::count(reader, at, names::WORLD),
        model: assemble::text(reader, at, names::MODEL),
        param_dtype: assemble::text(reader, at, names::DTYPE).map(|dtype| dtype_id(&dtype)),
        batch: assemble::count(reader, at, &["micro_batch", "batch_size", "batch"]),
        seq: assemble::count(reader, at, &["seq_len", "seq"]),
        accumulation: assemble::count(reader, at, &["gradient_accumulation", "accumulation"]),
        layers: assemble::count(reader, at, &["layers", "num_layers"]),
        hidden: assemble::count(reader, at, &["width", "hidden_dim", "hidden_size", "hidden"]),
        tokens_per_rank: assemble::count(reader, at, &["tokens_per_rank"]),
        warmup: assemble::count(reader, at, &["warmup"]),
        repeats: assemble::count(reader, at, &["repeats"]),
    }
}

/// What the run at a pointer did, its faults apart.
pub(crate) fn workload_at(raw: &Value, at: &str) -> Distributed {
    workload(&mut Reader::new(raw), at)
}
