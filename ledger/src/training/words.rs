//! What moments and choices of a run are called in the product's two languages.

use super::{GradientBuffer, LoraBase, LoraTargets, LossKernel, Moment, Offload, Stage};
use crate::Text;

impl Moment {
    /// The moment in words.
    pub fn name(self) -> Text {
        match self {
            Moment::Loaded => Text::new("加载完成", "Loaded"),
            Moment::ForwardEnd => Text::new("前向结束（损失已算出）", "End of the forward (loss computed)"),
            Moment::LossBackward => Text::new("损失的反向", "Backward of the loss"),
            Moment::HeadBackward => Text::new("输出头的反向", "Backward of the output head"),
            Moment::LayersBackward => Text::new("最后一层的反向", "Backward of the last layer"),
            Moment::TurnBackward => Text::new("中间转折层的反向", "Backward of the layer where the curve turns"),
            Moment::FirstLayerBackward => Text::new("第一层（段）的反向", "Backward of the first layer or segment"),
            Moment::SegmentBackward => Text::new("第一段内第一层的反向", "Backward inside the first segment"),
            Moment::BackwardEnd => Text::new("反向结束", "End of the backward"),
            Moment::Step => Text::new("优化器更新", "Optimizer step"),
        }
    }
}

impl Stage {
    /// The stage in words.
    pub fn name(self) -> Text {
        match self {
            Stage::Load => Text::new("加载", "Load"),
            Stage::Forward { layer } => Text::new(format!("第 {layer} 层前向"), format!("Forward of layer {layer}")),
            Stage::Loss => Text::new("损失", "Loss"),
            Stage::LossBackward => Text::new("损失的反向", "Backward of the loss"),
            Stage::HeadBackward => Text::new("输出头的反向", "Backward of the output head"),
            Stage::Backward { layer } => Text::new(format!("第 {layer} 层反向"), format!("Backward of layer {layer}")),
            Stage::EmbeddingBackward => Text::new("词嵌入的反向", "Backward of the embedding"),
            Stage::Step => Text::new("优化器更新", "Optimizer step"),
        }
    }
}

impl GradientBuffer {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            GradientBuffer::OfWeights => {
                Text::new("权重的格式，步间释放", "Format of the weights, freed between steps")
            }
            GradientBuffer::Fp32 => Text::new("常驻 FP32 缓冲区", "FP32 buffer that stays"),
        }
    }
}

impl LossKernel {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            LossKernel::Fp32 => Text::new("FP32 损失", "Loss in FP32"),
            LossKernel::Native => Text::new("logits 格式的损失", "Loss in the format of the logits"),
            LossKernel::Chunked { tokens } => {
                Text::new(format!("分块损失，每块 {tokens} token"), format!("Loss in chunks of {tokens} tokens"))
            }
        }
    }
}

impl Offload {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            Offload::None => Text::new("激活留在设备", "Activations stay on the device"),
            Offload::Window { layers } => Text::new(
                format!("激活卸载到主机，设备留 {layers} 层"),
                format!("Activations go to the host, the device keeps {layers} layers"),
            ),
        }
    }
}

impl LoraTargets {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            LoraTargets::QueryValue => Text::new("q、v", "q and v"),
            LoraTargets::All => Text::new("全部七个投影", "All seven projections"),
        }
    }
}

impl LoraBase {
    /// The choice in words.
    pub fn name(self) -> Text {
        match self {
            LoraBase::Plain => Text::new("激活的格式", "Format of the activations"),
            LoraBase::Nf4 => Text::new("NF4 + 双重量化（QLoRA）", "NF4 with double quantisation (QLoRA)"),
        }
    }
}
