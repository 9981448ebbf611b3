//! What training keeps per parameter.

use super::{Drawn, by_billions, enter, part, pools};
use crate::{
    Text,
    calculators::Sheet,
    drill::{question::Draft, told::Told},
    random::Random,
    training::{self, Checkpointing, Optimizer, Precision, Training, state_terms},
};

pub(super) fn all(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::DENSE)?;
    let (precision, optimizer) = random.pick(&[
        (Precision::Fp32, Optimizer::AdamWFused),
        (Precision::AmpBf16, Optimizer::AdamWFused),
        (Precision::Bf16Master, Optimizer::AdamWFused),
        (Precision::Fp16Master, Optimizer::AdamWFused),
        (Precision::Bf16MasterFp32Grad, Optimizer::AdamWFused),
        (Precision::PureBf16, Optimizer::AdamWFused),
        (Precision::Bf16Master, Optimizer::AdamW8bit),
        (Precision::Bf16Master, Optimizer::Lion),
        (Precision::Fp32, Optimizer::Momentum),
        (Precision::PureBf16, Optimizer::Sgd),
    ]);
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let (name, how, by) = (&model.name, precision.name(), optimizer.name());
    let mut sheet = Sheet::default();
    let states = ("权重、梯度与优化器状态", "Weights, gradients and optimizer states");
    sheet.bytes("states", states, state_terms::states(model, precision, optimizer)?)?;
    sheet.assume(
        "一张卡，不分片；不计激活与 step() 的临时量",
        "One card, nothing sharded; no activations and no temporaries of step()",
    );
    let per_parameter = state_terms::per_parameter(precision, optimizer);
    let sum = per_parameter.clone().text();
    let (bytes, _) = per_parameter.finish("states")?;
    let (estimate, formula) = by_billions(parameters, bytes as f64);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "全参训练 {name}（{}参数）。优化器：{}；精度：{}。权重、梯度和优化器状态（有主副本则算上）一共多大？",
                shown.zh, by.zh, how.zh
            ),
            format!(
                "All {} parameters of {name} are trained. Optimizer: {}; precision: {}. How large are weights, gradients \
                 and optimizer states together, a master copy included where there is one?",
                shown.en, by.en, how.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("每个参数 {sum} = {bytes} 字节；十亿参数就是 {bytes} × 0.93 GiB。"),
            format!("A parameter takes {sum} = {bytes} B: {bytes} × 0.93 GiB for a billion of them."),
        ),
        estimate,
        formula,
    }))
}

pub(super) fn temporary(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::DENSE)?;
    let precision = random.pick(&[Precision::Fp32, Precision::AmpBf16, Precision::Bf16Master, Precision::PureBf16]);
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let (name, how, bytes) = (&model.name, precision.name(), precision.state_bytes());
    // The temporary does not depend on the batch.
    let workload = Training {
        precision,
        optimizer: Optimizer::AdamWForeach,
        batch: 1,
        seq: 128,
        checkpointing: Checkpointing::None,
    };
    let mut sheet = Sheet::default();
    enter(&mut sheet, part(&training::ledger(model, &workload)?.entries, "foreach_temporary")?);
    sheet.assume(
        "PyTorch 的 foreach AdamW 为全部张量同时算分母；fused 没有这份临时量",
        "PyTorch's foreach AdamW computes the denominators of all tensors at once; the fused one has no such temporary",
    );
    let (estimate, formula) = by_billions(parameters, bytes as f64);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "用 PyTorch 默认的 AdamW（foreach）训练 {name}（{}参数）。精度：{}。除了权重、梯度和状态，step() 还要临时占用\
                 多少显存？",
                shown.zh, how.zh
            ),
            format!(
                "PyTorch's default AdamW (foreach) trains {name} with its {} parameters. Precision: {}. How much does \
                 step() need for a moment on top of weights, gradients and states?",
                shown.en, how.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("foreach 的临时量与一个优化器状态一样大：每个参数 {bytes} 字节。"),
            format!("The temporary of foreach is as large as one optimizer state: {bytes} B per parameter."),
        ),
        estimate,
        formula,
    }))
}
