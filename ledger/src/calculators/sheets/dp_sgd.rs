//! DP-SGD: gradients of every sample, or only their norms.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{dtype, whole},
    },
    formula::{b, n},
};

pub(super) fn calculator() -> Calculator {
    let size = |id, zh, en, default| whole(id, (zh, en), "", default, 1, 1 << 20);
    Calculator {
        id: "dp_sgd",
        name: Text::new("差分隐私：逐样本梯度", "Differential privacy: per-sample gradients"),
        inputs: vec![
            whole("samples", ("一个逻辑批次的样本数", "Samples of a logical batch"), "", 128, 1, 1 << 20),
            whole("micro", ("一个微批次的样本数", "Samples of a micro-batch"), "", 4, 1, 1 << 20),
            whole("parameters", ("可训练参数", "Trainable parameters"), "", 7_000_000_000, 1, 1 << 42),
            dtype("dtype", ("梯度格式", "Format of the gradients"), "fp16"),
            whole("tokens", ("每个样本的 token 数", "Tokens of a sample"), "tokens", 1024, 1, 1 << 20),
            size("inputs", "线性层的输入宽度", "Inputs of a linear layer", 4096),
            size("outputs", "线性层的输出宽度", "Outputs of a linear layer", 4096),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (samples, parameters, tokens) = (given.whole("samples")?, given.whole("parameters")?, given.whole("tokens")?);
    let micro = given.whole("micro")?.min(samples);
    let (bits, inputs, outputs) = (given.dtype("dtype")?.bits(), given.whole("inputs")?, given.whole("outputs")?);
    let mut sheet = Sheet::default();
    let naive = sheet.bytes(
        "naive",
        ("整个批次一起物化", "The whole batch materialised"),
        (n(samples) * n(parameters)).of_bits(bits),
    )?;
    sheet.bytes("micro", ("按微批次物化", "Micro-batches materialised"), (n(micro) * n(parameters)).of_bits(bits))?;
    let ghost = sheet.bytes(
        "ghost",
        ("ghost clipping：一份梯度加每样本一个范数", "Ghost clipping: one gradient and a norm per sample"),
        n(parameters).of_bits(bits) + n(samples) * b(4),
    )?;
    sheet.ratio("saved", ("物化 ÷ ghost clipping", "Materialised ÷ ghost clipping"), naive, ghost);
    let layer = sheet.count(
        "layer_direct",
        ("一层、一个样本：逐样本梯度的元素数", "One layer, one sample: numbers of its gradient"),
        n(inputs) * n(outputs),
    )?;
    let gram = sheet.count(
        "layer_ghost",
        ("一层、一个样本：两个 Gram 矩阵的元素数", "One layer, one sample: numbers of two Gram matrices"),
        n(2) * n(tokens) * n(tokens),
    )?;
    if gram < layer {
        sheet.decide("这一层用 ghost 范数更省。", "For this layer the ghost norm needs less.");
    } else {
        sheet.decide(
            "这一层直接求逐样本梯度更省：序列太长。",
            "For this layer the per-sample gradient needs less: the sequence is long.",
        );
    }
    sheet.assume(
        "ghost clipping 反向两次：先求范数，再求加权的总梯度（arXiv 2110.05679）",
        "Ghost clipping runs backward twice: norms first, then the weighted sum (arXiv 2110.05679)",
    );
    sheet.assume(
        "逐层选择的规则：2T² < 输入 × 输出（arXiv 2205.10683）",
        "The choice per layer: 2T² < inputs × outputs (arXiv 2205.10683)",
    );
    sheet.assume("激活、噪声与优化器不计", "Activations, noise and optimizer are left out");
    Ok(sheet)
}
