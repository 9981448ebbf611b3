//! What fits beside the weights on one card.

use super::{Drawn, GIB_PER_BILLION, billions, cache::kib_per_token, enter, enter_count, pools};
use crate::{
    Dtype, LedgerError, Model, Text,
    calculators::Sheet,
    catalogue::Card,
    drill::{question::Draft, told::Told, unit::three},
    formula::b,
    inference::{self, Fit, Inference},
    random::Random,
    units::{self, GIB, MIB},
};

/// A model on a card that leaves at least a fifth of it to the cache.
struct Served {
    model: &'static Model,
    card: &'static Card,
    workload: Inference,
    fit: Fit,
    told: Told,
    /// The beginning of the question.
    facts: Text,
    sheet: Sheet,
    /// Bytes for the cache: exactly, and as one would estimate them, with the formula.
    room: u64,
    room_about: f64,
    formula: String,
}

/// The cache is in FP16, as some of the cards know no BF16.
const CACHE: Dtype = Dtype::F16;

fn served(random: &mut Random, batch: u64, seq: Option<u64>) -> Result<Option<Served>, LedgerError> {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let card = pools::card(random, &pools::CARDS)?;
    let dtype = random.pick(&[Dtype::F16, Dtype::F16, Dtype::Int8]);
    let seq = seq.unwrap_or(1);
    let workload = Inference { weights: dtype, kv: CACHE, batch, seq, reserve: Inference::DEFAULT_RESERVE };
    if seq > model.max_positions {
        return Ok(None);
    }
    let fit = inference::fit(model, &workload, card.capacity_bytes)?;
    let weights = inference::weights(model, dtype)?;
    let room = card.capacity_bytes.saturating_sub(weights.bytes).saturating_sub(workload.reserve);
    // Small models leave a card empty, large ones leave nothing: both make dull questions.
    if !fit.fits || room < card.capacity_bytes / 5 || weights.bytes < card.capacity_bytes / 10 {
        return Ok(None);
    }
    let mut told = Told::default();
    let mib = told.number("capacity_mib", card.capacity_bytes / MIB);
    let (parameters, shown) = told.parameters(model)?;
    let (format, cache) = (told.format("weight_bits", dtype), told.cache(model));
    let kv = told.format("bits", CACHE);
    let reserve = told.number("reserve_gib", workload.reserve / GIB);
    let facts = Text::new(
        format!(
            "一张 {}（驱动报告 {mib} MiB）服务 {}：{}参数，权重用 {format}，不计尺度。{}，KV Cache 用 {kv}。另留 {reserve} \
             GiB。",
            card.name, model.name, shown.zh, cache.zh
        ),
        format!(
            "One {} ({mib} MiB by its driver) serves {}: {} parameters in {format} without scales. {}; the KV cache is in \
             {kv}. {reserve} GiB stays free.",
            card.name, model.name, shown.en, cache.en
        ),
    );
    let mut sheet = Sheet::default();
    enter(&mut sheet, &weights);
    let room_term = b(card.capacity_bytes).minus(b(weights.bytes)).minus(b(workload.reserve));
    sheet.bytes("room", ("留给 KV Cache", "Left for the KV cache"), room_term)?;
    sheet.assume(
        "显存以驱动报告的总量为准；只有权重、KV Cache 与预留，不计激活",
        "The capacity that the driver reports; weights, cache and the reserve only, no activations",
    );
    let whole = (card.capacity_bytes as f64 / GIB as f64).round();
    let taken = (billions(parameters) * (dtype.bits() / 8) as f64 * GIB_PER_BILLION * 10.0).round() / 10.0;
    let room_about = (whole - taken - 1.0) * GIB as f64;
    let formula = format!("({} − {taken} − {reserve}) GiB", three(whole));
    Ok(Some(Served { model, card, workload, fit, told, facts, sheet, room, room_about, formula }))
}

pub(super) fn longest_context(random: &mut Random) -> Drawn {
    let batch = random.pick(&[2, 4, 8, 10, 16, 32]);
    let Some(mut of) = served(random, batch, None)? else { return Ok(None) };
    let Some(longest) = of.fit.longest_context.filter(|seq| (512..=of.model.max_positions).contains(seq)) else {
        return Ok(None);
    };
    let requests = of.told.number("requests", batch);
    let per = inference::kv_bytes(of.model, CACHE, batch, 1)?;
    let formula = format!("⌊{} ÷ {}⌋", b(of.room).text(), b(per).text());
    let name = ("每个请求最多的 token", "Most tokens per request");
    enter_count(&mut of.sheet, "longest_context", name, longest, formula);
    let kib = kib_per_token(of.model, CACHE)?;
    let estimate = of.room_about / (kib * units::KIB as f64) / batch as f64;
    Ok(Some(Draft {
        model: &of.model.name,
        card: Some(of.card.id),
        text: Text::new(
            format!("{}同时有 {requests} 个请求时，每个最多能占多少个 token？", of.facts.zh),
            format!("{} With {requests} requests at the same time, how many tokens can each hold?", of.facts.en),
        ),
        numbers: of.told.0,
        worked: of.sheet,
        rule: Text::new(
            "先算剩下的 GiB，一 GiB 约一百万 KiB，再除以每个 token 的 KiB 和请求数。",
            "Take the GiB that are left, a million KiB each, and divide by the KiB per token and by the requests.",
        ),
        estimate,
        formula: format!("{} ÷ {kib} KiB ÷ {requests} ≈ {}", of.formula, three(estimate)),
    }))
}

pub(super) fn largest_batch(random: &mut Random) -> Drawn {
    let seq = random.pick(&pools::SEQUENCES);
    let Some(mut of) = served(random, 1, Some(seq))? else { return Ok(None) };
    // Of fewer, one more or less would be more than the rule may miss.
    let Some(largest) = of.fit.largest_batch.filter(|batch| (10..=1_000).contains(batch)) else { return Ok(None) };
    let tokens = of.told.number("seq", of.workload.seq);
    let per = inference::kv_bytes(of.model, CACHE, 1, seq)?;
    let formula = format!("⌊{} ÷ {}⌋", b(of.room).text(), b(per).text());
    enter_count(&mut of.sheet, "largest_batch", ("最多的请求", "Most requests"), largest, formula);
    let kib = kib_per_token(of.model, CACHE)?;
    let estimate = (of.room_about / (kib * units::KIB as f64) / seq as f64).floor();
    Ok(Some(Draft {
        model: &of.model.name,
        card: Some(of.card.id),
        text: Text::new(
            format!("{}每个请求按 {tokens} 个 token 预留，最多同时多少个请求？", of.facts.zh),
            format!("{} How many requests of {tokens} tokens fit at the same time?", of.facts.en),
        ),
        numbers: of.told.0,
        worked: of.sheet,
        rule: Text::new(
            "剩下的 GiB 除以一个请求的 KV：每个 token 的 KiB 乘 token 数。",
            "Divide the GiB that are left by the cache of one request: KiB per token times its tokens.",
        ),
        estimate,
        formula: format!("{} ÷ ({kib} KiB × {tokens}) ≈ {}", of.formula, three(estimate)),
    }))
}
