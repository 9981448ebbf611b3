//! Which layers attend to a window only.

use serde_json::Value;

use super::{ImportError, Reader};
use crate::{Family, Window};

pub(super) fn read(reader: &Reader<'_>, family: Family, layers: u64) -> Result<Option<Window>, ImportError> {
    let tokens = reader.size("sliding_window")?;
    let default = if reader.is_null("sliding_window") { None } else { default_tokens(family) };
    let Some(tokens) = tokens.or(default) else { return Ok(None) };
    let sliding = match stated_layers(reader, layers)? {
        Some(stated) => stated,
        None => pattern(reader, family, layers)?,
    };
    Ok(Some(Window { tokens, layers: sliding }).filter(|window| window.layers > 0))
}

fn default_tokens(family: Family) -> Option<u64> {
    match family {
        Family::Mistral
        | Family::Gemma2
        | Family::Gemma3
        | Family::Qwen2
        | Family::Qwen3
        | Family::Qwen2Moe
        | Family::Qwen3Moe => Some(4_096),
        Family::GptOss => Some(128),
        _ => None,
    }
}

/// `layer_types` lists every layer; of a list longer than the model only its layers count.
fn stated_layers(reader: &Reader<'_>, layers: u64) -> Result<Option<u64>, ImportError> {
    let Some(list) = reader.list("layer_types")? else { return Ok(None) };
    let within = usize::try_from(layers).unwrap_or(usize::MAX);
    let sliding = list.iter().take(within).filter(|kind| kind.as_str() == Some("sliding_attention"));
    Ok(Some(sliding.count() as u64))
}

fn pattern(reader: &Reader<'_>, family: Family, layers: u64) -> Result<u64, ImportError> {
    Ok(match family {
        Family::Mistral | Family::Phi3 => layers,
        // Layers 0, 2, 4 … slide.
        Family::Gemma2 | Family::GptOss => layers.div_ceil(2),
        // Every sixth layer sees everything.
        Family::Gemma3 => {
            let every = reader.size("sliding_window_pattern")?.unwrap_or(6);
            layers - layers / every
        }
        Family::Mixtral => layers,
        // Off unless switched on.
        Family::Qwen2 | Family::Qwen3 | Family::Qwen2Moe | Family::Qwen3Moe => {
            let border = reader.count("max_window_layers")?.unwrap_or(28);
            match (reader.flag("use_sliding_window")?.unwrap_or(false), family) {
                (false, _) => 0,
                (true, Family::Qwen3Moe) => layers,
                // Layers 0, 2, 4 … below the border.
                (true, Family::Qwen2Moe) => layers.min(border).div_ceil(2),
                // Layers from the border on.
                (true, _) => layers.saturating_sub(border),
            }
        }
        _ => 0,
    })
}

/// The items of a list that are strings, for messages and tests of membership.
pub(super) fn contains(list: &[Value], wanted: u64) -> bool {
    list.iter().any(|item| item.as_u64() == Some(wanted))
}
