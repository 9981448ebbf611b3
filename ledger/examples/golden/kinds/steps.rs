//! Whole training steps and what stays between them.

use std::path::Path;

use ledger::training::{self, Checkpointing, Optimizer, Precision, tracked};

use super::{Answer, Got, model, need, whole};
use crate::case::Case;

pub fn compute(case: &Case, folder: &Path) -> Answer {
    match case.kind() {
        "ledger_real" | "ledger_fake" => step(case, folder),
        "model_states" => states(case, folder),
        "adam8bit_states" => {
            let Some(model) = model(case, folder)? else { return Ok(None) };
            let all = training::state_bytes(&model, Precision::Fp32, Optimizer::AdamW8bit)?;
            whole(all - training::state_bytes(&model, Precision::Fp32, Optimizer::Sgd)?)
        }
        "offload_time" => {
            let bytes = need(case, "bytes", case.whole("bytes"))?;
            let rate = need(case, "bytes_per_s", case.real("bytes_per_s"))?;
            Ok(Some(Got::Real(bytes as f64 / rate)))
        }
        _ => Ok(None),
    }
}

fn step(case: &Case, folder: &Path) -> Answer {
    let Some(model) = model(case, folder)? else { return Ok(None) };
    let precision = match case.text("dtype") {
        Some("float32") => Precision::Fp32,
        Some("bfloat16") => Precision::PureBf16,
        _ => return Ok(None),
    };
    let name = case.text("opt").or_else(|| case.id.rsplit('/').nth(1)?.rsplit('_').next());
    let optimizer = match name {
        Some("adamw") => Optimizer::AdamWForeach,
        Some("sgd") => Optimizer::Sgd,
        _ => return Ok(None),
    };
    let checkpointing =
        if case.flag("ckpt").unwrap_or(false) { Checkpointing::EveryLayer } else { Checkpointing::None };
    let (batch, seq) = (need(case, "b", case.whole("b"))?, need(case, "s", case.whole("s"))?);
    let tracked = tracked(&model, precision, optimizer, batch, seq, checkpointing)?;
    match case.id.rsplit('/').next() {
        Some("after_forward") => whole(tracked.after_forward),
        Some("after_backward") => whole(tracked.after_backward),
        Some("after_step") => whole(tracked.after_step),
        Some("peak") => whole(tracked.peak),
        _ => Ok(None),
    }
}

fn states(case: &Case, folder: &Path) -> Answer {
    let Some(model) = model(case, folder)? else { return Ok(None) };
    let parameters = model.parameters()?;
    let (precision, optimizer) = match case.text("optimizer") {
        Some("adamw_mixed_bf16grad") => (Precision::Bf16Master, Optimizer::AdamWForeach),
        Some("adamw_mixed_fp32grad") => (Precision::Bf16MasterFp32Grad, Optimizer::AdamWForeach),
        Some("adamw_fp32") => (Precision::Fp32, Optimizer::AdamWForeach),
        Some("adamw_pure_bf16") => (Precision::PureBf16, Optimizer::AdamWForeach),
        Some("sgd_fp32") => (Precision::Fp32, Optimizer::Sgd),
        Some("sgd_momentum_fp32") => (Precision::Fp32, Optimizer::Momentum),
        // Counted without the block scales.
        Some("adam8bit_mixed_master") => {
            let without = training::state_bytes(&model, Precision::Bf16Master, Optimizer::Sgd)?;
            return whole(without + 2 * parameters);
        }
        _ => return Ok(None),
    };
    whole(training::state_bytes(&model, precision, optimizer)?)
}
