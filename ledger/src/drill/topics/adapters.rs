//! Adapters beside a frozen base.

use super::{Drawn, enter, pools, total};
use crate::{
    Object, Text,
    calculators::Sheet,
    drill::{question::Draft, told::Told, unit::about},
    random::Random,
    training::{self, Checkpointing, Lora, LoraBase, LoraMethod, LoraTargets, Optimizer, Precision, Training},
};

pub(super) fn states(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::PLAIN)?;
    let rank = random.pick(&[8, 16, 32, 64, 128]);
    let mut told = Told::default();
    let (name, of_rank, layers) = (&model.name, told.number("rank", rank), told.number("layers", model.layers));
    let (hidden, inner) = (told.number("hidden", model.hidden), told.number("intermediate", model.intermediate));
    let kv = told.number("kv_width", model.kv_heads * model.head_dim);
    let lora = Lora { rank, targets: LoraTargets::All, base: LoraBase::Plain, method: LoraMethod::Lora };
    // States do not depend on the batch.
    let workload = Training {
        precision: Precision::PureBf16,
        optimizer: Optimizer::AdamWFused,
        batch: 1,
        seq: 128,
        checkpointing: Checkpointing::EveryLayer,
    };
    let ledger = training::lora_ledger(model, &workload, &lora)?;
    let mut sheet = Sheet::default();
    let trained = |object| matches!(object, Object::Parameter | Object::Gradient | Object::OptimizerState);
    let entries = ledger.entries.iter().filter(|entry| trained(entry.object) && entry.part != "base_weights");
    let parts: Vec<u64> = entries.map(|entry| enter(&mut sheet, entry)).collect();
    total(&mut sheet, ("适配器的全部状态", "All states of the adapters"), &parts)?;
    sheet.assume(
        "适配器、梯度与 Adam 状态都是 BF16；基座冻结，不计",
        "Adapters, gradients and Adam states in BF16; the frozen base is not counted",
    );
    let numbers = rank * (10 * model.hidden + 3 * model.intermediate) * model.layers;
    let estimate = 8.0 * numbers as f64;
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "在 {name} 每层的全部七个投影上训练秩为 {of_rank} 的 LoRA：{layers} 层，隐藏宽度 {hidden}，KV 宽度 {kv}，前馈宽度 \
                 {inner}，一切都用 BF16，优化器是 AdamW。适配器的权重、梯度和优化器状态一共多大？"
            ),
            format!(
                "LoRA of rank {of_rank} is trained on all seven projections of each of the {layers} layers of {name}: hidden \
                 width {hidden}, KV width {kv}, feed-forward width {inner}, all in BF16 with AdamW. How large are the \
                 adapters' weights, gradients and optimizer states together?"
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "每层约 秩 × (10 × 隐藏宽度 + 3 × 前馈宽度) 个参数；权重、梯度、m、v 各 2 字节，一共 8 字节。",
            "A layer has about rank × (10 × hidden + 3 × feed-forward width) numbers; weight, gradient, m and v take 8 bytes.",
        ),
        estimate,
        formula: format!("{layers} × {of_rank} × (10 × {hidden} + 3 × {inner}) × 8 B ≈ {}", about(estimate)),
    }))
}
