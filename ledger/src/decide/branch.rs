//! Branches, steps and what they lead to.

use serde::{Deserialize, Serialize};

use super::AdapterPlan;
use crate::{
    Text,
    planner::{ServePlan, TrainPlan},
};

/// A branch of the flow.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    Serve,
    Train,
    /// 16-bit weights.
    Sixteen,
    Int8,
    Int4,
    OneCard,
    /// Several cards of one machine.
    TensorParallel,
    /// Several machines.
    PipelineParallel,
    /// More cards than the rule of thumb asks for.
    MoreCards,
    TooFewCards,
    CachePlain,
    CacheFp8,
    CacheInt8,
    PrefixCache,
    HostOffload,
    ExpandableSegments,
    /// ZeRO-3, every layer computed again, BF16.
    FullTuning,
    /// The same with smaller micro-batches that are added up.
    Accumulate,
    /// The same with optimizer states on the host.
    OffloadStates,
    Lora,
    Qlora,
    /// The planner's layout is faster than the flow's.
    Faster,
    LoadTest,
}

impl Branch {
    /// The branch in words.
    pub fn name(self) -> Text {
        let (zh, en) = match self {
            Branch::Serve => ("推理", "Inference"),
            Branch::Train => ("训练", "Training"),
            Branch::Sixteen => ("16 位权重", "16-bit weights"),
            Branch::Int8 => ("INT8 权重", "INT8 weights"),
            Branch::Int4 => ("INT4 权重", "INT4 weights"),
            Branch::OneCard => ("单卡", "One card"),
            Branch::TensorParallel => ("机内张量并行", "Tensor parallel inside a machine"),
            Branch::PipelineParallel => ("跨机流水线", "Pipeline across machines"),
            Branch::MoreCards => ("加卡", "More cards"),
            Branch::TooFewCards => ("卡不够", "Too few cards"),
            Branch::CachePlain => ("KV 不量化", "Cache not quantised"),
            Branch::CacheFp8 => ("FP8 KV", "FP8 cache"),
            Branch::CacheInt8 => ("INT8 KV", "INT8 cache"),
            Branch::PrefixCache => ("前缀缓存", "Prefix cache"),
            Branch::HostOffload => ("卸载到主机内存", "Offload to the host"),
            Branch::ExpandableSegments => ("可扩展段", "Expandable segments"),
            Branch::FullTuning => ("全参：ZeRO-3 + 重算 + BF16", "Full: ZeRO-3 + checkpointing + BF16"),
            Branch::Accumulate => ("减小微批次并累积梯度", "Smaller micro-batches, accumulated"),
            Branch::OffloadStates => ("卸载优化器状态", "Optimizer states on the host"),
            Branch::Lora => ("LoRA", "LoRA"),
            Branch::Qlora => ("QLoRA", "QLoRA"),
            Branch::Faster => ("规划器的更快布局", "A faster layout by the planner"),
            Branch::LoadTest => ("压测", "Load test"),
        };
        Text::new(zh, en)
    }
}

/// A step of the flow: the question's number, the branch and why it was taken.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DecisionStep))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// 1 task, 2 precision, 3 cards, 4 cache, 5 training; 6 the test at the end.
    pub number: u8,
    pub branch: Branch,
    pub reason: Text,
}

impl Step {
    pub(super) fn new(number: u8, branch: Branch, zh: impl Into<String>, en: impl Into<String>) -> Self {
        Self { number, branch, reason: Text::new(zh.into(), en.into()) }
    }

    /// What every branch ends with.
    pub(super) fn load_test() -> Self {
        Self::new(
            6,
            Branch::LoadTest,
            "理论给出下限，实测给出安全水位：压测后再上线，利用率 85% 告警，90% 起拒绝新的长请求。",
            "Theory gives the lower bound, measurement the safe level: test under load, warn at 85% use, refuse new \
             long requests at 90%.",
        )
    }
}

/// What the flow leads to.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    Serve(ServePlan),
    Train(TrainPlan),
    Adapters(AdapterPlan),
}

/// The branches taken, and the plan; `None` where nothing fits the cards.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    pub steps: Vec<Step>,
    pub plan: Option<Plan>,
    /// What to try next, in this order, one change at a time.
    pub next: Vec<Text>,
}
