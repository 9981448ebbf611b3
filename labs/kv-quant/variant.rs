//! The caches that are compared: BF16 without scales, then every format with every kind of scale.

use ledger::formats::Grouped;
use ledger::units::group;
use ledger::{Object, Phase, Span};

use super::config::Config;
use super::format::{Format, Per};
use super::kernel;
use crate::Lab;
use crate::run::study::{Part, Pass, Role, Step, Variant};
use crate::run::{Arg, RunError};

/// How a cache is stored; `None` is the baseline's BF16.
pub type Stored = Option<(Format, Per)>;

pub fn label(stored: Stored) -> String {
    stored.map_or_else(|| "bf16".to_owned(), |(format, per)| format!("{}_{}", format.id(), per.id()))
}

pub fn all_stored() -> impl Iterator<Item = Stored> {
    let scaled = Format::ALL.into_iter().flat_map(|format| Per::ALL.into_iter().map(move |per| Some((format, per))));
    [None].into_iter().chain(scaled)
}

/// How a variant stores its cache.
pub fn stored(variant: &Variant) -> Stored {
    all_stored().flatten().map(Some).find(|stored| label(*stored) == variant.label).flatten()
}

pub fn all(config: &Config, lab: &Lab) -> Result<Vec<Variant>, RunError> {
    all_stored().map(|stored| variant(stored, config, lab)).collect()
}

const PREFILL: Span = Span::only(Phase::Prefill);
const DECODE: Span = Span::only(Phase::Decode);
const KEPT: Span = Span::new(Phase::Prefill, Phase::Decode);

fn variant(stored: Stored, config: &Config, lab: &Lab) -> Result<Variant, RunError> {
    let label = label(stored);
    let overflow = || RunError::Overflow { what: "kv cache" };
    let (tokens, heads, dim) = (u64::from(config.tokens), u64::from(config.heads), u64::from(config.dim));
    let numbers = tokens * heads * dim;
    let floats = |slug: &str, object, span, role, shape: &[u64]| {
        let shown: Vec<String> = shape.iter().map(|size| group(*size)).collect();
        let words = shape.iter().product::<u64>();
        let formula = format!("{} × 4 B", shown.join(" × "));
        // At most 2^24 numbers, by `Config`.
        Part { slug: slug.to_owned(), object, span, words: words as usize, role, bytes: words * 4, formula }
    };
    let bits = stored.map_or(16, |(format, _)| u64::from(format.bits()));
    let groups = stored.map_or(0, |(_, per)| u64::from(per.groups(config.tokens, config.heads)));
    // Codes and scales as the ledger counts them; a cache without scales has one group that weighs nothing.
    let shared = numbers.checked_div(groups).unwrap_or(numbers);
    let scale_bits = if groups == 0 { 0 } else { 32 };
    let grouped = Grouped { bits, group: shared, scale_bits, zero_bits: 0 };
    let one = grouped.bytes(numbers).ok_or_else(overflow)?;
    let codes_bytes = one.checked_sub(groups * 4).ok_or_else(overflow)?;

    let mut parts = Vec::new();
    let mut prefill = Vec::new();
    for side in ["k", "v"] {
        let source = format!("{side}_source");
        let (codes, scales) = (format!("{label}_{side}_codes"), format!("{label}_{side}_scales"));
        parts.push(floats(&source, Object::Activation, PREFILL, Role::Input, &[tokens, heads, dim]));
        parts.push(Part {
            slug: codes.clone(),
            object: Object::KvCache,
            span: KEPT,
            words: (codes_bytes / 4) as usize,
            role: Role::Output,
            bytes: codes_bytes,
            formula: format!("{} × {} × {} × {bits} / 8 B", group(tokens), group(heads), group(dim)),
        });
        if stored.is_some() {
            parts.push(floats(&scales, Object::KvCache, KEPT, Role::Output, &[groups]));
        }
        prefill.extend(encoding(stored, config, lab, [source, codes, scales])?);
    }
    parts.extend([
        floats("query", Object::Activation, DECODE, Role::Input, &[heads, dim]),
        floats("weights", Object::Activation, DECODE, Role::Input, &[tokens, heads]),
        floats("scores", Object::Activation, DECODE, Role::Output, &[tokens, heads]),
        floats("sums", Object::Activation, DECODE, Role::Output, &[heads, dim]),
    ]);
    let timed = Step { phase: Phase::Decode, passes: attention(stored, config, lab, &label)? };
    Ok(Variant {
        candidate: if stored.is_none() { "baseline".to_owned() } else { label.clone() },
        label,
        parts,
        before: vec![Step { phase: Phase::Prefill, passes: prefill }],
        timed,
        stored: Some((bits, one.checked_mul(2).ok_or_else(overflow)?)),
    })
}

/// Sizes as every kernel takes them, and the names that the formulas know.
fn sizes(stored: Stored, config: &Config) -> (Vec<Arg>, [(&'static str, u64); 5]) {
    let mut numbers = vec![Arg::U32(config.tokens), Arg::U32(config.heads), Arg::U32(config.dim)];
    if let Some((format, per)) = stored {
        numbers.extend([Arg::U32(per as u32), Arg::U32(format as u32)]);
    }
    let bits = stored.map_or(16, |(format, _)| format.bits());
    let groups = stored.map_or(0, |(_, per)| per.groups(config.tokens, config.heads));
    let names = [
        ("tokens", config.tokens),
        ("heads", config.heads),
        ("head_dim", config.dim),
        ("bits", bits),
        ("groups", groups),
    ];
    (numbers, names.map(|(name, value)| (name, value.into())))
}

fn words(stored: Stored, config: &Config) -> u32 {
    let of_word = stored.map_or(2, |(format, _)| 32 / format.bits());
    config.tokens * config.heads * config.dim / of_word
}

fn encoding(
    stored: Stored,
    config: &Config,
    lab: &Lab,
    [source, codes, scales]: [String; 3],
) -> Result<Vec<Pass>, RunError> {
    let (numbers, values) = sizes(stored, config);
    let words = words(stored, config);
    let pass = |kernel: &'static str, reads, writes: String, numbers, items| {
        Ok::<_, RunError>(Pass {
            kernel,
            reads,
            writes: vec![writes],
            numbers,
            items,
            cost: lab.cost(kernel, &values)?,
        })
    };
    let Some((_, per)) = stored else {
        return Ok(vec![pass(kernel::BF16_ENCODE.name, vec![source], codes, vec![Arg::U32(words)], words)?]);
    };
    let groups = per.groups(config.tokens, config.heads);
    Ok(vec![
        pass(kernel::SCALES.name, vec![source.clone()], scales.clone(), numbers.clone(), groups)?,
        pass(kernel::ENCODE.name, vec![source, scales], codes, numbers, words)?,
    ])
}

fn attention(stored: Stored, config: &Config, lab: &Lab, label: &str) -> Result<Vec<Pass>, RunError> {
    let (numbers, values) = sizes(stored, config);
    let [scores, sums] = match stored {
        None => [kernel::BF16_SCORES.name, kernel::BF16_SUMS.name],
        Some(_) => [kernel::SCORES.name, kernel::SUMS.name],
    };
    // A word of a row has 32 / bits of its columns.
    let columns = words(stored, config) / config.tokens;
    let pass = |kernel: &'static str, given: &str, side: &str, out: &str, items| {
        let mut reads = vec![given.to_owned(), format!("{label}_{side}_codes")];
        if stored.is_some() {
            reads.push(format!("{label}_{side}_scales"));
        }
        let (writes, numbers) = (vec![out.to_owned()], numbers.clone());
        Ok::<_, RunError>(Pass { kernel, reads, writes, numbers, items, cost: lab.cost(kernel, &values)? })
    };
    Ok(vec![
        pass(scores, "query", "k", "scores", config.tokens * config.heads)?,
        pass(sums, "weights", "v", "sums", columns)?,
    ])
}
