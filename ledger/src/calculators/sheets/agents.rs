//! An agent's context grows with every turn.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Axis, Measure, Plot, Sheet,
        input::{dtype, model, whole},
    },
    formula::n,
    inference,
};

pub(super) fn calculator() -> Calculator {
    let tokens = |id, zh, en, default| whole(id, (zh, en), "tokens", default, 0, 1 << 20);
    Calculator {
        id: "agent_context",
        name: Text::new("智能体上下文的增长", "Growth of an agent's context"),
        inputs: vec![
            model("Llama-3.1-8B", |_| true),
            dtype("cache", ("KV 格式", "Format of the cache"), "bf16"),
            tokens("system", "系统提示与工具说明", "System prompt and tools", 4000),
            tokens("per_turn", "每轮新增（调用、结果、回答）", "Added per turn (call, result, answer)", 1500),
            whole("turns", ("轮数", "Turns"), "", 30, 1, 1000),
            whole("agents", ("并行的智能体", "Agents in parallel"), "", 8, 1, 1 << 20),
            tokens("limit", "上下文超过多长时压缩（0 为不压缩）", "Summarise the context above (0 for never)", 0),
            tokens("summary", "压缩后的长度", "Length of the summary", 2000),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (model, cache) = (given.model()?, given.dtype("cache")?);
    let (system, per_turn, turns) = (given.whole("system")?, given.whole("per_turn")?, given.whole("turns")?);
    let (agents, limit, summary) = (given.whole("agents")?, given.whole("limit")?, given.whole("summary")?);
    model.validate()?;
    let (mut context, mut longest, mut read, mut folded) = (system, 0, 0u64, 0u64);
    let mut points = Vec::new();
    for turn in 1..=turns {
        context += per_turn;
        longest = context.max(longest);
        // Without a prefix cache every turn reads the whole context again.
        read = read.saturating_add(context);
        points.push((turn as f64, context as f64));
        if limit > 0 && context > limit {
            context = (system + summary).min(context);
            folded += 1;
        }
    }
    let mut sheet = Sheet::default();
    sheet.count("context", ("最长的上下文", "Longest context"), n(longest))?;
    let one =
        sheet.bytes("one", ("一个智能体的 KV", "Cache of one agent"), inference::kv_term(model, cache, 1, longest))?;
    let all = sheet.bytes("all", ("所有智能体的 KV", "Cache of all agents"), n(agents) * n(one))?;
    let shared = inference::kv_bytes(model, cache, 1, system.max(1))?.min(one);
    let shared = if system == 0 || model.window.is_some() { 0 } else { shared };
    let together = n(shared) + n(agents) * n(one - shared);
    let together = sheet.bytes("shared", ("系统提示只存一份", "With the system prompt stored once"), together)?;
    sheet.ratio("shared_share", ("共享后占原来的比例", "Share that remains"), together, all);
    sheet.count("read", ("无前缀缓存时预填充的 token 数", "Tokens prefilled without a prefix cache"), n(read))?;
    let new = sheet.count(
        "new",
        ("有前缀缓存时预填充的 token 数", "Tokens prefilled with a prefix cache"),
        n(system) + n(turns) * n(per_turn) + n(folded) * n(summary),
    )?;
    sheet.ratio(
        "work",
        ("预填充的 token 数：无缓存 ÷ 有缓存", "Prefilled tokens, without ÷ with the cache"),
        read,
        new,
    );
    sheet.count("summaries", ("压缩的次数", "Times that the context is summarised"), n(folded))?;
    let tokens = || Text::new("上下文（token）", "Context (tokens)");
    let (along, up) = (Text::new("轮", "Turn"), tokens());
    let plot = Plot::new("context", tokens(), Axis::linear(along, Measure::Count), Axis::linear(up, Measure::Count));
    sheet.plots.push(plot.line("context", tokens(), points));
    sheet.assume(
        "每轮增加的 token 数相同；上下文全部保留，直到压缩",
        "Every turn adds the same; everything is kept until it is summarised",
    );
    sheet.assume("所有智能体的上下文同时达到最长", "All agents are at their longest at the same time");
    sheet.assume(
        "只对没有滑动窗口的模型计算共享；压缩使摘要之后的前缀缓存失效",
        "Sharing is counted for models without a sliding window; a summary invalidates the cached prefix after it",
    );
    Ok(sheet)
}
