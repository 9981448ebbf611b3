//! A serving engine: formats, pages, blocks and concurrency.

use ledger::calculators::Input;
use ledger::{Text, units};

use super::answer::{Answer, Bar, Table, figure, plain, size};
use super::inputs::{card, choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::serving::{ATTENTION, BLOCK, CACHES, LOGITS, STEP_TOKENS, UTILISATION, WEIGHTS};
use crate::state::{self, ServingState};

pub fn tool() -> Tool {
    Tool {
        id: "serving",
        title: Text::new("推理引擎的块池", "A serving engine and its pool"),
        lead: Text::new(
            "推理引擎怎样把卡分给权重、预留与块：放得下多少块、多少并发，尾块浪费多少。",
            "How a serving engine divides a card among weights, reserves and blocks: how many blocks and requests fit, and what the tails waste.",
        ),
        client: Client::Planner,
        model: Some("Llama-3-8B"),
        inputs: inputs(),
        compares: true,
        lesson: Some(("task4/kv-cache", Text::new("推理 KV Cache 与显存预算", "KV cache and memory budget"))),
        run: Box::new(run),
    }
}

fn inputs() -> Vec<Input> {
    let mib = |id, zh, en, default| whole(id, zh, en, default, state::RESERVE_MIB);
    vec![
        choice("weights", "权重格式", "Weight format", "bf16", &named(&WEIGHTS), |id| plain(*id)),
        choice("kv", "KV 格式", "KV format", "bf16", &named(&CACHES), |id| plain(*id)),
        card("h100-80gb"),
        whole("utilisation", "引擎可用的百分比", "Percent of the card for the engine", 90, UTILISATION),
        whole("batch", "并发请求", "Concurrent requests", 8, state::BATCH),
        whole("seq", "每个请求的 token 数", "Tokens per request", 8192, state::INFERENCE_SEQ),
        whole("block", "每块 token 数", "Tokens per block", 16, BLOCK),
        whole("step_tokens", "一次前向最多 token 数", "Tokens of one pass at most", 8192, STEP_TOKENS),
        choice("attention", "预填充的注意力", "Attention over the prompt", "flash", &ATTENTION, |it| it.name()),
        choice("logits", "计算哪些位置的 logits", "Positions with logits", "last", &LOGITS, |it| it.name()),
        mib("context_mib", "CUDA 上下文 MiB（假设）", "CUDA context in MiB (assumption)", 500),
        mib("workspaces_mib", "工作区 MiB（假设）", "Workspaces in MiB (assumption)", 32),
        mib("graphs_mib", "CUDA 图 MiB（假设）", "CUDA graphs in MiB (assumption)", 492),
        mib("nccl_mib", "NCCL 缓冲 MiB（假设）", "NCCL buffers in MiB (assumption)", 0),
    ]
}

/// Options that are called what they are.
fn named(options: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    options.iter().map(|id| (*id, *id)).collect()
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let state = ServingState::from_pairs(pairs);
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let (ledger, engine) = state.evaluate(&model).map_err(|error| state::ledger_text(&error))?;
    let capacity = state.capacity();
    let phase = |label: Text, phase: ledger::Phase| Bar {
        label,
        parts: ledger
            .entries
            .iter()
            .filter(|entry| entry.span.contains(phase))
            .map(|entry| (entry.object.id().to_owned(), entry.bytes))
            .collect(),
        marked: false,
    };
    let (blocks, waste) = (state.seq.div_ceil(state.block), state.seq.next_multiple_of(state.block) - state.seq);
    let pool = Table {
        title: Text::new("块池", "The pool"),
        columns: vec![Text::new("项", "Line"), Text::new("值", "Value")],
        rows: vec![
            row("引擎可用", "The engine may use", size(engine.budget)),
            row("权重", "Weights", size(engine.weights)),
            row("预填充激活（剖析时的最大值）", "Prefill activations at their widest", size(engine.activations)),
            row("预留", "Reserves", size(engine.reserves)),
            row("留给 KV 的字节", "Left for the cache", size(engine.available)),
            row("一层一块", "A block of one layer", size(engine.page)),
            row("块数", "Blocks", units::group(engine.blocks)),
            row("缓存的 token 数", "Tokens in the cache", units::group(engine.tokens)),
            row("每个请求的块数", "Blocks per request", units::group(engine.blocks_per_request)),
            row("每个序列的块", "Blocks of a sequence", units::group(blocks)),
            row("尾块里空着的 token", "Tokens empty in the last block", units::group(waste)),
        ],
    };
    let longest = engine.longest_request.map_or_else(|| "—".to_owned(), units::group);
    Ok(Answer {
        figures: vec![
            figure("同时容纳的请求", "Requests at the same time", format!("{:.2}", engine.concurrency())),
            figure("最长单个请求（token）", "Longest single request (tokens)", longest),
            figure("峰值", "Peak", size(ledger.peak)),
        ],
        bars: vec![
            phase(Text::new("加载后", "Loaded"), ledger::Phase::Load),
            phase(Text::new("预填充", "Prefill"), ledger::Phase::Prefill),
            phase(Text::new("解码", "Decode"), ledger::Phase::Decode),
        ],
        capacity: Some(capacity),
        entries: ledger.entries.clone(),
        tables: vec![pool],
        assumptions: vec![Text::new(
            "预留与预填充激活是写明的假设：在自己的机器上测一次再改。块池规则取自 vLLM v1。",
            "Reserves and prefill activations are stated assumptions: measure them once on your machine. The pool follows vLLM v1.",
        )],
        ..Answer::default()
    })
}

fn row(zh: &'static str, en: &'static str, value: String) -> Vec<Text> {
    vec![Text::new(zh, en), plain(value)]
}
