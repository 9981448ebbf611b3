//! What parts and choices are called in the product's two languages. Slugs are for machines; these are for readers.

use crate::{
    Text,
    training::{Checkpointing, Loader, LoraMethod, Optimizer, Precision, Recompute},
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
        "cuda_context" => ("CUDA 上下文（假设）", "CUDA context (assumption)"),
        "workspaces" => ("库的工作区（假设）", "Library workspaces (assumption)"),
        "cuda_graphs" => ("CUDA 图（假设）", "CUDA graphs (assumption)"),
        "nccl_buffers" => ("NCCL 缓冲区（假设）", "NCCL buffers (assumption)"),
        "block_table" => ("块表", "Block table"),
        "prefill_layer" => ("预填充：一层的激活（假设）", "Prefill: activations of one layer (assumption)"),
        "prefill_logits" => ("预填充：logits（假设）", "Prefill: logits (assumption)"),
        "decode_layer" => ("解码：一层的激活（假设）", "Decode: activations of one layer (assumption)"),
        "decode_logits" => ("解码：logits（假设）", "Decode: logits (assumption)"),
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
        "muon_momentum" => ("Muon 动量", "Muon momentum"),
        "newton_schulz" => ("Newton–Schulz 迭代的临时量（假设）", "Newton–Schulz temporaries (assumption)"),
        "paged_states" => ("换入设备的一个张量的状态页", "State pages of one tensor on the device"),
        "host_states" => ("主机上的优化器状态", "Optimizer states on the host"),
        "moved_states" => ("来回搬运的优化器状态", "Optimizer states moved there and back"),
        "gradient_buffer" => ("FP32 梯度累积缓冲区", "FP32 gradient accumulation buffer"),
        "incoming_gradient" => ("待累加的一个梯度", "One gradient about to be added"),
        "fp8_weights" => ("FP8 权重副本及其转置", "FP8 weight copies and transposes"),
        "fp8_scales" => ("FP8 的 amax 历史与缩放因子", "FP8 amax histories and scales"),
        "loader_copy" => ("加载时的第二份权重", "The loader's second copy of the weights"),
        "loader_tensor" => ("加载中的一个张量", "One tensor being loaded"),
        "host_model" => ("主机上以 FP32 创建的模型", "The model as created in FP32 on the host"),
        "recomputed_parts" => ("一层中正在重算的部分", "Parts of a layer being recomputed"),
        "offloaded_activations" => ("卸载到主机的激活", "Activations offloaded to the host"),
        "moved_activations" => ("来回搬运的激活", "Activations moved there and back"),
        "dora_norm" => ("DoRA 权重范数的临时量（假设）", "DoRA weight norm temporaries (assumption)"),
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
        "optimizer_floor" => ("优化器下限", "Optimizer floor"),
        "loss_floor" => ("损失下限", "Loss floor"),
        "weights_floor" => ("权重下限", "Weights floor"),
        "final_norm" => ("末端归一化", "Final norm"),
        "head_input" => ("输出头的输入", "Input of the output head"),
        "log_softmax" => ("FP32 log-softmax", "FP32 log-softmax"),
        "loss_temporary" => ("损失反向的临时量", "Temporaries of the loss's backward"),
        "logits_chunk" => ("一块 logits", "One chunk of logits"),
        "input_gradient" => ("输出头输入的梯度", "Gradient of the head's input"),
        "head_gradient" => ("前向中已算出的输出头梯度", "Gradient of the head, taken in the forward"),
        "head_gradient_chunk" => ("待累加的一块输出头梯度", "One chunk's gradient of the head"),
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
            Precision::Tf32 => Text::new("TF32 矩阵乘（字节同 FP32）", "TF32 matrix products (bytes of FP32)"),
            Precision::AmpBf16 => Text::new("AMP BF16（autocast）", "AMP BF16 (autocast)"),
            Precision::AmpFp16 => Text::new("AMP FP16（autocast）", "AMP FP16 (autocast)"),
            Precision::Bf16Master => Text::new("BF16 + FP32 主副本", "BF16 + FP32 master copy"),
            Precision::Bf16MasterFp32Grad => {
                Text::new("BF16 + FP32 主副本与梯度", "BF16 + FP32 master copy and gradients")
            }
            Precision::Fp16Master => Text::new("FP16 + FP32 主副本", "FP16 + FP32 master copy"),
            Precision::Fp8 => {
                Text::new("FP8（Transformer Engine）+ FP32 主副本", "FP8 (Transformer Engine) + FP32 master copy")
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
            Optimizer::PagedAdamW => Text::new("AdamW（分页，状态在主机）", "AdamW (paged, states on the host)"),
            Optimizer::PagedAdamW8bit => Text::new("AdamW（分页 8-bit）", "AdamW (paged 8-bit)"),
            Optimizer::Muon => Text::new("Muon（其余用 fused AdamW）", "Muon (fused AdamW for the rest)"),
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
            Checkpointing::Selective => Text::new("选择性重算（注意力核心）", "Selective (core attention)"),
            Checkpointing::EveryLayer => Text::new("每层重算", "Every layer"),
            Checkpointing::SqrtSegments => Text::new("分 √L 段重算", "√L segments"),
            Checkpointing::Segments(segments) => {
                Text::new(format!("分 {segments} 段重算"), format!("{segments} segments"))
            }
            Checkpointing::Parts(parts) => parts.name(),
        }
    }
}

impl Recompute {
    /// The choice in words.
    pub fn name(self) -> Text {
        let all = [
            (self.core_attention, "注意力核心", "core attention"),
            (self.norms, "归一化", "norms"),
            (self.activation, "激活函数", "activation function"),
            (self.mlp, "前馈块", "feed-forward block"),
        ];
        let of = |pick: fn(&(bool, &'static str, &'static str)) -> &'static str| {
            all.iter().filter(|part| part.0).map(pick).collect::<Vec<_>>()
        };
        let (zh, en) = (of(|part| part.1).join("、"), of(|part| part.2).join(", "));
        Text::new(format!("重算：{zh}"), format!("Recompute: {en}"))
    }
}

impl Loader {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Loader::InPlace => Text::new("逐张量就地加载", "In place, tensor by tensor"),
            Loader::HostCopy => {
                Text::new("主机上两份（FP32 模型 + 文件）", "Two copies on the host (FP32 model and file)")
            }
            Loader::DeviceCopy => Text::new("设备上两份（模型 + 文件）", "Two copies on the device (model and file)"),
        }
    }
}

impl LoraMethod {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            LoraMethod::Lora => Text::new("LoRA", "LoRA"),
            LoraMethod::Dora => Text::new("DoRA", "DoRA"),
        }
    }
}
