//! Pages, pools and ranks of serving engines.

use std::path::Path;

use ledger::{
    Dtype, Latent,
    inference::{self, PageFormat},
};

use super::{Answer, Got, model, need, whole};
use crate::case::Case;

/// DeepSeek V3's, where a case names the format without a model.
const DEEPSEEK: Latent = Latent { q_rank: Some(1536), kv_rank: 512, nope_dim: 128, rope_dim: 64, value_dim: 128 };

pub fn compute(case: &Case, folder: &Path) -> Answer {
    let number = |key| need(case, key, case.whole(key));
    let dtype: Dtype = case.text("dtype").unwrap_or("bf16").parse()?;
    match case.kind() {
        "vllm_swa_request" => {
            let block = number("block_size")?;
            let page = 2 * block * number("kv_heads")? * number("head_dim")? * dtype.bits() / 8;
            let (window, step) = (number("sliding_window")?, number("max_num_batched_tokens")?);
            return whole(inference::sliding_blocks(window, step, number("max_model_len")?, block)? * page);
        }
        "sglang_dsa_indexer" => {
            return whole(inference::sparse_latent_per_token(
                number("layers")?,
                number("kv_lora_rank")?,
                number("qk_rope_head_dim")?,
                number("index_head_dim")?,
                dtype,
            )?);
        }
        "vllm_page" if case.text("kv_dtype") == Some("fp8_ds_mla") => {
            return whole(number("block_size")? * inference::latent_fp8_bytes(&DEEPSEEK)?);
        }
        _ => {}
    }
    let Some(model) = model(case, folder)? else { return Ok(None) };
    if case.kind().ends_with("tp_replication") || case.kind() == "kv_mla_tp" {
        return whole(inference::kv_per_token_per_rank(&model, dtype, number("tp")?)?);
    }
    let format: PageFormat = match case.text("kv_dtype") {
        Some(name) => name.parse()?,
        None => PageFormat::Plain(dtype),
    };
    let block = number("block_size")?;
    if case.kind() == "vllm_page" {
        return whole(inference::page_bytes(&model, block, format)?);
    }
    let pool = inference::pool_blocks(&model, block, format, number("available_bytes")?)?;
    match case.kind() {
        "vllm_num_blocks" => whole(pool),
        "vllm_kv_tokens" => whole(pool * block),
        "vllm_max_concurrency" => {
            let per_request = inference::blocks(number("max_model_len")?, block)?;
            Ok(Some(Got::Real(pool as f64 / per_request as f64)))
        }
        _ => Ok(None),
    }
}
