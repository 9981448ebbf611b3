//! Mixtures of experts.

use super::{ImportError, Reader, window::contains};
use crate::{Experts, Family};

/// No published model has more; bounds the walk over the layers.
pub(super) const MOST_LAYERS: u64 = 100_000;

pub(super) fn read(reader: &Reader<'_>, family: Family, layers: u64) -> Result<Option<Experts>, ImportError> {
    let experts = match family {
        Family::Mixtral => plain(reader, 8, 2, "intermediate_size", 14_336)?,
        Family::GptOss => Experts { biases: true, ..plain(reader, 128, 4, "intermediate_size", 2_880)? },
        Family::Qwen3Moe => Experts {
            dense_layers: sparse_steps(reader, layers)?,
            ..plain(reader, 128, 8, "moe_intermediate_size", 768)?
        },
        Family::Qwen2Moe => Experts {
            dense_layers: sparse_steps(reader, layers)?,
            shared_intermediate: reader.size_or("shared_expert_intermediate_size", 5_632)?,
            shared_gate: true,
            ..plain(reader, 60, 4, "moe_intermediate_size", 1_408)?
        },
        Family::DeepseekV2 | Family::DeepseekV3 | Family::KimiK2 => deepseek(reader, family, layers)?,
        _ => return Ok(None),
    };
    if experts.per_token > experts.total {
        return Err(ImportError::OutOfRange {
            pointer: reader.pointer("num_experts_per_tok"),
            min: 1,
            max: experts.total,
            found: experts.per_token.to_string(),
        });
    }
    Ok(Some(experts))
}

fn plain(reader: &Reader<'_>, total: u64, per_token: u64, width_key: &str, width: u64) -> Result<Experts, ImportError> {
    let stated = match reader.size("num_local_experts")? {
        Some(stated) => stated,
        None => reader.size_or("num_experts", total)?,
    };
    Ok(Experts {
        total: stated,
        per_token: reader.size_or("num_experts_per_tok", per_token)?,
        intermediate: reader.size_or(width_key, width)?,
        shared_intermediate: 0,
        dense_layers: 0,
        biases: false,
        shared_gate: false,
        correction: false,
    })
}

/// Qwen: a layer is sparse unless it is listed, or falls between the steps.
fn sparse_steps(reader: &Reader<'_>, layers: u64) -> Result<u64, ImportError> {
    let step = reader.size("decoder_sparse_step")?.unwrap_or(1);
    let listed = reader.list("mlp_only_layers")?.unwrap_or(&[]);
    let dense = |layer: u64| contains(listed, layer) || !(layer + 1).is_multiple_of(step);
    Ok((0..layers.min(MOST_LAYERS)).filter(|layer| dense(*layer)).count() as u64)
}

fn deepseek(reader: &Reader<'_>, family: Family, layers: u64) -> Result<Experts, ImportError> {
    let second = family == Family::DeepseekV2;
    let total = reader.size_or("n_routed_experts", if second { 64 } else { 256 })?;
    let width = reader.size_or("moe_intermediate_size", if second { 1_407 } else { 2_048 })?;
    let shared = reader.count("n_shared_experts")?.unwrap_or(if second { 2 } else { 1 });
    let first = reader.count("first_k_dense_replace")?.unwrap_or(if second { 0 } else { 3 });
    Ok(Experts {
        total,
        per_token: reader.size_or("num_experts_per_tok", if second { 6 } else { 8 })?,
        intermediate: width,
        shared_intermediate: shared.saturating_mul(width),
        dense_layers: first.min(layers),
        biases: false,
        shared_gate: false,
        // `e_score_correction_bias`
        correction: !second,
    })
}
