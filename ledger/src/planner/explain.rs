//! Why one plan beats another, term by term.

use serde::Serialize;

use super::{ServePlan, TrainPlan, term_name};
use crate::{Text, units};

/// A term of two costs. Seconds.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The slug of the term.
    pub term: &'static str,
    pub name: Text,
    pub first: f64,
    pub second: f64,
}

/// Two plans side by side.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The choices in which they differ: what, the first's, the second's.
    pub choices: Vec<(Text, Text, Text)>,
    /// The terms in which they differ, the largest difference first.
    pub terms: Vec<Difference>,
    /// Seconds by which the second is slower; negative where it is faster.
    pub slower: f64,
    /// Bytes by which the second's peak is higher; negative where it is lower.
    pub larger: i128,
    /// The comparison in a sentence.
    pub reason: Text,
}

fn comparison(
    choices: Vec<(Text, Text, Text)>,
    terms: impl Iterator<Item = (&'static str, f64, f64)>,
    peaks: (u64, u64),
) -> Comparison {
    let mut terms: Vec<Difference> = terms
        .filter(|(_, first, second)| first != second)
        .filter_map(|(term, first, second)| Some(Difference { term, name: term_name(term)?, first, second }))
        .collect();
    terms.sort_by(|one, other| {
        let size = |term: &Difference| (term.second - term.first).abs();
        size(other).total_cmp(&size(one))
    });
    let slower: f64 = terms.iter().map(|term| term.second - term.first).sum();
    let larger = i128::from(peaks.1) - i128::from(peaks.0);
    let reason = reason(&terms, slower, peaks);
    Comparison { choices, terms, slower, larger, reason }
}

fn reason(terms: &[Difference], slower: f64, peaks: (u64, u64)) -> Text {
    let memory = (units::gib(peaks.0), units::gib(peaks.1));
    let Some(deciding) = terms.iter().find(|term| (term.second - term.first) * slower > 0.0) else {
        return Text::new(
            format!("两者一样快；前者峰值 {}，后者 {}。", memory.0, memory.1),
            format!("Both are equally fast; the first peaks at {}, the second at {}.", memory.0, memory.1),
        );
    };
    let per_step = |seconds: f64| format!("{:.4} s", seconds.abs());
    let against = terms.iter().find(|term| (term.second - term.first) * slower < 0.0);
    let difference = |term: &Difference| per_step(term.second - term.first);
    let (faster_zh, faster_en) = if slower > 0.0 { ("前者", "The first") } else { ("后者", "The second") };
    let mut zh =
        format!("{faster_zh}快 {}：主要因为“{}”少 {}", per_step(slower), deciding.name.zh, difference(deciding));
    let mut en = format!(
        "{faster_en} is faster by {}: {} takes {} less",
        per_step(slower),
        deciding.name.en.to_lowercase(),
        difference(deciding)
    );
    if let Some(term) = against {
        zh.push_str(&format!("，尽管“{}”多 {}", term.name.zh, difference(term)));
        en.push_str(&format!(", although {} takes {} more", term.name.en.to_lowercase(), difference(term)));
    }
    zh.push_str(&format!("；峰值 {} 对 {}。", memory.0, memory.1));
    en.push_str(&format!("; peaks {} and {}.", memory.0, memory.1));
    Text::new(zh, en)
}

fn number(value: u64) -> Text {
    let text = units::group(value);
    Text::new(text.clone(), text)
}

fn slug(value: &str) -> Text {
    Text::new(value.to_owned(), value.to_owned())
}

fn named(zh: &'static str, en: &'static str, first: Text, second: Text) -> Option<(Text, Text, Text)> {
    (first != second).then(|| (Text::new(zh, en), first, second))
}

/// Compares two ways to train, usually the best and the next.
pub fn compare(first: &TrainPlan, second: &TrainPlan) -> Comparison {
    let (a, b) = (&first.step, &second.step);
    let both = |of: &dyn Fn(&crate::parallel::Distributed) -> Text| (of(a), of(b));
    let rows: [(&'static str, &'static str, (Text, Text)); 14] = [
        ("显卡", "Card", (slug(first.card), slug(second.card))),
        ("卡数", "Cards", (number(first.cards), number(second.cards))),
        ("精度", "Precision", both(&|step| step.training.precision.name())),
        ("优化器", "Optimizer", both(&|step| step.training.optimizer.name())),
        ("重算", "Checkpointing", both(&|step| step.training.checkpointing.name())),
        ("ZeRO", "ZeRO", both(&|step| step.zero.name())),
        ("数据并行", "Data ranks", both(&|step| number(step.mesh.data))),
        ("张量并行", "Tensor ranks", both(&|step| number(step.mesh.tensor))),
        ("流水线级数", "Stages", both(&|step| number(step.mesh.pipeline))),
        ("流水线调度", "Schedule", both(&|step| step.mesh.schedule.name())),
        ("专家并行", "Expert ranks", both(&|step| number(step.mesh.expert))),
        ("上下文并行", "Context ranks", both(&|step| number(step.mesh.context))),
        ("微批次大小", "Micro-batch", both(&|step| number(step.training.batch))),
        (
            "状态与权重的位置",
            "States and weights lie on",
            both(&|step| {
                let (states, weights) = (step.offload.states.name(), step.offload.weights.name());
                Text::new(format!("{} / {}", states.zh, weights.zh), format!("{} / {}", states.en, weights.en))
            }),
        ),
    ];
    let choices = rows.into_iter().filter_map(|(zh, en, (first, second))| named(zh, en, first, second)).collect();
    let terms = first.cost.terms().into_iter().zip(second.cost.terms()).map(|((term, a), (_, b))| (term, a, b));
    comparison(choices, terms, (first.peak, second.peak))
}

/// Compares two ways to serve.
pub fn compare_serving(first: &ServePlan, second: &ServePlan) -> Comparison {
    let rows = [
        named("显卡", "Card", slug(first.card), slug(second.card)),
        named("副本数", "Replicas", number(first.replicas), number(second.replicas)),
        named("张量并行", "Tensor ranks", number(first.tensor), number(second.tensor)),
        named("流水线级数", "Stages", number(first.pipeline), number(second.pipeline)),
        named("权重格式", "Weights", slug(first.weights.id()), slug(second.weights.id())),
        named("KV 格式", "Cache", slug(first.kv.id()), slug(second.kv.id())),
    ];
    let terms = first.cost.terms().into_iter().zip(second.cost.terms()).map(|((term, a), (_, b))| (term, a, b));
    comparison(rows.into_iter().flatten().collect(), terms, (first.peak, second.peak))
}
