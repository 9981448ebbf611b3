//! What parts and choices are called in the product's two languages. Slugs are for machines; these are for readers.

use crate::{
    Text,
    training::{Checkpointing, Optimizer, Precision},
};

/// The name of an entry's part; `None` for a slug that no ledger of this crate writes.
///
/// ```
/// let name = ledger::part_name("foreach_temporary").expect("a part of the training ledger");
/// assert_eq!(name.en, "Foreach temporary (assumption)");
/// ```
pub fn part_name(slug: &str) -> Option<Text> {
    let (zh, en) = match slug {
        "weights" => ("权重", "Weights"),
        "kv" => ("KV Cache", "KV cache"),
        "reserve" => ("上下文与图的预留（假设）", "Reserve for context and graphs (assumption)"),
        "master_weights" => ("FP32 主副本", "FP32 master copy"),
        "base_weights" => ("冻结的基座权重", "Frozen base weights"),
        "adapter_weights" => ("适配器权重", "Adapter weights"),
        "unpacked_weight" => ("解包的一个权重矩阵", "One weight matrix, unpacked"),
        "gradients" => ("梯度", "Gradients"),
        "tied_gradient" => ("共享矩阵的第二份梯度", "Second gradient of the tied matrix"),
        "adam_m" => ("Adam 一阶矩 m", "Adam first moment m"),
        "adam_v" => ("Adam 二阶矩 v", "Adam second moment v"),
        "lion_m" => ("Lion 动量", "Lion momentum"),
        "factored_v" => ("Adafactor 行列二阶矩", "Adafactor second moment, rows and columns"),
        "momentum" => ("动量", "Momentum"),
        "step_counters" => ("步数计数器", "Step counters"),
        "foreach_temporary" => ("foreach 临时量（假设）", "Foreach temporary (assumption)"),
        "step_temporary" => ("更新一个张量的临时量（假设）", "Temporary for one tensor's update (assumption)"),
        "layer_activations" => ("各层激活", "Layer activations"),
        "checkpoints" => ("检查点：保留的层输入", "Checkpoints: inputs that are kept"),
        "recomputed_layer" => ("正在重算的层", "Layers being recomputed"),
        "rotary_tables" => ("RoPE 正弦余弦表", "Rotary sine and cosine tables"),
        "autocast_weights" => ("autocast 权重副本", "Autocast weight copies"),
        "gathered_weights" => ("临时取全的权重", "Weights gathered for a moment"),
        "gradient_bucket" => ("归约前的一组梯度", "Gradients before they are reduced"),
        "gathered_tokens" => ("张量并行区内取全的输入", "Tokens gathered for the tensor ranks"),
        "ring_blocks" => ("环上传递的 K、V 块", "Blocks of keys and values on the ring"),
        "waiting_micro_batches" => ("等待反向的微批次", "Micro-batches that wait for their backward"),
        "final_norm" => ("末端归一化", "Final norm"),
        "head_input" => ("输出头的输入", "Input of the output head"),
        "log_softmax" => ("FP32 log-softmax", "FP32 log-softmax"),
        "loss_temporary" => ("损失反向的临时量", "Temporaries of the loss's backward"),
        "logits_gradient" => ("logits 的梯度", "Gradient of the logits"),
        _ => return None,
    };
    Some(Text::new(zh, en))
}

impl Precision {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Precision::Fp32 => Text::new("FP32", "FP32"),
            Precision::AmpBf16 => Text::new("AMP BF16（autocast）", "AMP BF16 (autocast)"),
            Precision::AmpFp16 => Text::new("AMP FP16（autocast）", "AMP FP16 (autocast)"),
            Precision::Bf16Master => Text::new("BF16 + FP32 主副本", "BF16 + FP32 master copy"),
            Precision::Bf16MasterFp32Grad => {
                Text::new("BF16 + FP32 主副本与梯度", "BF16 + FP32 master copy and gradients")
            }
            Precision::PureBf16 => Text::new("纯 BF16", "Pure BF16"),
        }
    }
}

impl Optimizer {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Optimizer::AdamWForeach => Text::new("AdamW（foreach，默认）", "AdamW (foreach, the default)"),
            Optimizer::AdamWFused => Text::new("AdamW（fused）", "AdamW (fused)"),
            Optimizer::AdamWInBackward => Text::new("AdamW（反向中更新）", "AdamW (in backward)"),
            Optimizer::AdamW8bit => Text::new("AdamW（8-bit 状态）", "AdamW (8-bit states)"),
            Optimizer::Lion => Text::new("Lion", "Lion"),
            Optimizer::Adafactor => Text::new("Adafactor（无一阶矩）", "Adafactor (no first moment)"),
            Optimizer::Sgd => Text::new("SGD", "SGD"),
            Optimizer::Momentum => Text::new("SGD + 动量", "SGD + momentum"),
        }
    }
}

impl Checkpointing {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Checkpointing::None => Text::new("不重算", "None"),
            Checkpointing::EveryLayer => Text::new("每层重算", "Every layer"),
            Checkpointing::SqrtSegments => Text::new("分 √L 段重算", "√L segments"),
        }
    }
}
