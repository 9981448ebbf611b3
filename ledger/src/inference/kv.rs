//! The KV cache.
//!
//! Per token: 2 (key and value) × layers × key-value heads × head size × bytes, for MHA, GQA and MQA alike
//! (shapes of the cache tensors in transformers). Latent attention keeps one compressed vector and one rotary key per
//! token and layer instead: layers × (rank + rotary size) × bytes. A layer with a window of `w` keeps at most `w − 1` past tokens.

use std::borrow::Cow;

use super::{Inference, PageFormat, page_bytes};
use crate::{
    Dtype, Entry, LedgerError, Model, Object, Phase, Span,
    formula::{Term, b, n},
};

/// Bytes that one more token adds while every layer attends to everything, rounded up for formats below a byte.
pub fn kv_per_token(model: &Model, dtype: Dtype) -> Result<u64, LedgerError> {
    Ok(per_token_term(model, dtype)?.0)
}

pub(crate) fn per_token_term(model: &Model, dtype: Dtype) -> Result<(u64, String), LedgerError> {
    model.validate()?;
    elements(model, model.layers).of_bits(dtype.bits()).finish("kv_per_token")
}

/// Cache bytes of `batch` sequences of `seq` tokens; a sliding layer stops growing at its window.
pub fn kv_bytes(model: &Model, dtype: Dtype, batch: u64, seq: u64) -> Result<u64, LedgerError> {
    model.validate()?;
    Ok(term(model, dtype, batch, seq).finish("kv")?.0)
}

/// As [`kv_bytes`], in a format with its scales.
///
/// ```
/// use ledger::{catalogue, inference::{self, PageFormat}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// // INT4 in groups of 64 with a 16-bit scale and zero point: 4.5 bits per number.
/// let format: PageFormat = "int4_group64".parse().expect("a format");
/// assert_eq!(inference::kv_bytes_in(model, format, 1, 8192)?, (1 << 30) * 45 / 160);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`super::page_bytes`].
pub fn kv_bytes_in(model: &Model, format: PageFormat, batch: u64, seq: u64) -> Result<u64, LedgerError> {
    let one = page_bytes(model, 1, format)?;
    let held = |layers: u64, tokens: u64| n(layers) * b(one) * n(tokens) * n(batch);
    let term = match model.window {
        Some(window) if seq >= window.tokens => {
            held(model.layers - window.layers, seq) + held(window.layers, window.tokens - 1)
        }
        _ => held(model.layers, seq),
    };
    Ok(term.finish("kv")?.0)
}

/// Numbers per token in `layers` layers.
fn elements(model: &Model, layers: u64) -> Term {
    if let Some(latent) = &model.latent {
        return n(layers) * (n(latent.kv_rank) + n(latent.rope_dim));
    }
    n(2) * n(layers) * n(model.kv_heads) * n(model.head_dim)
}

/// `numbers × bytes × tokens × batch`, with bits where a number is less than a byte.
fn held(numbers: Term, dtype: Dtype, tokens: u64, batch: u64) -> Term {
    match dtype.bits() % 8 {
        0 => numbers.of_bits(dtype.bits()) * n(tokens) * n(batch),
        _ => (numbers * n(tokens) * n(batch)).of_bits(dtype.bits()),
    }
}

pub(crate) fn term(model: &Model, dtype: Dtype, batch: u64, seq: u64) -> Term {
    match model.window {
        Some(window) if seq >= window.tokens => {
            let sliding = held(elements(model, window.layers), dtype, window.tokens - 1, batch);
            match model.layers - window.layers {
                0 => sliding,
                full => held(elements(model, full), dtype, seq, batch) + sliding,
            }
        }
        _ => held(elements(model, model.layers), dtype, seq, batch),
    }
}

pub(crate) fn entry(model: &Model, workload: &Inference) -> Result<Entry, LedgerError> {
    let (bytes, formula) = term(model, workload.kv, workload.batch, workload.seq).finish("kv")?;
    Ok(Entry {
        object: Object::KvCache,
        part: Cow::Borrowed("kv"),
        span: Span::new(Phase::Prefill, Phase::Decode),
        bytes,
        formula,
    })
}
