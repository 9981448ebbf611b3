//! The planner: ranked plans, why the first beats the second, and the front of memory and time.

use ledger::calculators::{Axis, Input, Measure, Plot};
use ledger::planner::{self, Comparison, ServePlan, TrainPlan};
use ledger::{Dtype, Text, units};

use super::answer::{Answer, Figure, Table, figure, plain, size};
use super::inputs::{card, choice, whole};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::parallel::{BETWEEN, PLACES, RANKS, named};
use crate::state::plan::{CARDS, PERCENT, STEP};
use crate::state::{self, PlanState, Plans};

pub fn train() -> Tool {
    let inputs = vec![
        card("h100-80gb"),
        whole("count", "卡数", "Cards", 8, CARDS),
        whole("batch", "每步的序列数（全部卡）", "Sequences per step on all cards", 64, STEP),
        whole("seq", "序列长度", "Tokens per sequence", 4096, state::TRAINING_SEQ),
        choice("offload", "状态最远放到", "States may go as far as", "nvme", &PLACES, |it| it.name()),
        whole("max_tensor", "张量并行最多", "Most tensor ranks", 8, RANKS),
        whole("max_pipeline", "流水线最多", "Most stages", 64, RANKS),
    ];
    Tool {
        id: "planner",
        title: Text::new("规划器：训练", "Planner: training"),
        lead: Text::new(
            "给出模型、目标和卡：搜遍并行、重算、ZeRO 与卸载的组合，最快的排在最前，并说明为什么是它。",
            "Model, goal and cards in: every mix of parallelism, recomputation, ZeRO and offload is tried, the fastest comes first, with the reason.",
        ),
        client: Client::Planner,
        model: Some("Llama-3-8B"),
        inputs: inputs.into_iter().chain(assumed()).collect(),
        compares: false,
        lesson: None,
        run: Box::new(|pairs| run(pairs, "train")),
    }
}

pub fn serve() -> Tool {
    let dtypes = named(&Dtype::ALL, |it| it.id());
    let name = |it: &Dtype| plain(crate::words::dtype(*it));
    let inputs = vec![
        card("h100-80gb"),
        whole("count", "卡数", "Cards", 8, CARDS),
        whole("context", "每个请求的 token 数", "Tokens per request", 8192, state::INFERENCE_SEQ),
        whole("concurrency", "并发请求", "Concurrent requests", 32, state::BATCH),
        choice("weights", "权重格式", "Weight format", "bf16", &dtypes, name),
        choice("kv", "KV 格式", "KV format", "bf16", &dtypes, name),
    ];
    Tool {
        id: "planner-serve",
        title: Text::new("规划器：推理", "Planner: serving"),
        lead: Text::new(
            "同样多的卡，切张量、切流水线还是多副本：按每个 token 的时间排序。",
            "The same cards as tensor ranks, stages or replicas: ordered by the time per token.",
        ),
        client: Client::Planner,
        model: Some("Llama-3-70B"),
        inputs: inputs.into_iter().chain(assumed()).collect(),
        compares: false,
        lesson: None,
        run: Box::new(|pairs| run(pairs, "serve")),
    }
}

/// What the cost model takes for granted.
fn assumed() -> [Input; 5] {
    [
        whole("efficiency_percent", "达到峰值算力的 %（假设）", "Percent of peak arithmetic (assumption)", 45, PERCENT),
        whole("memory_percent", "达到峰值带宽的 %（假设）", "Percent of peak bandwidth (assumption)", 70, PERCENT),
        whole("reserve_mib", "每卡预留 MiB（假设）", "Reserve per card in MiB (assumption)", 2048, state::RESERVE_MIB),
        whole("node", "每台机器的卡数", "Cards per machine", 8, RANKS),
        whole("between_gb", "机器间每卡带宽 GB/s（单向）", "GB/s per card between machines, one way", 50, BETWEEN),
    ]
}

/// The form asks for one kind of card and its count; the state takes a list.
pub fn with_cards(pairs: &Pairs, (card, count): (&str, &str)) -> Pairs {
    let text = |id: &str| pairs.iter().rev().find(|(key, _)| key == id).map(|(_, value)| value.as_str());
    let (card, count) = (text("card").unwrap_or(card), text("count").unwrap_or(count));
    let rest = pairs.iter().filter(|(key, _)| key != "card" && key != "count").cloned();
    rest.chain([("cards".to_owned(), format!("{card}:{count}"))]).collect()
}

fn run(pairs: &Pairs, goal: &str) -> Result<Answer, Text> {
    let mut pairs = with_cards(pairs, ("h100-80gb", "8"));
    pairs.push(("goal".to_owned(), goal.to_owned()));
    if goal == "serve" && pairs.iter().all(|(key, _)| key != "model" && key != "config") {
        pairs.push(("model".to_owned(), "Llama-3-70B".to_owned()));
    }
    let state = PlanState::from_pairs(&pairs);
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let goal = state.train_goal();
    Ok(match state.evaluate(&model).map_err(|error| state::ledger_text(&error))? {
        Plans::Train(plans) => {
            let why = two(&plans.best).map(|(best, next)| planner::compare(best, next));
            let rows = plans.best.iter().map(|plan| {
                let speed = units::group(plan.tokens_per_second(&goal) as u64);
                vec![plain(train_words(plan)), plain(seconds(plan.cost.total())), plain(speed), plain(size(plan.peak))]
            });
            let table = Table {
                title: Text::new("最快在前", "Fastest first"),
                columns: vec![
                    Text::new("方案", "Plan"),
                    Text::new("一步", "A step"),
                    Text::new("token/s", "Tokens/s"),
                    Text::new("每卡峰值", "Peak per card"),
                ],
                rows: rows.collect(),
            };
            let front = plans.front.iter().map(|plan| (plan.peak, plan.cost.total()));
            answer(counted(plans.considered, plans.fitting), table, why, front, plans.smallest.map(|plan| plan.peak))
        }
        Plans::Serve(plans) => {
            let why = two(&plans.best).map(|(best, next)| planner::compare_serving(best, next));
            let rows = plans.best.iter().map(|plan| {
                let most = units::group(plan.largest_batch.saturating_mul(plan.replicas));
                vec![plain(serve_words(plan)), plain(seconds(plan.cost.total())), plain(most), plain(size(plan.peak))]
            });
            let table = Table {
                title: Text::new("每个 token 最快在前", "Least time per token first"),
                columns: vec![
                    Text::new("方案", "Plan"),
                    Text::new("每个 token", "Per token"),
                    Text::new("最多并发", "Most requests"),
                    Text::new("每卡峰值", "Peak per card"),
                ],
                rows: rows.collect(),
            };
            let front = plans.front.iter().map(|plan| (plan.peak, plan.cost.total()));
            answer(counted(plans.considered, plans.fitting), table, why, front, plans.smallest.map(|plan| plan.peak))
        }
    })
}

fn two<P>(plans: &[P]) -> Option<(&P, &P)> {
    Some((plans.first()?, plans.get(1)?))
}

fn counted(considered: u64, fitting: u64) -> Vec<Figure> {
    vec![
        figure("算过的组合", "Choices computed", units::group(considered)),
        figure("放得下的", "That fit", units::group(fitting)),
    ]
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.3} s") }
}

fn answer(
    figures: Vec<Figure>,
    table: Table,
    why: Option<Comparison>,
    front: impl Iterator<Item = (u64, f64)>,
    smallest: Option<u64>,
) -> Answer {
    let mut points: Vec<(f64, f64)> = front.map(|(bytes, time)| (bytes as f64, time)).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let verdict = match (smallest, &why) {
        (Some(peak), _) => Some(Text::new(
            format!("都放不下：峰值最低的方案每卡也要 {}。", size(peak)),
            format!("Nothing fits: the plan with the lowest peak needs {} per card.", size(peak)),
        )),
        (None, Some(why)) => Some(why.reason.clone()),
        (None, None) => None,
    };
    let mut tables = vec![table];
    if let Some(why) = why {
        tables.push(compared(&why));
    }
    let name = || Text::new("Pareto 前沿", "Pareto front");
    let along = Axis::linear(Text::new("每卡峰值", "Peak per card"), Measure::Bytes);
    let up = Axis::linear(Text::new("时间", "Time"), Measure::Seconds);
    let front = Plot::new("front", name(), along, up).line("front", name(), points);
    Answer {
        verdict,
        figures,
        tables,
        curves: vec![front],
        assumptions: vec![Text::new(
            "时间来自写明的代价模型：矩阵乘按峰值的一个比例，通信按链路速率、不含延迟。它用来排序，不是测量。",
            "Times come from a stated cost model: matrix products at a share of the peak, traffic at the rate of its link without latency. They order plans; they are no measurement.",
        )],
        ..Answer::default()
    }
}

fn compared(why: &Comparison) -> Table {
    let choices = why.choices.iter().map(|(what, first, second)| vec![what.clone(), first.clone(), second.clone()]);
    let terms =
        why.terms.iter().map(|term| vec![term.name.clone(), plain(seconds(term.first)), plain(seconds(term.second))]);
    Table {
        title: Text::new("为什么第一个胜过第二个", "Why the first beats the second"),
        columns: vec![Text::new("不同之处", "Difference"), Text::new("第一个", "First"), Text::new("第二个", "Second")],
        rows: choices.chain(terms).collect(),
    }
}

/// A training plan in a line.
pub fn train_words(plan: &TrainPlan) -> String {
    let (step, mesh) = (&plan.step, &plan.step.mesh);
    let mut words = vec![
        format!("{} × {}", units::group(plan.cards), plan.card),
        step.training.precision.id().to_owned(),
        step.training.optimizer.id().to_owned(),
        step.training.checkpointing.slug().into_owned(),
        format!("ZeRO-{}", step.zero as u8),
    ];
    let axes =
        [("DP", mesh.data), ("TP", mesh.tensor), ("PP", mesh.pipeline), ("EP", mesh.expert), ("CP", mesh.context)];
    words.extend(axes.into_iter().filter(|(_, ranks)| *ranks > 1).map(|(axis, ranks)| format!("{axis} {ranks}")));
    words.push(format!("{} × {}", step.training.batch, step.micro_batches));
    for (what, place) in [("states", step.offload.states), ("weights", step.offload.weights)] {
        if place != ledger::parallel::Place::Device {
            words.push(format!("{what} → {}", place.name().en));
        }
    }
    words.join(" · ")
}

/// A serving plan in a line.
pub fn serve_words(plan: &ServePlan) -> String {
    let mut words = vec![
        format!("{} × {}", units::group(plan.cards), plan.card),
        format!("{} / KV {}", plan.weights.id(), plan.kv.id()),
    ];
    let axes = [("replicas", plan.replicas), ("TP", plan.tensor), ("PP", plan.pipeline)];
    words.extend(axes.into_iter().filter(|(_, ranks)| *ranks > 1).map(|(axis, ranks)| format!("{axis} {ranks}")));
    words.join(" · ")
}
