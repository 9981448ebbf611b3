//! Pages instead of reservations.

use super::{
    Drawn,
    cache::{kib_per_token, per_token_line},
    pools,
};
use crate::{
    Dtype, Text,
    calculators::Sheet,
    drill::{question::Draft, told::Told, unit::about},
    formula::{b, n},
    inference,
    random::Random,
    units::{KIB, MIB},
};

/// Tokens of a block, vLLM's default.
const BLOCK: u64 = 16;
const CACHE: Dtype = Dtype::Bf16;

pub(super) fn saves(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let (batch, used) = (random.pick(&pools::REQUESTS), random.pick(&[200, 300, 500, 800, 1_000, 1_500, 2_000]));
    let Some(longest) = pools::sequence(random, model).filter(|longest| *longest >= 2 * used) else { return Ok(None) };
    let mut told = Told::default();
    let (facts, format) = (told.cache(model), told.format("bits", CACHE));
    let (requests, reserved) = (told.number("requests", batch), told.number("reserved", longest));
    let (held, block) = (told.number("used", used), told.number("block", BLOCK));
    let mut sheet = Sheet::default();
    let per_token = per_token_line(&mut sheet, model, CACHE)?;
    let blocks = sheet.count("blocks", ("每个请求的块", "Blocks per request"), n(used).ceil_div(BLOCK))?;
    let free = n(longest).minus(n(blocks) * n(BLOCK));
    let saved = sheet.bytes("saved", ("省下的空间", "What is saved"), n(batch) * free * b(per_token))?;
    if saved < 64 * MIB {
        return Ok(None);
    }
    sheet.assume("块表只有几兆字节，不计", "The block table takes a few megabytes and is left out");
    let kib = kib_per_token(model, CACHE)?;
    let estimate = kib * KIB as f64 * (batch * (longest - used)) as f64;
    Ok(Some(Draft {
        model: &model.name,
        card: None,
        text: Text::new(
            format!(
                "{}；KV Cache 用 {format}。{requests} 个请求各预留了 {reserved} 个 token 的连续空间，实际各用 {held} 个。改为\
                 分页，每块 {block} 个 token，能省下多少？",
                facts.zh
            ),
            format!(
                "{}; the KV cache is in {format}. {requests} requests reserve {reserved} tokens each and use {held}. How \
                 much does paging in blocks of {block} tokens save?",
                facts.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "省下的就是没用到的：(预留 − 实际) × 请求数 × 每个 token 的 KiB，最后一块的零头可以忽略。",
            "It saves what is not used: (reserved − used) × requests × KiB per token; the last block hardly matters.",
        ),
        estimate,
        formula: format!("({reserved} − {held}) × {requests} × {kib} KiB ≈ {}", about(estimate)),
    }))
}

pub(super) fn shared_prefix(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let batch = random.pick(&[8, 10, 16, 20, 32, 50, 64, 100]);
    let (prefix, own) = (random.pick(&[1_000, 2_000, 4_000, 8_000]), random.pick(&[200, 300, 500, 1_000]));
    if prefix + own > model.max_positions {
        return Ok(None);
    }
    let mut told = Told::default();
    let (facts, format) = (told.cache(model), told.format("bits", CACHE));
    let (requests, common) = (told.number("requests", batch), told.number("prefix", prefix));
    let (each, block) = (told.number("own", own), told.number("block", BLOCK));
    let mut sheet = Sheet::default();
    let per_token = per_token_line(&mut sheet, model, CACHE)?;
    let blocks = inference::shared_blocks(prefix, prefix + own, batch, BLOCK)?;
    let shared = prefix / BLOCK;
    let formula = format!("{shared} + {requests} × (⌈{} ÷ {BLOCK}⌉ − {shared})", n(prefix + own).text());
    super::enter_count(&mut sheet, "blocks", ("块", "Blocks"), blocks, formula);
    sheet.bytes("kv", ("KV Cache", "KV cache"), n(blocks) * n(BLOCK) * b(per_token))?;
    sheet.assume(
        "前缀里完整的块只存一份；分岔的那一块各有一份",
        "Whole blocks of the prefix exist once; the block in which requests part is copied",
    );
    let kib = kib_per_token(model, CACHE)?;
    let estimate = kib * KIB as f64 * (prefix + batch * own) as f64;
    Ok(Some(Draft {
        model: &model.name,
        card: None,
        text: Text::new(
            format!(
                "{}；KV Cache 用 {format}。{requests} 个请求共用 {common} 个 token 的系统提示，之后各有 {each} 个 token。分页\
                 （每块 {block} 个 token）并共享前缀，缓存一共多大？",
                facts.zh
            ),
            format!(
                "{}; the KV cache is in {format}. {requests} requests share a system prompt of {common} tokens and go on with \
                 {each} tokens each. Paged in blocks of {block} tokens with the prefix shared, how large is the cache?",
                facts.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "前缀只算一次：(前缀 + 请求数 × 各自的长度) × 每个 token 的 KiB。",
            "The prefix counts once: (prefix + requests × their own tokens) × KiB per token.",
        ),
        estimate,
        formula: format!("({common} + {requests} × {each}) × {kib} KiB ≈ {}", about(estimate)),
    }))
}
