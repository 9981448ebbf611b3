//! The ledger of serving one model on one card.

use ledger::calculators::Input;
use ledger::{Dtype, Text, units};

use super::answer::{Answer, Bar, Figure, bytes, figure, fit, plain};
use super::inputs::{card, choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::parallel::named;
use crate::state::{self, InferenceState};
use crate::words;

pub fn tool() -> Tool {
    Tool {
        id: "inference",
        title: Text::new("推理账本", "Inference ledger"),
        lead: Text::new(
            "权重、KV Cache 与预留放在一张卡上：放得下吗？最长多少 token？最多多少并发？",
            "Weights, KV cache and reserve on one card: does it fit, how long a context, how many requests at once?",
        ),
        client: Client::Planner,
        model: Some("Llama-3-8B"),
        inputs: inputs(),
        in_front: 8,
        matters: |_, _| true,
        compares: true,
        lesson: Some(("task4/kv-cache", Text::new("推理 KV Cache 与显存预算", "KV cache and memory budget"))),
        run: Box::new(run),
    }
}

fn inputs() -> Vec<Input> {
    let dtypes = named(&Dtype::ALL, |it| it.id());
    let name = |it: &Dtype| plain(words::dtype(*it));
    vec![
        choice("weights", "权重格式", "Weight format", "bf16", &dtypes, name),
        choice("kv", "KV 格式", "KV format", "bf16", &dtypes, name),
        card("h100-80gb"),
        whole("batch", "并发请求", "Concurrent requests", 8, state::BATCH),
        whole("seq", "每个请求的 token 数", "Tokens per request", 8192, state::INFERENCE_SEQ),
        whole("reserve_mib", "预留 MiB（假设，可改）", "Reserve in MiB (an assumption)", 1024, state::RESERVE_MIB),
    ]
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let state = InferenceState::from_pairs(pairs);
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let (ledger, room) = state.evaluate(&model).map_err(|error| state::ledger_text(&error))?;
    let limit = |id, zh, en, value: Option<u64>| {
        let value = value.map_or_else(|| "—".to_owned(), units::group);
        Figure { id, ..figure(zh, en, value) }
    };
    let bar = Bar {
        label: Text::new("合计", "Total"),
        parts: ledger.entries.iter().map(|entry| (entry.object.id().to_owned(), entry.bytes)).collect(),
        marked: true,
    };
    Ok(Answer {
        figures: vec![
            bytes("total", "合计", "total", ledger.total),
            fit(ledger.total, room.capacity),
            limit("longest", "此并发下最长上下文", "longest context at this concurrency", room.longest_context),
            limit("largest", "此长度下最大并发", "largest concurrency at this length", room.largest_batch),
        ],
        bars: vec![bar],
        capacity: Some(room.capacity),
        entries: ledger.entries,
        assumptions: vec![Text::new(
            "这是 CPU 可以确认的理论容量；真实峰值、reserved 与 OOM 边界要 GPU 才能确认。预留是一个假设。",
            "This is theoretical capacity, which a CPU can confirm; the real peak, reserved memory and the OOM boundary need a GPU. The reserve is an assumption.",
        )],
        ..Answer::default()
    })
}
