//! The flow for a service.

use serde::{Deserialize, Serialize};

use super::{Branch, CACHE_BREAK_EVEN, Decision, FRAGMENTATION, Plan, SHARED_PROMPT, Step, WEIGHT_SHARE_PERCENT};
use crate::{
    Dtype, LedgerError, Model, Text,
    catalogue::Card,
    inference,
    planner::{self, Assumptions, Offer, ServeGoal, ServePlan},
    units,
};

/// How much quality may be lost.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tolerance {
    /// None: finance, medicine.
    Strict,
    /// One or two percent.
    Some,
}

/// A service as it is asked for, and what has been measured of it.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Serving {
    /// Longest sequence that must fit, prompt and output together.
    pub context: u64,
    /// Median of the sequence lengths: measure it first.
    pub median_context: u64,
    /// Sequences at the same time.
    pub concurrency: u64,
    pub tolerance: Tolerance,
    /// Share of the input that requests have in common, from 0 to 1: system prompts, documents.
    pub shared_prompt: f64,
    /// Few requests that may wait.
    pub offline: bool,
    /// Measured: split, free blocks ÷ reserved memory.
    pub fragmentation: Option<f64>,
}

/// Follows the flow for a service.
///
/// # Errors
/// As [`planner::serve`]. That nothing fits is a branch, not an error.
pub fn serve(
    model: &Model,
    task: &Serving,
    offers: &[Offer],
    assumptions: &Assumptions,
) -> Result<Decision, LedgerError> {
    let mut steps =
        vec![Step::new(1, Branch::Serve, "任务是推理：先看精度。", "The task is inference: precision first.")];
    let weights = precision(model, task, offers, &mut steps)?;
    let mut best: Option<(u64, ServePlan)> = None;
    let mut cards = Vec::new();
    for offer in offers {
        let needed = needed(model, weights, offer.card)?;
        cards.push((offer, needed));
        for count in needed..=offer.count {
            let goal = ServeGoal {
                context: task.context,
                concurrency: task.concurrency,
                weights: vec![weights],
                kv: vec![cache(task, offer.card)],
            };
            let plans = planner::serve(model, &goal, &[Offer { count, ..*offer }], assumptions)?;
            let Some(plan) = plans.best.first().copied() else { continue };
            let better = best.is_none_or(|(known, other)| (count, plan.cost.total()) < (known, other.cost.total()));
            if better {
                best = Some((needed, plan));
            }
            break;
        }
    }
    count_step(&cards, weights, best, assumptions, &mut steps);
    let card = best.and_then(|(_, plan)| offers.iter().find(|offer| offer.card.id == plan.card)).or(offers.first());
    if let Some(offer) = card {
        cache_steps(model, task, offer.card, &mut steps)?;
    }
    steps.push(Step::load_test());
    Ok(Decision { steps, plan: best.map(|(_, plan)| Plan::Serve(plan)), next: next() })
}

/// Cards that hold the weights in their share of memory.
fn needed(model: &Model, weights: Dtype, card: &Card) -> Result<u64, LedgerError> {
    let bytes = u128::from(inference::weights(model, weights)?.bytes) * 100;
    let share = u128::from(card.capacity_bytes.max(1)) * u128::from(WEIGHT_SHARE_PERCENT);
    Ok(u64::try_from(bytes.div_ceil(share)).unwrap_or(u64::MAX))
}

/// INT8 unless INT4 saves a card.
fn precision(model: &Model, task: &Serving, offers: &[Offer], steps: &mut Vec<Step>) -> Result<Dtype, LedgerError> {
    if task.tolerance == Tolerance::Strict {
        // Cards without BF16 units take FP16: the same bytes.
        let has_bf16 = |offer: &Offer| offer.card.speed.is_none_or(|speed| speed.dense_rate("bf16").is_some());
        let dtype = if offers.iter().all(has_bf16) { Dtype::Bf16 } else { Dtype::F16 };
        steps.push(Step::new(
            2,
            Branch::Sixteen,
            "不接受精度损失：权重保持 16 位。",
            "No loss is accepted: weights stay in 16 bit.",
        ));
        return Ok(dtype);
    }
    let fewest = |dtype| -> Result<u64, LedgerError> {
        let counts = offers.iter().map(|offer| needed(model, dtype, offer.card)).collect::<Result<Vec<_>, _>>()?;
        Ok(counts.into_iter().min().unwrap_or(1))
    };
    let (eight, four) = (fewest(Dtype::Int8)?, fewest(Dtype::Int4)?);
    let size = |dtype| inference::weights(model, dtype).map(|entry| units::gb(entry.bytes));
    if four < eight {
        let bytes = size(Dtype::Int4)?;
        steps.push(Step::new(
            2,
            Branch::Int4,
            format!("可以损失 1–2%：INT4 权重 {bytes}，{four} 张卡即可，INT8 要 {eight} 张。"),
            format!("1–2% may be lost: INT4 weights of {bytes} take {}, INT8 would take {eight}.", cards_en(four)),
        ));
        return Ok(Dtype::Int4);
    }
    let bytes = size(Dtype::Int8)?;
    steps.push(Step::new(
        2,
        Branch::Int8,
        format!("可以损失 1–2%：INT8 权重 {bytes}；INT4 省不出卡，不必多损失。"),
        format!("1–2% may be lost: INT8 weights of {bytes}; INT4 would save no card, so no more is given up."),
    ));
    Ok(Dtype::Int8)
}

fn count_step(
    cards: &[(&Offer, u64)],
    weights: Dtype,
    best: Option<(u64, ServePlan)>,
    assumptions: &Assumptions,
    steps: &mut Vec<Step>,
) {
    let Some((needed, plan)) = best else {
        for (offer, needed) in cards {
            let (name, count) = (offer.card.name, offer.count);
            steps.push(Step::new(
                3,
                Branch::TooFewCards,
                format!(
                    "{name}：{weights} 权重按 {WEIGHT_SHARE_PERCENT} % 可用显存至少要 {needed} 张，\
                     手头 {count} 张放不下权重与 KV。"
                ),
                format!(
                    "{name}: {weights} weights need at least {} at {WEIGHT_SHARE_PERCENT} % of their memory; {count} \
                     do not hold weights and cache.",
                    cards_en(*needed)
                ),
            ));
        }
        return;
    };
    let ranks = plan.cards;
    let branch = match ranks {
        1 => Branch::OneCard,
        few if few <= assumptions.node => Branch::TensorParallel,
        _ => Branch::PipelineParallel,
    };
    let (kept, layout) = (100 - WEIGHT_SHARE_PERCENT, (plan.replicas, plan.tensor, plan.pipeline));
    let (replicas, tensor, pipeline) = layout;
    steps.push(Step::new(
        3,
        branch,
        format!(
            "权重 ÷（容量 × {WEIGHT_SHARE_PERCENT} %）= {needed} 张，留 {kept} % 给 KV 与碎片；\
             副本 {replicas} × 张量并行 {tensor} × 流水线 {pipeline}。"
        ),
        format!(
            "Weights ÷ (capacity × {WEIGHT_SHARE_PERCENT} %) = {}, {kept} % are kept for cache and fragmentation; \
             {replicas} replica(s) × {tensor} tensor rank(s) × {pipeline} stage(s).",
            cards_en(needed)
        ),
    ));
    if ranks > needed {
        steps.push(Step::new(
            3,
            Branch::MoreCards,
            format!("权重、KV 与预留一起，{needed} 张放不下或切不开，用 {ranks} 张。"),
            format!(
                "Weights, cache and reserve together do not fit or divide on {}: {ranks} are used.",
                cards_en(needed)
            ),
        ));
    }
}

fn cards_en(count: u64) -> String {
    if count == 1 { "1 card".to_owned() } else { format!("{count} cards") }
}

/// The format of the cache: quantised where contexts are long enough and some loss is accepted.
fn cache(task: &Serving, card: &Card) -> Dtype {
    let has_fp8 = card.speed.is_some_and(|speed| speed.dense_rate("fp8").is_some());
    match task.tolerance {
        Tolerance::Some if task.median_context > CACHE_BREAK_EVEN && has_fp8 => Dtype::Fp8,
        Tolerance::Some if task.median_context > CACHE_BREAK_EVEN => Dtype::Int8,
        _ => Dtype::Bf16,
    }
}

fn cache_steps(model: &Model, task: &Serving, card: &Card, steps: &mut Vec<Step>) -> Result<(), LedgerError> {
    let median = units::group(task.median_context);
    let limit = units::group(CACHE_BREAK_EVEN);
    let dtype = cache(task, card);
    let sixteen = inference::kv_bytes(model, Dtype::Bf16, task.concurrency, task.context)?;
    let chosen = inference::kv_bytes(model, dtype, task.concurrency, task.context)?;
    steps.push(match dtype {
        Dtype::Bf16 if task.median_context <= CACHE_BREAK_EVEN => Step::new(
            4,
            Branch::CachePlain,
            format!("中位长度 {median} 不超过 {limit}：反量化的代价大于省下的字节。"),
            format!("The median of {median} tokens is not above {limit}: unpacking costs more than the bytes saved."),
        ),
        Dtype::Bf16 => Step::new(
            4,
            Branch::CachePlain,
            "不接受精度损失：量化 KV 会让推理类任务掉 1–2 分。",
            "No loss is accepted: a quantised cache costs a point or two on reasoning.",
        ),
        other => {
            let branch = if other == Dtype::Fp8 { Branch::CacheFp8 } else { Branch::CacheInt8 };
            let (before, after) = (units::gb(sixteen), units::gb(chosen));
            Step::new(
                4,
                branch,
                format!("中位长度 {median} 超过 {limit}：{other} KV，满载 {before} 变为 {after}。"),
                format!(
                    "The median of {median} tokens is above {limit}: {other} for the cache, {after} at full load \
                     instead of {before}."
                ),
            )
        }
    });
    if task.shared_prompt >= SHARED_PROMPT && task.concurrency > 1 {
        let shared = (task.shared_prompt.min(1.0) * task.median_context as f64) as u64;
        let saved = inference::kv_bytes(model, dtype, task.concurrency - 1, shared.max(1))?;
        let (shared, saved) = (units::group(shared), units::gb(saved));
        steps.push(Step::new(
            4,
            Branch::PrefixCache,
            format!("请求共享 {shared} 个 token 的前缀：只存一份，最多省 {saved}。"),
            format!("Requests share a prefix of {shared} tokens: kept once, it saves up to {saved}."),
        ));
    }
    if task.offline {
        steps.push(Step::new(
            4,
            Branch::HostOffload,
            "低 QPS 的离线任务可以等：暂停的请求的 KV 可以放到主机内存。",
            "Few requests that may wait: the cache of paused ones may lie in host memory.",
        ));
    }
    if let Some(share) = task.fragmentation.filter(|share| *share > FRAGMENTATION) {
        let (share, limit) = (share * 100.0, FRAGMENTATION * 100.0);
        steps.push(Step::new(
            4,
            Branch::ExpandableSegments,
            format!("实测碎片率 {share:.0} % 超过 {limit:.0} %：打开 expandable_segments。"),
            format!("Measured fragmentation of {share:.0} % is above {limit:.0} %: turn on expandable_segments."),
        ));
    }
    Ok(())
}

/// The order of moves for serving.
fn next() -> Vec<Text> {
    [
        ("量化权重", "Quantise the weights"),
        ("分页 KV", "Page the cache"),
        ("确认模型用 GQA", "Check that the model has grouped key-value heads"),
        ("量化 KV", "Quantise the cache"),
        ("卸载", "Offload"),
        ("加卡，或换更小的模型", "More cards, or a smaller model"),
    ]
    .map(|(zh, en)| Text::new(zh, en))
    .to_vec()
}
