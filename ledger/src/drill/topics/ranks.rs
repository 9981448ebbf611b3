//! States that many cards share.

use super::{Drawn, GIB_PER_BILLION, billions, by_billions, enter_count, pools};
use crate::{
    Text,
    calculators::Sheet,
    drill::{question::Draft, told::Told, unit::three},
    formula::{b, n},
    parallel::{StateBytes, ZeroStage, zero_term},
    random::Random,
    units::{self, GIB, MIB},
};

const STATES: StateBytes = StateBytes::MIXED_ADAM;

fn assume(sheet: &mut Sheet) {
    sheet.assume(
        "每参数 2 + 2 + 12 字节（AdamW，混合精度）；不计激活、通信缓冲和临时取全的权重",
        "2 + 2 + 12 bytes per parameter (AdamW, mixed precision); no activations, communication buffers or gathered weights",
    );
}

pub(super) fn zero(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::DENSE)?;
    let (stage, number) = random.pick(&[(ZeroStage::One, 1), (ZeroStage::Two, 2), (ZeroStage::Three, 3)]);
    let ranks = random.pick(&[2, 4, 8, 16, 32, 64, 128]);
    let mut told = Told::default();
    let stage_shown = told.number("stage", number);
    let cards = told.number("ranks", ranks);
    let (parameters, shown) = told.parameters(model)?;
    let name = &model.name;
    let mut sheet = Sheet::default();
    let line = ("每张卡的模型状态", "Model states per card");
    let bytes = sheet.bytes("zero_states", line, zero_term(parameters, STATES, stage, ranks)?)?;
    if bytes < 64 * MIB {
        return Ok(None);
    }
    assume(&mut sheet);
    let (whole, divided) = match stage {
        ZeroStage::Zero => (16, 0),
        ZeroStage::One => (4, 12),
        ZeroStage::Two => (2, 14),
        ZeroStage::Three => (0, 16),
    };
    let share = match whole {
        0 => format!("{divided} ÷ "),
        _ => format!("{whole} + {divided} ÷ "),
    };
    let per_parameter = ((f64::from(whole) + f64::from(divided) / ranks as f64) * 1_000.0).round() / 1_000.0;
    let (estimate, formula) = by_billions(parameters, per_parameter);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "用 ZeRO-{stage_shown} 在 {cards} 张卡上训练 {name}（{}参数）：16 位权重和梯度，FP32 主副本和 Adam 状态。每张卡\
                 上的模型状态一共多大？",
                shown.zh
            ),
            format!(
                "ZeRO-{stage_shown} on {cards} cards trains {name} with {} parameters: weights and gradients in 16 bits, \
                 master copy and Adam states in FP32. How large are the model states on each card?",
                shown.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("ZeRO-{stage_shown}：每个参数 {share}卡数 字节。"),
            format!("ZeRO-{stage_shown} keeps {share}cards bytes per parameter."),
        ),
        estimate,
        formula,
    }))
}

pub(super) fn fewest_cards(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::DENSE)?;
    let card = pools::card(random, &pools::SERVERS)?;
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let mib = told.number("capacity_mib", card.capacity_bytes / MIB);
    let name = &model.name;
    let mut sheet = Sheet::default();
    let line = ("全部模型状态", "All model states");
    let states = sheet.bytes("states", line, zero_term(parameters, STATES, ZeroStage::Zero, 1)?)?;
    let cards = states.div_ceil(card.capacity_bytes.max(1));
    // Of fewer, one more or less would be more than the rule may miss.
    if cards < 6 {
        return Ok(None);
    }
    let formula = format!("⌈{} ÷ {}⌉", b(states).text(), b(card.capacity_bytes).text());
    enter_count(&mut sheet, "cards", ("最少的卡", "Fewest cards"), cards, formula);
    assume(&mut sheet);
    let whole = (card.capacity_bytes as f64 / GIB as f64).round();
    let gib = (billions(parameters) * 16.0 * GIB_PER_BILLION).round();
    let estimate = (gib / whole).ceil();
    let held = n(gib as u64).text();
    Ok(Some(Draft {
        model: name,
        card: Some(card.id),
        text: Text::new(
            format!(
                "用 AdamW 全参训练 {name}（{}参数）：16 位权重和梯度，FP32 主副本和 Adam 状态，由 ZeRO-3 平均分到若干张 {}（每张 \
                 {mib} MiB）。只放这些状态，至少要几张卡？",
                shown.zh, card.name
            ),
            format!(
                "AdamW trains all {} parameters of {name}: weights and gradients in 16 bits, master copy and Adam states in \
                 FP32, divided evenly by ZeRO-3 among cards of the type {} ({mib} MiB each). How many cards do these states \
                 alone need at least?",
                shown.en, card.name
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "混合精度 AdamW 每个参数 16 字节：十亿参数约 15 GiB，再除以一张卡的 GiB。",
            "Mixed-precision AdamW takes 16 bytes per parameter: 15 GiB a billion; divide by the GiB of a card.",
        ),
        estimate,
        formula: format!("{held} GiB ÷ {} GiB ≈ {}", three(whole), units::group(estimate as u64)),
    }))
}
