//! World models: rollouts in parallel multiply caches.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{dtype, model, whole},
    },
    formula::n,
    inference,
};

pub(super) fn calculator() -> Calculator {
    let tokens = |id, zh, en, default| whole(id, (zh, en), "tokens", default, 1, 1 << 22);
    Calculator {
        id: "world_rollouts",
        name: Text::new("世界模型的并行推演", "Parallel rollouts of a world model"),
        inputs: vec![
            model("Llama-3.2-1B", |_| true),
            dtype("cache", ("KV 格式", "Format of the cache"), "bf16"),
            tokens("history", "共同的历史", "History in common", 4096),
            tokens("per_step", "每步的 token 数", "Tokens per step", 64),
            whole("horizon", ("推演步数", "Steps of a rollout"), "", 16, 1, 1 << 16),
            whole("rollouts", ("并行的推演", "Rollouts in parallel"), "", 64, 1, 1 << 20),
            whole(
                "state",
                ("循环状态的大小（对照）", "Recurrent state in bytes (to compare)"),
                "B",
                1 << 20,
                1,
                1 << 40,
            ),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (model, cache, history) = (given.model()?, given.dtype("cache")?, given.whole("history")?);
    let (per_step, horizon, rollouts) = (given.whole("per_step")?, given.whole("horizon")?, given.whole("rollouts")?);
    model.validate()?;
    let mut sheet = Sheet::default();
    let tokens = sheet.count(
        "tokens",
        ("一次推演结束时的 token 数", "Tokens at the end of a rollout"),
        n(history) + n(horizon) * n(per_step),
    )?;
    let one =
        sheet.bytes("one", ("一次推演的 KV", "Cache of one rollout"), inference::kv_term(model, cache, 1, tokens))?;
    let copies =
        sheet.bytes("copies", ("每次推演各存一份历史", "Every rollout with its own history"), n(rollouts) * n(one))?;
    // A window drops the history anyway: nothing is counted as shared.
    let past = if model.window.is_some() { 0 } else { inference::kv_bytes(model, cache, 1, history)?.min(one) };
    let shared =
        sheet.bytes("shared", ("历史只存一份", "History stored once"), n(past) + n(rollouts) * n(one - past))?;
    sheet.ratio("saved", ("各存一份 ÷ 只存一份", "Copies ÷ shared"), copies, shared);
    sheet.bytes(
        "recurrent",
        ("固定大小的循环状态", "Recurrent states of a fixed size"),
        n(rollouts) * n(given.whole("state")?),
    )?;
    sheet.assume("所有推演同时走到最后一步", "All rollouts are at their last step at the same time");
    sheet.assume(
        "共享靠分页与写时复制；块尾的浪费不计",
        "Sharing needs pages and copy on write; the waste in the last block is left out",
    );
    sheet.assume("循环状态的大小不随步数增长", "The recurrent state does not grow with the steps");
    Ok(sheet)
}
