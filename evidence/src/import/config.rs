//! The workload of the course's training labs.

use serde_json::Value;

use super::values::Reader;
use super::{Fault, FaultKind};
use crate::read::Locate as _;
use crate::report::Budget;
use crate::{Phrase, Training};

/// Where a setting may stand: the configuration itself first, then its copies.
const HOMES: [&str; 3] = ["/config", "/experiment", "/planning_context/model"];

/// Pointer and value of a setting, under any of its names, in the first block that states it.
pub(crate) fn setting<'a>(raw: &'a Value, names: &[&str]) -> Option<(String, &'a Value)> {
    HOMES.iter().find_map(|home| {
        names.iter().find_map(|name| {
            let pointer = format!("{home}/{name}");
            raw.locate(&pointer).filter(|value| !value.is_null()).map(|value| (pointer, value))
        })
    })
}

/// Our id of a dtype as PyTorch writes it: `torch.bfloat16` and `bfloat16` are `bf16`. Unknown words stay as they are.
pub(crate) fn dtype_id(name: &str) -> String {
    let bare = name.strip_prefix("torch.").unwrap_or(name).to_ascii_lowercase();
    match bare.as_str() {
        "float32" | "float" | "fp32" => "fp32",
        "bfloat16" | "bf16" => "bf16",
        "float16" | "half" | "fp16" => "fp16",
        other => other,
    }
    .to_owned()
}

fn text(reader: &mut Reader<'_>, names: &[&str]) -> Option<String> {
    let (pointer, _) = setting(reader.raw, names)?;
    reader.text(&pointer)
}

fn count(reader: &mut Reader<'_>, names: &[&str]) -> Option<u64> {
    let (pointer, _) = setting(reader.raw, names)?;
    reader.count(&pointer)
}

/// Words of a dtype that a training step can have.
const DTYPES: [&str; 9] = ["fp32", "bf16", "fp16", "tf32", "fp64", "float64", "fp8", "float8_e4m3fn", "float8_e5m2"];

/// The id of a dtype. An unknown word stays, so that it can be quoted, and is a fault.
fn dtype(reader: &mut Reader<'_>, names: &[&str]) -> Option<String> {
    let (pointer, _) = setting(reader.raw, names)?;
    let id = dtype_id(&reader.text(&pointer)?);
    if !DTYPES.contains(&id.as_str()) {
        reader.faults.push(Fault {
            kind: FaultKind::Type,
            pointer,
            expected: Phrase::plain("float32 | bfloat16 | float16"),
            found: Phrase::plain(format!("{:?}", super::quotable(&id))),
        });
    }
    Some(id)
}

/// The workload that a file states. `compute` is what its matrix products use, if it says so.
pub(super) fn training(reader: &mut Reader<'_>) -> Training {
    let dtype = self::dtype(reader, &["param_dtype", "dtype"]);
    let amp = self::dtype(reader, &["compute_dtype", "amp_dtype"]);
    let mode = text(reader, &["mode"]);
    let torch = text(reader, &["torch"]);
    // The checks read these two again; here only their types are looked at.
    count(reader, &["repeats"]);
    // A device may be described by an object or listed for each rank.
    if setting(reader.raw, &["device"]).is_some_and(|(_, value)| super::device::texts(value).is_empty()) {
        text(reader, &["device"]);
    }
    let tf32 = setting(reader.raw, &["allow_tf32"]).and_then(|(_, value)| value.as_bool());
    Training {
        model: text(reader, &["model_id", "model"]),
        label: text(reader, &["workload"]),
        compute_dtype: match mode.as_deref() {
            Some("bf16") => amp.or_else(|| Some("bf16".to_owned())),
            Some("fp32") => dtype.clone(),
            _ => amp.or_else(|| dtype.clone()),
        },
        param_dtype: dtype,
        matmul_precision: text(reader, &["matmul_precision", "float32_matmul_precision"])
            .or_else(|| tf32.map(|on| if on { "tf32" } else { "ieee" }.to_owned())),
        batch: count(reader, &["batch_size"]),
        seq: count(reader, &["seq_len"]),
        optimizer: text(reader, &["optimizer"]),
        warmup: count(reader, &["warmup"]),
        iters: count(reader, &["iters"]),
        seed: count(reader, &["seed"]),
        framework: torch.map(|version| format!("torch {version}")),
    }
}

/// `budget` and `quality_floor` of labs 75 and 76.
pub(super) fn budget(reader: &mut Reader<'_>) -> Budget {
    Budget {
        memory_cap_bytes: reader.mib_field("/budget/memory_cap_mb", false),
        min_samples_per_s: reader.not_negative("/budget/min_samples_per_s"),
        min_memory_saving_bytes: reader
            .not_negative("/budget/min_memory_saving_mb")
            .map(|mib| (mib * super::MIB).round() as u64),
        min_throughput_ratio: reader.not_negative("/budget/min_throughput_ratio"),
        max_eval_loss: match reader.number("/quality_floor/max_val_loss") {
            Some(loss) => Some(loss),
            None => reader.number("/quality_floor/max_eval_loss"),
        },
        ..Budget::default()
    }
}
