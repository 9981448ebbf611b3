//! Project 60, `fine-tuning-project/v1`: LoRA against full fine-tuning.

use serde_json::Value;

use super::made::Made;
use super::values::Reader;
use super::{Form, Paper, config, device, strategies, wrong_type};
use crate::{Budget, Candidate, ReadError, Report, Shape, Workload};

const OBJECTS: [&str; 7] =
    ["/config", "/baseline", "/quality", "/quality/data_audit", "/resources", "/artifacts", "/environment"];

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let shape = Shape::FineTuning;
    let mut reader = Reader::new(raw);
    for block in OBJECTS {
        if let Some(other) = reader.value(block).filter(|value| !value.is_object()) {
            return Err(wrong_type(block, "对象", "an object", other));
        }
    }
    let devices = device::places(raw);
    let device = device::facts(&devices, raw);
    let on_cpu = strategies::on_cpu(device.as_ref());
    let (mut candidates, mut places) = strategies::candidates(&mut reader, Form::FineTuning, on_cpu)?;
    // The baseline stands by itself and is often, not always, repeated among the candidates.
    if reader.value("/baseline").is_some() && !candidates.iter().any(Candidate::is_baseline) {
        let (baseline, place) = strategies::candidate(&mut reader, "/baseline", Form::FineTuning, on_cpu)?;
        candidates.insert(0, Candidate { name: Candidate::BASELINE.to_owned(), ..baseline });
        places.insert(0, place);
    }
    for place in &places {
        let losses = super::at(&place.pointer, "train_losses");
        if let Some(other) = reader.value(&losses).filter(|value| !value.is_array()) {
            return Err(wrong_type(&losses, "列表", "a list", other));
        }
        reader.count(&super::at(&place.pointer, "trainable_params"));
        reader.positive(&super::at(&place.pointer, "tokens_per_s"));
    }
    let mut workload = config::training(&mut reader);
    workload.iters = workload.iters.or_else(|| reader.count("/config/steps"));
    let level_word = strategies::level_word(&mut reader);
    let made = Made {
        lab: "60".to_owned(),
        workload: Workload::Training(workload),
        level: strategies::level(level_word.as_deref(), device.as_ref()),
        level_word,
        devices,
        device,
        candidates,
        places,
        budget: Budget::default(),
        projected: false,
    };
    Ok(made.report(shape, sha256, reader))
}
