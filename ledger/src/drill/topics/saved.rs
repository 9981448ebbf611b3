//! What the forward leaves for the backward.

use super::{Drawn, enter, part, pools};
use crate::{
    Dtype, LedgerError, Model, Text,
    calculators::Sheet,
    drill::{
        question::Draft,
        told::Told,
        unit::{about, three},
    },
    formula::n,
    random::Random,
    training::{self, Checkpointing, Optimizer, Precision, Training},
    units::{GIB, KIB, MIB},
};

/// Sequences per micro-batch and their length.
pub(super) fn micro_batch(random: &mut Random, model: &Model) -> Option<(u64, u64)> {
    let batch = random.pick(&[1, 2, 4, 8, 16, 32]);
    pools::sequence(random, model).map(|seq| (batch, seq)).filter(|(batch, seq)| batch * seq <= 32_768)
}

fn step(batch: u64, seq: u64, checkpointing: Checkpointing) -> Training {
    Training { precision: Precision::PureBf16, optimizer: Optimizer::AdamWFused, batch, seq, checkpointing }
}

/// The bytes of that part of a step, as a line.
fn saved(sheet: &mut Sheet, model: &Model, step: &Training, slug: &'static str) -> Result<u64, LedgerError> {
    Ok(enter(sheet, part(&training::ledger(model, step)?.entries, slug)?))
}

pub(super) fn activations(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::PLAIN)?;
    let Some((batch, seq)) = micro_batch(random, model) else { return Ok(None) };
    let mut told = Told::default();
    let (name, layers) = (&model.name, told.number("layers", model.layers));
    let (hidden, inner) = (told.number("hidden", model.hidden), told.number("intermediate", model.intermediate));
    let (heads, kv) = (told.number("heads", model.heads), told.number("kv_heads", model.kv_heads));
    let (sequences, tokens) = (told.number("batch", batch), told.number("seq", seq));
    let mut sheet = Sheet::default();
    let bytes = saved(&mut sheet, model, &step(batch, seq, Checkpointing::None), "layer_activations")?;
    if bytes > 1_024 * GIB {
        return Ok(None);
    }
    sheet.assume(
        "transformers 的逐算子实现，注意力用 SDPA，无 dropout；不计输出头与损失",
        "The eager layers of transformers, attention through SDPA, no dropout; output head and loss not counted",
    );
    let per_token = 20 * model.hidden + 8 * model.intermediate;
    let per_token_kib = (per_token as f64 / KIB as f64).round();
    let estimate = per_token_kib * KIB as f64 * (model.layers * batch * seq) as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "以纯 BF16 训练 {name}：{layers} 层，隐藏宽度 {hidden}，前馈宽度 {inner}，{heads} 个查询头，{kv} 个 KV 头。微批次\
                 是 {sequences} × {tokens} 个 token，注意力用 SDPA，其余算子不融合，也不重算。各层为反向一共保存多少激活？"
            ),
            format!(
                "{name} is trained in pure BF16: {layers} layers, hidden width {hidden}, feed-forward width {inner}, {heads} \
                 query heads, {kv} KV heads. The micro-batch is {sequences} × {tokens} tokens; attention goes through SDPA, \
                 nothing else is fused, nothing computed again. How much do the layers save for the backward?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "16 位、SDPA、逐算子的 Llama 层：每个 token 约 20 × 隐藏宽度 + 8 × 前馈宽度 字节。",
            "An eager Llama layer in 16 bits with SDPA saves about 20 × hidden + 8 × feed-forward width bytes per token.",
        ),
        estimate,
        formula: format!("{} KiB × {layers} × {sequences} × {tokens} ≈ {}", three(per_token_kib), about(estimate)),
    }))
}

pub(super) fn checkpoints(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::PLAIN)?;
    let Some((batch, seq)) = micro_batch(random, model) else { return Ok(None) };
    let mut told = Told::default();
    let (name, layers) = (&model.name, told.number("layers", model.layers));
    let (hidden, format) = (told.number("hidden", model.hidden), told.format("bits", Dtype::Bf16));
    let (sequences, tokens) = (told.number("batch", batch), told.number("seq", seq));
    let mut sheet = Sheet::default();
    let bytes = saved(&mut sheet, model, &step(batch, seq, Checkpointing::EveryLayer), "checkpoints")?;
    if bytes < 16 * MIB {
        return Ok(None);
    }
    sheet.assume(
        "每层只保留输入；正在重算的那一层和输出头另算",
        "Only the input of each layer is kept; the layer being recomputed and the head come on top",
    );
    let vector_kib = (model.hidden as f64 * 2.0 / KIB as f64 * 4.0).round() / 4.0;
    let estimate = vector_kib * KIB as f64 * (model.layers * batch * seq) as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "训练 {name}：{layers} 层，隐藏宽度 {hidden}，激活用 {format}，微批次 {sequences} × {tokens} 个 token，每层都\
                 重算。为各层保留的输入一共多大？"
            ),
            format!(
                "{name} is trained with every layer recomputed: {layers} layers, hidden width {hidden}, activations in \
                 {format}, a micro-batch of {sequences} × {tokens} tokens. How large are the layer inputs that are kept?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "每层每个 token 只留一个隐藏向量：2 字节 × 隐藏宽度。",
            "Each layer keeps one hidden vector per token: 2 bytes × hidden width.",
        ),
        estimate,
        formula: format!("{vector_kib} KiB × {layers} × {sequences} × {tokens} ≈ {}", about(estimate)),
    }))
}

/// The scores of one layer, which attention without tiles writes out.
pub(super) fn scores(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::FULL_ATTENTION)?;
    let batch = random.pick(&[1, 2, 4, 8]);
    let Some(seq) = pools::sequence(random, model).filter(|seq| *seq >= 1_024) else { return Ok(None) };
    let mut told = Told::default();
    let (name, heads) = (&model.name, told.number("heads", model.heads));
    let (sequences, tokens) = (told.number("batch", batch), told.number("seq", seq));
    let format = told.format("bits", Dtype::Bf16);
    let mut sheet = Sheet::default();
    let line = ("一层的注意力分数", "Attention scores of one layer");
    let scores = n(batch) * n(model.heads) * n(seq) * n(seq);
    let bytes = sheet.bytes("scores", line, scores.of_bits(Dtype::Bf16.bits()))?;
    if bytes > 1_024 * GIB {
        return Ok(None);
    }
    sheet.assume(
        "整个矩阵写出一份，不利用因果掩码；FlashAttention 从不写出它",
        "The whole matrix is written once, the causal half not left out; FlashAttention never writes it",
    );
    let side = seq / KIB;
    let estimate = (2 * side * side * model.heads * batch * MIB) as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 每层有 {heads} 个查询头。不用 FlashAttention，批大小 {sequences}，序列长 {tokens}，分数用 {format}：一层\
                 的注意力分数矩阵一共多大？"
            ),
            format!(
                "{name} has {heads} query heads per layer. Without FlashAttention, at batch size {sequences} and a length of \
                 {tokens} tokens, how large are the attention scores of one layer in {format}?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "1K × 1K 的 16 位矩阵是 2 MiB；长度翻倍，大小乘四，再乘头数。",
            "A 1K × 1K matrix in 16 bits is 2 MiB; twice the length is four times the size; then times the heads.",
        ),
        estimate,
        formula: format!("2 MiB × {side}² × {heads} × {sequences} ≈ {}", about(estimate)),
    }))
}
