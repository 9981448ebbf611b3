//! The flow for training.

use serde::{Deserialize, Serialize};

use super::{Branch, Decision, Plan, Step};
use crate::{
    LedgerError, Model, Text,
    parallel::{Offload, Place, ZeroStage},
    planner::{self, Assumptions, Offer, Space, TrainGoal, TrainPlan},
    training::{self, Checkpointing, Lora, LoraBase, LoraMethod, LoraTargets, Optimizer, Precision, Training},
    units,
};

/// A training job as it is asked for.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    pub goal: TrainGoal,
    /// All parameters are to be trained; otherwise adapters are enough.
    pub full: bool,
    /// Rank of the adapters, where they are the answer.
    pub rank: u64,
}

/// Adapters on one card; others repeat it on their share of the batch.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AdapterPlan {
    pub card: &'static str,
    pub cards: u64,
    pub training: Training,
    pub lora: Lora,
    /// Bytes on each card, without the reserve.
    pub peak: u64,
}

/// Follows the flow for training.
///
/// ```
/// use ledger::{catalogue, decide::{self, Branch, Plan, Tuning}, planner::{Assumptions, Offer, TrainGoal}};
/// let model = catalogue::model("Llama-3-8B").expect("in the catalogue");
/// let offers = [Offer { card: catalogue::card("rtx4090").expect("in the catalogue"), count: 1 }];
/// let task = Tuning { goal: TrainGoal { batch: 8, seq: 1024 }, full: false, rank: 16 };
/// let decision = decide::train(model, &task, &offers, &Assumptions::default())?;
/// // 16-bit weights take 16 of 24 GB: adapters beside them fit.
/// assert!(decision.steps.iter().any(|step| step.branch == Branch::Lora));
/// assert!(matches!(decision.plan, Some(Plan::Adapters(_))));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`planner::train`]. That nothing fits is a branch, not an error.
pub fn train(
    model: &Model,
    task: &Tuning,
    offers: &[Offer],
    assumptions: &Assumptions,
) -> Result<Decision, LedgerError> {
    let mut steps = vec![Step::new(1, Branch::Train, "任务是训练。", "The task is training.")];
    let mut plan = None;
    if task.full {
        plan = full(model, task, offers, assumptions, &mut steps)?.map(Plan::Train);
    }
    if plan.is_none() {
        plan = adapters(model, task, offers, assumptions, &mut steps)?.map(Plan::Adapters);
    }
    steps.push(Step::load_test());
    Ok(Decision { steps, plan, next: next() })
}

/// What the flow begins with: ZeRO-3, every layer computed again, BF16, the whole batch at once.
fn first_space(task: &Tuning, offers: &[Offer]) -> Space {
    Space {
        precisions: precisions(offers),
        optimizers: vec![Optimizer::AdamWFused],
        checkpointing: vec![Checkpointing::EveryLayer],
        zero: vec![ZeroStage::Three],
        offload: vec![Offload::NONE],
        max_tensor: 1,
        max_pipeline: 1,
        max_batch: task.goal.batch,
        keep: 1,
        ..Space::default()
    }
}

/// BF16 with a master copy; FP16 autocast with a scaler for cards without BF16 units.
fn precisions(offers: &[Offer]) -> Vec<Precision> {
    let has_bf16 = |offer: &Offer| offer.card.speed.is_some_and(|speed| speed.dense_rate("bf16").is_some());
    let bf16 = offers.iter().any(has_bf16).then_some(Precision::Bf16Master);
    let fp16 = offers.iter().any(|offer| !has_bf16(offer)).then_some(Precision::AmpFp16);
    bf16.into_iter().chain(fp16).collect()
}

fn full(
    model: &Model,
    task: &Tuning,
    offers: &[Offer],
    assumptions: &Assumptions,
    steps: &mut Vec<Step>,
) -> Result<Option<TrainPlan>, LedgerError> {
    let first = first_space(task, offers);
    let best_of = |space: &Space| -> Result<Option<TrainPlan>, LedgerError> {
        Ok(planner::train(model, &task.goal, offers, space, assumptions)?.best.first().copied())
    };
    let whole = best_of(&Space { accumulate: false, ..first.clone() })?;
    let mut found = whole;
    if let Some(plan) = whole {
        let peak = units::gib(plan.peak);
        steps.push(Step::new(
            5,
            Branch::FullTuning,
            format!("ZeRO-3 + 逐层重算 + BF16 放得下：峰值 {peak}。"),
            format!("ZeRO-3, every layer computed again and BF16 fit: the peak is {peak}."),
        ));
    } else if let Some(plan) = best_of(&first)? {
        let (batch, micro) = (plan.step.training.batch, plan.step.micro_batches);
        let peak = units::gib(plan.peak);
        steps.push(Step::new(
            5,
            Branch::Accumulate,
            format!("整批放不下：微批次 {batch}，累积 {micro} 次，峰值 {peak}。"),
            format!("The whole batch does not fit: micro-batches of {batch}, added up {micro} times, peak at {peak}."),
        ));
        found = Some(plan);
    } else {
        let offload = Offload { states: Place::Host, weights: Place::Device };
        let space = Space { offload: vec![offload], ..first };
        if let Some(plan) = best_of(&space)? {
            let (host, peak) = (units::gib(plan.host), units::gib(plan.peak));
            steps.push(Step::new(
                5,
                Branch::OffloadStates,
                format!("最小的微批次也放不下：优化器状态放到主机，每卡 {host}，显存峰值 {peak}。"),
                format!(
                    "The smallest micro-batch does not fit: states go to the host, {host} per card; the peak is {peak}."
                ),
            ));
            found = Some(plan);
        }
    }
    match (found, best_of(&faster_space(offers))?) {
        (Some(plan), Some(best)) if best.cost.total() < plan.cost.total() => {
            let reason = planner::compare(&best, &plan).reason;
            steps.push(Step::new(
                5,
                Branch::Faster,
                format!("前者是规划器的布局，后者是流程的组合。{}", reason.zh),
                format!("The first is the planner's layout, the second the flow's. {}", reason.en),
            ));
            Ok(Some(best))
        }
        (None, Some(best)) => {
            steps.push(Step::new(
                5,
                Branch::Faster,
                "流程中的组合都放不下，规划器的切分放得下。",
                "None of the flow's combinations fits; a layout of the planner does.",
            ));
            Ok(Some(best))
        }
        (found, _) => Ok(found),
    }
}

/// Everything that leaves what is learned as it is.
fn faster_space(offers: &[Offer]) -> Space {
    Space { precisions: precisions(offers), optimizers: vec![Optimizer::AdamWFused], keep: 1, ..Space::default() }
}

/// LoRA beside 16-bit weights, or beside NF4 where those do not fit.
fn adapters(
    model: &Model,
    task: &Tuning,
    offers: &[Offer],
    assumptions: &Assumptions,
    steps: &mut Vec<Step>,
) -> Result<Option<AdapterPlan>, LedgerError> {
    if task.full {
        steps.push(Step::new(
            5,
            Branch::TooFewCards,
            "全参训练在这些卡上放不下：退到适配器。",
            "Full fine-tuning does not fit these cards: adapters remain.",
        ));
    }
    for (base, branch) in [(LoraBase::Plain, Branch::Lora), (LoraBase::Nf4, Branch::Qlora)] {
        let lora = Lora { rank: task.rank, targets: LoraTargets::All, base, method: LoraMethod::Lora };
        let training = Training {
            precision: Precision::PureBf16,
            optimizer: Optimizer::AdamWFused,
            batch: 1,
            seq: task.goal.seq,
            checkpointing: Checkpointing::EveryLayer,
        };
        let ledger = match training::lora_ledger(model, &training, &lora) {
            Ok(ledger) => ledger,
            Err(LedgerError::NotModelled { .. }) => continue,
            Err(error) => return Err(error),
        };
        let peak = ledger.peak.bytes;
        let fits = |offer: &&Offer| peak <= offer.card.capacity_bytes.saturating_sub(assumptions.reserve);
        let Some(offer) = offers.iter().find(fits) else { continue };
        let (bytes, rank) = (units::gib(peak), task.rank);
        steps.push(Step::new(
            5,
            branch,
            format!("秩 {rank} 的适配器，每卡峰值 {bytes}，{} 放得下。", offer.card.name),
            format!("Adapters of rank {rank} peak at {bytes} on each card: {} holds them.", offer.card.name),
        ));
        return Ok(Some(AdapterPlan { card: offer.card.id, cards: offer.count, training, lora, peak }));
    }
    steps.push(Step::new(
        5,
        Branch::TooFewCards,
        "NF4 的基座加适配器也放不进一张卡。",
        "Not even adapters beside an NF4 base fit one card.",
    ));
    Ok(None)
}

/// The order of moves for training.
fn next() -> Vec<Text> {
    [
        ("全层重算，再改成选择性重算", "Checkpoint every layer, then selectively"),
        ("更小的微批次，累积梯度", "Smaller micro-batches, accumulated"),
        ("卸载优化器状态", "Optimizer states on the host"),
        ("最后才卸载激活", "Offload activations last"),
    ]
    .map(|(zh, en)| Text::new(zh, en))
    .to_vec()
}
