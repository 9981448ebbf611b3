//! KV cache.

use std::path::Path;

use ledger::{Dtype, inference};

use super::{Answer, model, need, whole};
use crate::case::Case;

pub fn compute(case: &Case, folder: &Path) -> Answer {
    let dtype: Dtype = case.text("dtype").unwrap_or("bf16").parse()?;
    match case.kind() {
        "kv_per_token_bf16" => {
            let Some(model) = model(case, folder)? else { return Ok(None) };
            whole(inference::kv_per_token(&model, dtype)? * case.whole("batch").unwrap_or(1))
        }
        "kv_total" | "kv_hf_measured" => {
            let Some(model) = model(case, folder)? else { return Ok(None) };
            let (batch, seq) = (case.whole("batch").unwrap_or(1), need(case, "seq", case.whole("seq"))?);
            whole(inference::kv_bytes(&model, dtype, batch, seq)?)
        }
        "paged_waste" => {
            let Some(model) = model(case, folder)? else { return Ok(None) };
            let block = need(case, "block_size", case.whole("block_size"))?;
            let seq = need(case, "seq", case.whole("seq"))?;
            whole(inference::block_waste(seq, block)? * inference::kv_per_token(&model, dtype)?)
        }
        _ => Ok(None),
    }
}
