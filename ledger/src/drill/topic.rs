//! What the drill asks about.

use serde::{Deserialize, Serialize};

use crate::Text;

/// A kind of question, and what spaced repetition keeps apart. [`Topic::ALL`] goes from easy to hard.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillTopic))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Weights,
    KvPerToken,
    KvCache,
    TrainingStates,
    QuantisedWeights,
    ExpertWeights,
    LongestContext,
    LargestBatch,
    Logits,
    OptimizerTemporary,
    Checkpoints,
    Activations,
    AttentionScores,
    ZeroStates,
    FewestCards,
    LoraStates,
    QloraBase,
    WindowCache,
    LatentCache,
    PagingSaves,
    SharedPrefix,
}

impl Topic {
    pub const ALL: [Topic; 21] = [
        Topic::Weights,
        Topic::KvPerToken,
        Topic::KvCache,
        Topic::TrainingStates,
        Topic::QuantisedWeights,
        Topic::ExpertWeights,
        Topic::LongestContext,
        Topic::LargestBatch,
        Topic::Logits,
        Topic::OptimizerTemporary,
        Topic::Checkpoints,
        Topic::Activations,
        Topic::AttentionScores,
        Topic::ZeroStates,
        Topic::FewestCards,
        Topic::LoraStates,
        Topic::QloraBase,
        Topic::WindowCache,
        Topic::LatentCache,
        Topic::PagingSaves,
        Topic::SharedPrefix,
    ];

    /// The name used in reports and URLs; equal to the serialised form.
    pub const fn id(self) -> &'static str {
        match self {
            Topic::Weights => "weights",
            Topic::KvPerToken => "kv_per_token",
            Topic::KvCache => "kv_cache",
            Topic::TrainingStates => "training_states",
            Topic::QuantisedWeights => "quantised_weights",
            Topic::ExpertWeights => "expert_weights",
            Topic::LongestContext => "longest_context",
            Topic::LargestBatch => "largest_batch",
            Topic::Logits => "logits",
            Topic::OptimizerTemporary => "optimizer_temporary",
            Topic::Checkpoints => "checkpoints",
            Topic::Activations => "activations",
            Topic::AttentionScores => "attention_scores",
            Topic::ZeroStates => "zero_states",
            Topic::FewestCards => "fewest_cards",
            Topic::LoraStates => "lora_states",
            Topic::QloraBase => "qlora_base",
            Topic::WindowCache => "window_cache",
            Topic::LatentCache => "latent_cache",
            Topic::PagingSaves => "paging_saves",
            Topic::SharedPrefix => "shared_prefix",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.id() == id)
    }

    /// The topic in words.
    pub fn name(self) -> Text {
        let (zh, en) = match self {
            Topic::Weights => ("各种格式的权重", "Weights by format"),
            Topic::KvPerToken => ("每个 token 的 KV", "KV cache per token"),
            Topic::KvCache => ("KV Cache", "KV cache"),
            Topic::TrainingStates => ("训练的模型状态", "Model states in training"),
            Topic::QuantisedWeights => ("带尺度的量化权重", "Quantised weights with their scales"),
            Topic::ExpertWeights => ("混合专家的权重", "Weights of a mixture of experts"),
            Topic::LongestContext => ("放得下的最长上下文", "Longest context that fits"),
            Topic::LargestBatch => ("放得下的最多请求", "Most requests that fit"),
            Topic::Logits => ("logits 与损失", "Logits and loss"),
            Topic::OptimizerTemporary => ("优化器的临时量", "The optimizer's temporary"),
            Topic::Checkpoints => ("重算时保留的输入", "Inputs kept for recomputation"),
            Topic::Activations => ("保存的激活", "Saved activations"),
            Topic::AttentionScores => ("注意力分数矩阵", "Attention score matrices"),
            Topic::ZeroStates => ("ZeRO 每卡的状态", "States per rank under ZeRO"),
            Topic::FewestCards => ("最少几张卡", "Fewest cards"),
            Topic::LoraStates => ("LoRA 的训练状态", "Training states of LoRA"),
            Topic::QloraBase => ("QLoRA 的基座", "The base of QLoRA"),
            Topic::WindowCache => ("滑动窗口的 KV", "KV cache with sliding windows"),
            Topic::LatentCache => ("MLA 的缓存", "Cache of latent attention"),
            Topic::PagingSaves => ("分页省下的空间", "What paging saves"),
            Topic::SharedPrefix => ("共享前缀", "A shared prefix"),
        };
        Text::new(zh, en)
    }
}
