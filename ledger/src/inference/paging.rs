//! A cache in blocks, as paged attention keeps it.
//!
//! Rules of vLLM (`v1/kv_cache_interface.py`, `v1/core/kv_cache_utils.py`): one page holds one block of tokens of one
//! layer, the pool is cut into pages for all layers alike.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    Dtype, Latent, LedgerError, Model,
    formula::{b, n},
};

/// How a page stores its numbers.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PageFormat {
    /// Bare numbers; a scale per tensor weighs nothing.
    Plain(Dtype),
    /// One FP32 scale per token and key-value head, for keys and for values.
    PerTokenHead(Dtype),
    /// A 16-bit scale and a 16-bit zero point per `group` numbers (KIVI, transformers' quantised cache).
    Grouped { dtype: Dtype, group: u64 },
    /// DeepSeek's latent in FP8 with an FP32 scale per 128 numbers, its rotary key in BF16.
    LatentFp8,
}

/// The name is no format of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown page format {0:?}")]
pub struct UnknownPageFormat(pub String);

impl FromStr for PageFormat {
    type Err = UnknownPageFormat;

    /// vLLM's names: `fp8_per_tensor`, `int8_per_token_head`, `fp8_ds_mla`; `int4_group64`; or a dtype.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPageFormat(name.to_owned());
        let dtype = |stem: &str| stem.parse::<Dtype>().map_err(|_| unknown());
        if name == "fp8_ds_mla" {
            return Ok(PageFormat::LatentFp8);
        }
        if let Some((stem, group)) = name.split_once("_group") {
            let group = group.parse().ok().filter(|group| *group > 0).ok_or_else(unknown)?;
            return Ok(PageFormat::Grouped { dtype: dtype(stem)?, group });
        }
        if let Some(stem) = name.strip_suffix("_per_token_head") {
            return dtype(stem).map(PageFormat::PerTokenHead);
        }
        dtype(name.strip_suffix("_per_tensor").unwrap_or(name)).map(PageFormat::Plain)
    }
}

/// Bytes of one token of a latent cache in DeepSeek's FP8 format: 656 for its sizes of 512 and 64.
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn latent_fp8_bytes(latent: &Latent) -> Result<u64, LedgerError> {
    let scales = n(latent.kv_rank).ceil_div(128) * b(4);
    Ok((n(latent.kv_rank) * b(1) + scales + n(latent.rope_dim) * b(2)).finish("latent_fp8")?.0)
}

/// Bytes of one page: `block` tokens of one layer.
///
/// # Errors
/// An inconsistent model, a block of zero tokens, a latent format for a model without latent attention, or a result
/// of 2⁶⁴ bytes and more.
pub fn page_bytes(model: &Model, block: u64, format: PageFormat) -> Result<u64, LedgerError> {
    model.validate()?;
    if block == 0 {
        return Err(LedgerError::Zero { field: "block" });
    }
    let per_token = || match &model.latent {
        Some(latent) => n(latent.kv_rank) + n(latent.rope_dim),
        None => n(2) * n(model.kv_heads) * n(model.head_dim),
    };
    let numbers = |dtype: Dtype| (n(block) * per_token()).of_bits(dtype.bits());
    let term = match (format, &model.latent) {
        (PageFormat::Plain(dtype), _) => numbers(dtype),
        (PageFormat::PerTokenHead(dtype), None) => numbers(dtype) + n(2) * n(block) * n(model.kv_heads) * b(4),
        (PageFormat::PerTokenHead(dtype), Some(_)) => numbers(dtype) + n(block) * b(4),
        (PageFormat::Grouped { group: 0, .. }, _) => return Err(LedgerError::Zero { field: "group" }),
        (PageFormat::Grouped { dtype, group }, _) => {
            numbers(dtype) + (n(block) * per_token()).ceil_div(group) * (b(2) + b(2))
        }
        (PageFormat::LatentFp8, Some(latent)) => n(block) * b(latent_fp8_bytes(latent)?),
        (PageFormat::LatentFp8, None) => {
            return Err(LedgerError::Unknown {
                field: "page format",
                found: "fp8_ds_mla".to_owned(),
                known: "formats for key-value heads: the model has no latent attention".to_owned(),
            });
        }
    };
    Ok(term.finish("page")?.0)
}

/// Pages per layer in `available` bytes.
///
/// # Errors
/// As [`page_bytes`].
pub fn pool_blocks(model: &Model, block: u64, format: PageFormat, available: u64) -> Result<u64, LedgerError> {
    Ok(available / page_bytes(model, block, format)? / model.layers)
}

/// Pages that one sliding layer reserves for a request: the window and the tokens of one scheduling step, no more
/// than the longest request, and one page more because a window starts anywhere in a block.
///
/// # Errors
/// A block of zero tokens or an overflow.
pub fn sliding_blocks(window: u64, step_tokens: u64, longest: u64, block: u64) -> Result<u64, LedgerError> {
    let tokens = window.saturating_sub(1).saturating_add(step_tokens).min(longest);
    Ok((n(blocks(tokens, block)?) + n(1)).finish("sliding_blocks")?.0)
}

/// Blocks that hold `seq` tokens: `⌈seq ÷ block⌉`.
///
/// # Errors
/// A block of zero tokens.
pub fn blocks(seq: u64, block: u64) -> Result<u64, LedgerError> {
    if block == 0 {
        return Err(LedgerError::Zero { field: "block" });
    }
    Ok(seq.div_ceil(block))
}

/// Blocks that `sequences` sequences of `seq` tokens hold when their first `prefix` tokens are the same: whole blocks of
/// the prefix exist once, with a reference count; the block in which sequences part is copied.
///
/// ```
/// // 100 requests of 1,000 tokens behind a system prompt of 800: 50 blocks once, 13 each.
/// assert_eq!(ledger::inference::shared_blocks(800, 1000, 100, 16)?, 50 + 100 * 13);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// A block of zero tokens, a prefix longer than the sequence, or an overflow.
pub fn shared_blocks(prefix: u64, seq: u64, sequences: u64, block: u64) -> Result<u64, LedgerError> {
    if prefix > seq {
        return Err(LedgerError::Contradiction {
            field: "prefix",
            value: prefix,
            other: "seq",
            other_value: seq,
            why: "a prefix is a part of the sequence",
        });
    }
    let each = blocks(seq, block)?;
    let shared = if sequences == 0 { 0 } else { prefix / block };
    Ok((n(shared) + n(sequences) * n(each - prefix / block)).finish("shared_blocks")?.0)
}

/// Bytes of the table that maps the places of `sequences` sequences of up to `longest` tokens to blocks: 32-bit numbers
/// (vLLM's `BlockTable`).
///
/// # Errors
/// A block of zero tokens or an overflow.
pub fn block_table_bytes(sequences: u64, longest: u64, block: u64) -> Result<u64, LedgerError> {
    Ok((n(sequences) * n(blocks(longest, block)?) * b(4)).finish("block_table")?.0)
}

/// Token places of the last block that stay empty.
///
/// # Errors
/// A block of zero tokens, or more than 2⁶⁴ places.
pub fn block_waste(seq: u64, block: u64) -> Result<u64, LedgerError> {
    Ok((n(blocks(seq, block)?) * n(block)).finish("block_waste")?.0 - seq)
}

/// Cache bytes per token on one of `ranks` tensor-parallel ranks. Heads are divided, and replicated where there are
/// fewer heads than ranks; a latent cache has one head and is replicated on every rank.
///
/// # Errors
/// An inconsistent model, zero ranks, or heads that do not divide.
pub fn kv_per_token_per_rank(model: &Model, dtype: Dtype, ranks: u64) -> Result<u64, LedgerError> {
    if ranks == 0 {
        return Err(LedgerError::Zero { field: "ranks" });
    }
    if model.latent.is_some() {
        return super::kv_per_token(model, dtype);
    }
    if !model.kv_heads.is_multiple_of(ranks) && !ranks.is_multiple_of(model.kv_heads) {
        return Err(LedgerError::Contradiction {
            field: "ranks",
            value: ranks,
            other: "kv_heads",
            other_value: model.kv_heads,
            why: "one must be a multiple of the other",
        });
    }
    let kv_heads = (model.kv_heads / ranks).max(1);
    super::kv_per_token(&Model { kv_heads, heads: kv_heads, ..model.clone() }, dtype)
}

/// Cache bytes per token of DeepSeek's sparse attention: the latent, and per layer an indexer key in FP8 with an FP32
/// scale per 128 numbers (SGLang, `pool_configurator.py`).
///
/// # Errors
/// A result of 2⁶⁴ bytes and more.
pub fn sparse_latent_per_token(
    layers: u64,
    latent_rank: u64,
    rope_dim: u64,
    index_dim: u64,
    dtype: Dtype,
) -> Result<u64, LedgerError> {
    let latent = (n(latent_rank) + n(rope_dim)).of_bits(dtype.bits());
    let index = n(index_dim) * b(1) + n(index_dim).ceil_div(128) * b(4);
    Ok((n(layers) * (latent + index)).finish("sparse_latent")?.0)
}
