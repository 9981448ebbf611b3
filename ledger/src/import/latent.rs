//! Multi-head latent attention of DeepSeek and Kimi.

use super::{ImportError, Reader};
use crate::{Family, Latent};

pub(super) fn read(reader: &Reader<'_>, family: Family) -> Result<Option<Latent>, ImportError> {
    if !matches!(family, Family::DeepseekV2 | Family::DeepseekV3 | Family::KimiK2) {
        return Ok(None);
    }
    // `q_lora_rank: null` means a direct projection of the queries, which V2-Lite has; absent is the class's 1536.
    let q_rank = match reader.size("q_lora_rank")? {
        None if reader.is_null("q_lora_rank") => None,
        None => Some(1_536),
        stated => stated,
    };
    Ok(Some(Latent {
        q_rank,
        kv_rank: reader.size_or("kv_lora_rank", 512)?,
        nope_dim: reader.size_or("qk_nope_head_dim", 128)?,
        rope_dim: reader.size_or("qk_rope_head_dim", 64)?,
        value_dim: reader.size_or("v_head_dim", 128)?,
    }))
}
