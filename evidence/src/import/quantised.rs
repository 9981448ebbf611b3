//! Lab 67 and its chain (`quantization-evidence/v1`, `quantized-inference-project/v1`), and pages 25, 40 and 41.

use serde_json::Value;

use super::{Paper, assemble, content, inference, names};
use crate::read::Locate as _;
use crate::{Candidate, ReadError, Report, Shape, Workload};

pub(super) fn import(raw: &Value, sha256: &str) -> Result<(Report, Paper), ReadError> {
    let mut parts = assemble::parts(raw)?;
    let stage = raw.get("stage").and_then(Value::as_str).unwrap_or_default();
    let lab = match stage {
        "artifact_gate" => "82".to_owned(),
        "serving_profile" => "83".to_owned(),
        "floating_baseline" | "quantized_deployment" => "67".to_owned(),
        _ => assemble::number(raw)
            .or_else(|| content::lab(raw).map(str::to_owned))
            .unwrap_or_else(|| if stage == "matched_backend_measurement" { "67".to_owned() } else { String::new() }),
    };
    // A file of the chain holds one run; its stage tells which.
    if let ([run], true) = (parts.candidates.as_mut_slice(), parts.places.iter().all(|place| place.pointer.is_empty()))
    {
        match stage {
            "floating_baseline" => run.name = Candidate::BASELINE.to_owned(),
            "quantized_deployment" if run.name == "run" => {
                run.name = names::described(raw, "", &["format", "quantization_format"])
                    .and_then(|pointer| raw.locate(&pointer)?.as_str().map(super::quotable))
                    .unwrap_or_else(|| "quantized".to_owned());
            }
            _ => {}
        }
    }
    let workload = inference::workload(&mut parts.reader, "");
    Ok(assemble::report(Shape::Quantization, lab, Workload::Inference(workload), sha256, parts))
}
