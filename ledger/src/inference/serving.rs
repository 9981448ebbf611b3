//! A serving engine with a paged cache: what its phases hold, and how much a card takes.
//!
//! Rules of the pool: vLLM's `v1/core/kv_cache_utils.py`. Layers of a hybrid model are put into groups of one size; one
//! block holds the pages of one group, so that a request takes blocks for each group by that group's rule.

use serde::{Deserialize, Serialize};

use super::{
    PageFormat, Prefill, PromptAttention, Reserves, WeightFormat, blocks, fit::largest, page_bytes, prefill,
    sliding_blocks, weights_in,
};
use crate::{
    Entry, LedgerError, Model, Object, Phase, Span,
    formula::{Term, b, n, sum},
};

/// What is served and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Serving {
    pub weights: WeightFormat,
    pub cache: PageFormat,
    /// Tokens per block.
    pub block: u64,
    /// Sequences at the same time.
    pub batch: u64,
    /// Tokens per sequence, prompt and output together (vLLM's `max_model_len`).
    pub seq: u64,
    pub prefill: Prefill,
    pub reserves: Reserves,
}

/// The entries of a serving engine and its phases. All sizes in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingLedger {
    /// Every object with its largest size. A layer's activations and the logits are never alive together.
    pub entries: Vec<Entry>,
    /// Once loaded: weights and reserves.
    pub load: u64,
    /// All sequences cached, one pass over a prompt running.
    pub prefill: u64,
    /// All sequences cached, one token of each running.
    pub decode: u64,
    /// The higher of prefill and decode.
    pub peak: u64,
}

/// What a card takes, as vLLM counts it. All sizes in bytes.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineCapacity {
    /// Capacity × utilisation, rounded down.
    pub budget: u64,
    pub weights: u64,
    /// The widest moment of a profiling pass of [`Prefill::step_tokens`] tokens.
    pub activations: u64,
    pub reserves: u64,
    /// What is left for the cache; 0 where nothing is.
    pub available: u64,
    /// One block of one layer.
    pub page: u64,
    /// Layers of one group: pages per block.
    pub group_layers: u64,
    pub groups: u64,
    pub blocks: u64,
    /// Tokens that vLLM prints as the cache's size: blocks ÷ groups × block.
    pub tokens: u64,
    /// Blocks of one request of [`Serving::seq`] tokens.
    pub blocks_per_request: u64,
    /// The longest single request that fits; `None` where no block does.
    pub longest_request: Option<u64>,
    /// Tokens that each of [`Serving::batch`] sequences may have at once; `None` where there are not that many blocks.
    pub longest_context: Option<u64>,
}

impl EngineCapacity {
    /// Whole requests of [`Serving::seq`] tokens at the same time.
    pub fn requests(&self) -> u64 {
        self.blocks.checked_div(self.blocks_per_request).unwrap_or(0)
    }

    /// Requests of [`Serving::seq`] tokens at the same time, with the fraction that vLLM prints.
    pub fn concurrency(&self) -> f64 {
        if self.blocks_per_request == 0 { 0.0 } else { self.blocks as f64 / self.blocks_per_request as f64 }
    }
}

/// Groups of full and of sliding layers and the layers of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Groups {
    full: u64,
    sliding: u64,
    layers: u64,
}

/// Groups have the size of the rarer kind, and the rest is padded; of kinds that are nearly as many, that of the other.
fn groups(model: &Model) -> Groups {
    let sliding = model.window.map_or(0, |window| window.layers);
    let full = model.layers - sliding;
    let (few, many) = (full.min(sliding), full.max(sliding));
    // vLLM: fewer than 1.25 times as many.
    let layers = if few == 0 || many.saturating_mul(4) < few.saturating_mul(5) { many } else { few };
    Groups { full: full.div_ceil(layers), sliding: sliding.div_ceil(layers), layers }
}

/// Blocks that one request of `seq` tokens takes.
fn request_blocks(model: &Model, serving: &Serving, seq: u64) -> Result<u64, LedgerError> {
    let groups = groups(model);
    let whole = n(groups.full) * n(blocks(seq, serving.block)?);
    let term = match model.window {
        Some(window) if groups.sliding > 0 => {
            let sliding = sliding_blocks(window.tokens, serving.prefill.step_tokens, seq, serving.block)?;
            whole + n(groups.sliding) * n(sliding)
        }
        _ => whole,
    };
    Ok(term.finish("blocks")?.0)
}

fn check(model: &Model, serving: &Serving) -> Result<(), LedgerError> {
    model.validate()?;
    let sizes = [
        ("batch", serving.batch),
        ("seq", serving.seq),
        ("block", serving.block),
        ("step_tokens", serving.prefill.step_tokens),
    ];
    if let Some((field, _)) = sizes.into_iter().find(|(_, value)| *value == 0) {
        return Err(LedgerError::Zero { field });
    }
    if model.position_table > 0 && serving.seq > model.position_table {
        return Err(LedgerError::BeyondPositions { seq: serving.seq, positions: model.position_table });
    }
    Ok(())
}

/// Predicts the phases of a serving engine.
///
/// ```
/// use ledger::{Dtype, catalogue};
/// use ledger::inference::{self, PageFormat, Prefill, PromptAttention, Reserves, Serving, WeightFormat};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let serving = Serving {
///     weights: WeightFormat::Plain(Dtype::Bf16),
///     cache: PageFormat::Plain(Dtype::Bf16),
///     block: 16,
///     batch: 1,
///     seq: 8192,
///     prefill: Prefill::CHUNKED,
///     reserves: Reserves::NONE,
/// };
/// let flash = inference::serving_ledger(model, &serving)?;
/// let eager = Prefill { attention: PromptAttention::Eager, ..Prefill::CHUNKED };
/// let scores = inference::serving_ledger(model, &Serving { prefill: eager, ..serving })?;
/// // 8 bytes for each of 32 × 8192² scores, where flash has none.
/// assert!(scores.prefill > flash.prefill + (15 << 30));
/// assert_eq!(scores.decode - flash.decode, 0);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// A size of zero, an inconsistent model, a sequence beyond a learned position table, activations below 16 bits, a page
/// format that the model has no use for, or a result of 2⁶⁴ bytes and more.
pub fn serving_ledger(model: &Model, serving: &Serving) -> Result<ServingLedger, LedgerError> {
    check(model, serving)?;
    let mut entries = vec![weights_in(model, serving.weights)?];
    entries.extend(serving.reserves.entries());
    let load = sum("load", entries.iter().map(|entry| entry.bytes))?;
    let layers = groups(model).layers;
    let requests = request_blocks(model, serving, serving.seq)?;
    let page = page_bytes(model, serving.block, serving.cache)?;
    let cached = n(serving.batch) * n(requests) * n(layers) * b(page);
    let cached = entry(Object::KvCache, "kv", Span::new(Phase::Prefill, Phase::Decode), cached)?;
    // A row of 32-bit block numbers per sequence and group (vLLM's `BlockTable`).
    let rows = n(groups(model).full + groups(model).sliding) * n(serving.batch);
    let table = rows * n(blocks(serving.seq, serving.block)?) * b(4);
    let table = entry(Object::Buffer, "block_table", Span::new(Phase::Load, Phase::Decode), table)?;
    let held = sum("decode", [load, cached.bytes, table.bytes].into_iter())?;
    let all = (n(serving.batch) * n(serving.seq)).finish("tokens")?.0;
    let tokens = all.min(serving.prefill.step_tokens);
    let prefill = prefill::pass(model, &serving.prefill, serving.batch.min(tokens), tokens, serving.seq)?;
    // Decoding attends with one query per sequence and needs no score matrix to speak of.
    let one_token = Prefill { attention: PromptAttention::Flash, ..serving.prefill };
    let decode = prefill::pass(model, &one_token, serving.batch, serving.batch, serving.seq)?;
    entries.extend([cached, table]);
    let mut widest = |phase: Phase, pass: prefill::Pass, parts: [&'static str; 2]| {
        let layer = entry(Object::Activation, parts[0], Span::only(phase), pass.layer)?;
        let logits = entry(Object::Logits, parts[1], Span::only(phase), pass.logits)?;
        let most = layer.bytes.max(logits.bytes);
        entries.extend([layer, logits]);
        sum("phase", [held, most].into_iter())
    };
    let prefill = widest(Phase::Prefill, prefill, ["prefill_layer", "prefill_logits"])?;
    let decode = widest(Phase::Decode, decode, ["decode_layer", "decode_logits"])?;
    Ok(ServingLedger { entries, load, prefill, decode, peak: prefill.max(decode) })
}

fn entry(object: Object, part: &'static str, span: Span, term: Term) -> Result<Entry, LedgerError> {
    let (bytes, formula) = term.finish(part)?;
    Ok(Entry { object, part: std::borrow::Cow::Borrowed(part), span, bytes, formula })
}

/// How many blocks, tokens and requests fit `capacity` bytes when `permille` thousandths of it may be used.
///
/// ```
/// use ledger::{Dtype, catalogue, inference::{self, PageFormat, Prefill, Reserves, Serving, WeightFormat}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let card = catalogue::card("h100-80gb").expect("in the catalogue");
/// let serving = Serving {
///     weights: WeightFormat::Plain(Dtype::Bf16),
///     cache: PageFormat::Plain(Dtype::Bf16),
///     block: 16,
///     batch: 1,
///     seq: 8192,
///     prefill: Prefill::CHUNKED,
///     reserves: Reserves::TYPICAL,
/// };
/// let engine = inference::engine_capacity(model, &serving, card.capacity_bytes, 900)?;
/// // One block of 16 tokens takes 2 MiB over 32 layers.
/// assert_eq!(engine.blocks, engine.available / (2 << 20));
/// assert_eq!(engine.blocks_per_request, 512);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`serving_ledger`], and a utilisation above 1,000.
pub fn engine_capacity(
    model: &Model,
    serving: &Serving,
    capacity: u64,
    permille: u64,
) -> Result<EngineCapacity, LedgerError> {
    check(model, serving)?;
    if permille > 1_000 {
        return Err(LedgerError::Contradiction {
            field: "utilisation",
            value: permille,
            other: "whole",
            other_value: 1_000,
            why: "no more than the whole card can be used",
        });
    }
    let budget = u64::try_from(u128::from(capacity) * u128::from(permille) / 1_000).unwrap_or(u64::MAX);
    let weights = weights_in(model, serving.weights)?.bytes;
    let tokens = serving.prefill.step_tokens;
    let pass = prefill::pass(model, &serving.prefill, serving.batch.min(tokens), tokens, serving.seq)?;
    let activations = prefill::larger(pass.layer, pass.logits).finish("activations")?.0;
    let reserves = serving.reserves.total()?;
    let available = budget.saturating_sub(sum("fixed", [weights, activations, reserves].into_iter())?);
    let page = page_bytes(model, serving.block, serving.cache)?;
    let groups = groups(model);
    let count = available / page / groups.layers;
    let positions = if model.position_table > 0 { model.position_table } else { super::MAX_SEARCH };
    // The longest sequence of which so many fit; where every layer slides, what the model was made for.
    let longest = |sequences: u64| {
        let each = count / sequences;
        let fits = |seq: u64| request_blocks(model, serving, seq).is_ok_and(|needed| needed <= each);
        largest(positions, fits).map(|longest| match longest {
            super::MAX_SEARCH => model.max_positions,
            limited => limited,
        })
    };
    let all = groups.full + groups.sliding;
    Ok(EngineCapacity {
        budget,
        weights,
        activations,
        reserves,
        available,
        page,
        group_layers: groups.layers,
        groups: all,
        blocks: count,
        tokens: (n(count / all) * n(serving.block)).finish("tokens")?.0,
        blocks_per_request: request_blocks(model, serving, serving.seq)?,
        longest_request: longest(1),
        longest_context: longest(serving.batch),
    })
}
