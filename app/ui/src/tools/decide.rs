//! The decision flow as a guided form.

use ledger::calculators::Input;
use ledger::decide::{Plan, Tolerance};
use ledger::{Text, units};

use super::answer::{Answer, Table, figure, plain, size};
use super::inputs::{card, choice, whole};
use super::plan::{self, with_cards};
use super::{Pairs, Tool};
use crate::Client;
use crate::state::decide::{SHARE, TASKS, TOLERANCES, Task};
use crate::state::parallel::SWITCH;
use crate::state::plan::{CARDS, STEP};
use crate::state::{self, DecideState};

pub fn tool() -> Tool {
    Tool {
        id: "decide",
        title: Text::new("决策流", "Decision flow"),
        lead: Text::new(
            "从任务走到方案：每一步走了哪个分支、为什么。理论给出下限，终点永远是压测。",
            "From a task to a plan: which branch is taken at each step, and why. Theory gives the lower bound; the flow always ends with a load test.",
        ),
        client: Client::Planner,
        model: Some("Llama-3-8B"),
        inputs: inputs(),
        in_front: usize::MAX,
        matters,
        compares: false,
        lesson: None,
        run: Box::new(run),
    }
}

fn yes_no(on: &bool) -> Text {
    if *on { Text::new("是", "Yes") } else { Text::new("否", "No") }
}

fn inputs() -> Vec<Input> {
    vec![
        choice("task", "任务", "Task", "serve", &TASKS, |task| match task {
            Task::Serve => Text::new("推理", "Inference"),
            Task::Train => Text::new("训练", "Training"),
        }),
        card("rtx4090"),
        whole("count", "卡数", "Cards", 1, CARDS),
        choice(
            "tolerance",
            "推理：可接受的精度损失",
            "Serving: quality that may be lost",
            "some",
            &TOLERANCES,
            |it| match it {
                Tolerance::Strict => Text::new("不能损失（金融、医疗）", "None (finance, medicine)"),
                Tolerance::Some => Text::new("1–2%", "One or two percent"),
            },
        ),
        whole("context", "推理：最长上下文", "Serving: longest context", 8192, state::INFERENCE_SEQ),
        whole(
            "median_context",
            "推理：上下文中位数（先测）",
            "Serving: median context (measure it first)",
            2048,
            state::INFERENCE_SEQ,
        ),
        whole("concurrency", "推理：并发", "Serving: sequences at the same time", 8, state::BATCH),
        whole("shared_percent", "推理：请求共有的前缀 %", "Serving: prompt in common, percent", 30, SHARE),
        choice("offline", "推理：请求可以等", "Serving: requests may wait", "off", &SWITCH, yes_no),
        choice("full", "训练：要训练全部参数", "Training: all parameters are trained", "off", &SWITCH, yes_no),
        whole("batch", "训练：每步的序列数", "Training: sequences per step", 16, STEP),
        whole("seq", "训练：序列长度", "Training: tokens per sequence", 2048, state::TRAINING_SEQ),
        whole("rank", "训练：适配器的秩", "Training: rank of adapters", 16, state::RANK),
    ]
}

/// Of the two tasks each asks its own.
fn matters(id: &str, pairs: &Pairs) -> bool {
    const SERVE: [&str; 6] = ["tolerance", "context", "median_context", "concurrency", "shared_percent", "offline"];
    const TRAIN: [&str; 4] = ["full", "batch", "seq", "rank"];
    let trains = pairs.iter().any(|(key, value)| key == "task" && value == "train");
    if trains { !SERVE.contains(&id) } else { !TRAIN.contains(&id) }
}

fn run(pairs: &Pairs) -> Result<Answer, Text> {
    let state = DecideState::from_pairs(&with_cards(pairs, ("rtx4090", "1")));
    state::refuse(&state.problems)?;
    let model = state.source.model()?;
    let decision = state.evaluate(&model).map_err(|error| state::ledger_text(&error))?;
    let steps = decision.steps.iter();
    let taken = Table {
        title: Text::new("走过的分支", "Branches taken"),
        columns: vec![Text::new("步", "Step"), Text::new("分支", "Branch"), Text::new("原因", "Reason")],
        rows: steps.map(|step| vec![plain(step.number.to_string()), step.branch.name(), step.reason.clone()]).collect(),
    };
    let next = Table {
        title: Text::new("接下来，一次只改一处", "What to try next, one change at a time"),
        columns: vec![Text::new("做什么", "What")],
        rows: decision.next.iter().map(|text| vec![text.clone()]).collect(),
    };
    let mut figures = Vec::new();
    match &decision.plan {
        None => figures.push(figure("方案", "Plan", "—")),
        Some(Plan::Serve(plan)) => {
            figures.push(figure("每卡峰值", "Peak per card", size(plan.peak)));
            figures.push(figure("方案", "Plan", plan::serve_words(plan)));
        }
        Some(Plan::Train(plan)) => {
            figures.push(figure("每卡峰值", "Peak per card", size(plan.peak)));
            figures.push(figure("方案", "Plan", plan::train_words(plan)));
        }
        Some(Plan::Adapters(plan)) => {
            figures.push(figure("每卡峰值", "Peak per card", size(plan.peak)));
            let words = format!(
                "{} × {} · {} · rank {} · {} · batch {}",
                units::group(plan.cards),
                plan.card,
                state::adapter_id(plan.lora),
                plan.lora.rank,
                plan.training.checkpointing.slug(),
                plan.training.batch
            );
            figures.push(figure("方案", "Plan", words));
        }
    }
    Ok(Answer { figures, tables: vec![taken, next], ..Answer::default() })
}
