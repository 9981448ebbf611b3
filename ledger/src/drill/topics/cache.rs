//! The KV cache of full, sliding and latent attention.

use super::{Drawn, pools};
use crate::{
    Dtype, LedgerError, Model, Text,
    calculators::{Line, Quantity, Sheet},
    drill::{
        question::Draft,
        told::Told,
        unit::{about, three},
    },
    inference,
    random::Random,
    units::{GIB, KIB},
};

const DTYPES: [Dtype; 4] = [Dtype::Bf16, Dtype::Bf16, Dtype::F16, Dtype::Fp8];

/// KiB that a token adds, rounded to a half: what one keeps in the head.
pub(super) fn kib_per_token(model: &Model, dtype: Dtype) -> Result<f64, LedgerError> {
    Ok((inference::kv_per_token(model, dtype)? as f64 / KIB as f64 * 2.0).round() / 2.0)
}

/// The line of what one token adds.
pub(super) fn per_token_line(sheet: &mut Sheet, model: &Model, dtype: Dtype) -> Result<u64, LedgerError> {
    let (bytes, formula) = inference::per_token_term(model, dtype)?;
    let quantity = Quantity::Bytes(bytes);
    let name = Text::new("每个 token 的 KV", "KV cache per token");
    sheet.lines.push(Line { id: "per_token".into(), name, quantity, formula });
    Ok(bytes)
}

pub(super) fn per_token(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let dtype = random.pick(&DTYPES);
    let mut told = Told::default();
    let (facts, format) = (told.cache(model), told.format("bits", dtype));
    let mut sheet = Sheet::default();
    per_token_line(&mut sheet, model, dtype)?;
    sheet.assume("K 和 V 各一份；不计尺度", "Keys and values; scales left out");
    let layer = 2.0 * (model.kv_heads * model.head_dim * dtype.bits() / 8) as f64;
    let layer_kib = (layer / KIB as f64 * 8.0).round() / 8.0;
    let estimate = model.layers as f64 * layer_kib * KIB as f64;
    Ok(Some(Draft {
        model: &model.name,
        card: None,
        text: Text::new(
            format!("{}；KV Cache 用 {format}。每多一个 token，缓存增加多少？", facts.zh),
            format!("{}; the KV cache is in {format}. By how much does one more token enlarge it?", facts.en),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "先算一层：K 和 V 各占 KV 头数 × 头维度 × 每个数的字节，再乘层数。",
            "One layer first: K and V take heads × size × bytes of a number each; then times the layers.",
        ),
        estimate,
        formula: format!("{} × {layer_kib} KiB ≈ {}", model.layers, about(estimate)),
    }))
}

pub(super) fn whole(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let (dtype, batch) = (random.pick(&DTYPES), random.pick(&pools::REQUESTS));
    let Some(seq) = pools::sequence(random, model) else { return Ok(None) };
    let mut told = Told::default();
    let (facts, format) = (told.cache(model), told.format("bits", dtype));
    let (requests, tokens) = (told.number("requests", batch), told.number("seq", seq));
    let mut sheet = Sheet::default();
    per_token_line(&mut sheet, model, dtype)?;
    let bytes = sheet.bytes("kv", ("KV Cache", "KV cache"), inference::kv_term(model, dtype, batch, seq))?;
    if !(GIB / 4..=1_024 * GIB).contains(&bytes) {
        return Ok(None);
    }
    sheet.assume("每个请求恰好占满所说的 token；不分页", "Every request holds exactly the stated tokens; no pages");
    let kib = kib_per_token(model, dtype)?;
    let estimate = kib * (batch * seq) as f64 * KIB as f64;
    Ok(Some(Draft {
        model: &model.name,
        card: None,
        text: Text::new(
            format!("{}；KV Cache 用 {format}。{requests} 个请求各占 {tokens} 个 token，缓存一共多大？", facts.zh),
            format!(
                "{}; the KV cache is in {format}. {requests} requests hold {tokens} tokens each. How large is the cache?",
                facts.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "记住每个 token 多少 KiB：乘 1,024 个 token 就是同样多的 MiB，乘一百万个就是 GiB。",
            "Know the KiB per token: 1,024 tokens make as many MiB, a million tokens as many GiB.",
        ),
        estimate,
        formula: format!("{kib} KiB × {requests} × {tokens} ≈ {}", about(estimate)),
    }))
}

pub(super) fn windows(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::WINDOWS)?;
    let batch = random.pick(&pools::REQUESTS);
    let (Some(seq), Some(window)) = (pools::sequence(random, model), model.window) else { return Ok(None) };
    if seq < 2 * window.tokens || seq < 4_096 {
        return Ok(None);
    }
    let mut told = Told::default();
    let (name, layers) = (&model.name, told.number("layers", model.layers));
    let (sliding, width) = (told.number("sliding", window.layers), told.number("window", window.tokens));
    let (heads, size) = (told.number("kv_heads", model.kv_heads), told.number("head_dim", model.head_dim));
    let format = told.format("bits", Dtype::Bf16);
    let (requests, tokens) = (told.number("requests", batch), told.number("seq", seq));
    let mut sheet = Sheet::default();
    sheet.bytes("kv", ("KV Cache", "KV cache"), inference::kv_term(model, Dtype::Bf16, batch, seq))?;
    sheet.assume(
        "滑动层保留窗口减一个旧 token（transformers）；不分页",
        "A sliding layer keeps one past token less than its window (transformers); no pages",
    );
    let layer = 4.0 * (model.kv_heads * model.head_dim) as f64;
    let full = model.layers.saturating_sub(window.layers);
    let estimate = layer * batch as f64 * (full * seq + window.layers * window.tokens) as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 有 {layers} 层，其中 {sliding} 层只看 {width} 个 token 的滑动窗口，其余看全部上文；每层 {heads} 个 \
                 KV 头，头维度 {size}，KV Cache 用 {format}。{requests} 个请求各占 {tokens} 个 token，缓存一共多大？"
            ),
            format!(
                "{name} has {layers} layers; {sliding} of them slide over a window of {width} tokens, the others attend to \
                 everything. Each has {heads} KV heads of size {size}, the cache is in {format}. {requests} requests hold \
                 {tokens} tokens each. How large is the cache?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "滑动层只按窗口长度算，其余的层才随上文增长。",
            "Count a sliding layer with its window only; the other layers grow with the context.",
        ),
        estimate,
        formula: format!(
            "{} KiB × {requests} × ({full} × {tokens} + {sliding} × {width}) ≈ {}",
            three(layer / KIB as f64),
            about(estimate)
        ),
    }))
}

pub(super) fn latent(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::LATENT)?;
    let batch = random.pick(&pools::REQUESTS);
    let (Some(seq), Some(latent)) = (pools::sequence(random, model), model.latent) else { return Ok(None) };
    let mut told = Told::default();
    let (name, layers) = (&model.name, told.number("layers", model.layers));
    let (rank, rope) = (told.number("kv_rank", latent.kv_rank), told.number("rope_dim", latent.rope_dim));
    let format = told.format("bits", Dtype::Bf16);
    let (requests, tokens) = (told.number("requests", batch), told.number("seq", seq));
    let mut sheet = Sheet::default();
    per_token_line(&mut sheet, model, Dtype::Bf16)?;
    sheet.bytes("kv", ("KV Cache", "KV cache"), inference::kv_term(model, Dtype::Bf16, batch, seq))?;
    sheet.assume(
        "只缓存压缩向量和旋转位置键，不展开成各头的 K 和 V",
        "Only the compressed vector and the rotary key are cached, never the keys and values of the heads",
    );
    // 576 numbers of 2 bytes.
    let layer_kib = 1.1;
    let estimate = (batch * seq) as f64 * model.layers as f64 * layer_kib * KIB as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 用 MLA：共 {layers} 层，每层为每个 token 只缓存一个 {rank} 维的压缩向量和一个 {rope} 维的位置键，用 \
                 {format}。{requests} 个请求各占 {tokens} 个 token，缓存一共多大？"
            ),
            format!(
                "{name} uses latent attention: each of its {layers} layers caches per token one vector of {rank} numbers \
                 and a rotary key of {rope}, in {format}. {requests} requests hold {tokens} tokens each. How large is the \
                 cache?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "MLA 的缓存与头数无关：每层每个 token 约 1.1 KiB。",
            "A latent cache does not depend on the heads: about 1.1 KiB per layer and token.",
        ),
        estimate,
        formula: format!("{layers} × {layer_kib} KiB × {requests} × {tokens} ≈ {}", about(estimate)),
    }))
}
