//! Weights as bare numbers, dense and in experts.

use super::{Drawn, by_billions, enter, pools};
use crate::{
    Dtype, Text,
    calculators::Sheet,
    drill::{question::Draft, told::Told},
    inference,
    random::Random,
};

pub(super) fn plain(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::DENSE)?;
    let dtype = random.pick(&[Dtype::F32, Dtype::Bf16, Dtype::F16, Dtype::Fp8, Dtype::Int8]);
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let (name, format, bytes) = (&model.name, told.format("bits", dtype), dtype.bits() / 8);
    let mut sheet = Sheet::default();
    enter(&mut sheet, &inference::weights(model, dtype)?);
    sheet.assume("所有张量同一格式，不计尺度", "Every tensor in the same format, scales left out");
    let (estimate, formula) = by_billions(parameters, bytes as f64);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!("{name} 有 {}参数，权重以 {format} 存放，不计尺度。权重占多少显存？", shown.zh),
            format!(
                "{name} has {} parameters, stored in {format} without scales. How much memory do the weights take?",
                shown.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("十亿个字节是 0.93 GiB；{format} 每个参数 {bytes} 字节。"),
            format!("A billion bytes are 0.93 GiB; in {format} a parameter takes {bytes}."),
        ),
        estimate,
        formula,
    }))
}

pub(super) fn experts(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::EXPERTS)?;
    let dtype = random.pick(&[Dtype::Bf16, Dtype::F16, Dtype::Fp8, Dtype::Int8]);
    let mut told = Told::default();
    let (parameters, all) = told.parameters(model)?;
    let active = told.large("active", model.active_parameters()?);
    let (name, format, bytes) = (&model.name, told.format("bits", dtype), dtype.bits() / 8);
    let mut sheet = Sheet::default();
    enter(&mut sheet, &inference::weights(model, dtype)?);
    sheet.assume(
        "所有专家都在显存里，不卸载；不计尺度",
        "All experts are in GPU memory, none offloaded; scales left out",
    );
    let (estimate, formula) = by_billions(parameters, bytes as f64);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 是混合专家模型：共 {}参数，每个 token 激活 {}。以 {format} 存放、不计尺度，全部权重要占多少显存？",
                all.zh, active.zh
            ),
            format!(
                "{name} is a mixture of experts with {} parameters, {} of them active for a token. Stored in {format} \
                 without scales, how much memory do the weights take?",
                all.en, active.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("显存看总参数，激活参数只决定计算量：总参数乘 {bytes} 字节。"),
            format!("Memory follows all parameters, the active ones only decide the arithmetic: {bytes} B for each."),
        ),
        estimate,
        formula,
    }))
}
