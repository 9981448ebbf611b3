//! Weights with scales: llama.cpp's mixtures, AWQ, and the base of QLoRA.

use super::{Drawn, by_billions, ends, enter, four_bit, pools};
use crate::{
    LedgerError, Model, Text,
    calculators::{Line, Quantity, Sheet},
    drill::{question::Draft, told::Told},
    formats::{Grouped, Mixture, Nf4},
    inference::{self, WeightFormat},
    random::Random,
    units,
};

pub(super) fn mixed(random: &mut Random) -> Drawn {
    let mixtures = [
        (None, "AWQ", 0.0),
        (Some(Mixture::Q4_K_M), "Q4_K_M", 4.85),
        (Some(Mixture::Q5_K_M), "Q5_K_M", 5.7),
        (Some(Mixture::Q6_K), "Q6_K", 6.56),
        (Some(Mixture::Q8_0), "Q8_0", 8.5),
    ];
    let model = pools::model(random, &pools::PLAIN)?;
    match random.pick(&mixtures) {
        (Some(mixture), name, bits) => gguf(model, mixture, name, bits),
        _ => awq(model),
    }
}

/// Weights of a superblock. Rows that it does not divide get larger types instead, and the averages do not hold.
const SUPERBLOCK: u64 = 256;

fn gguf(model: &'static Model, mixture: Mixture, format: &'static str, bits: f64) -> Drawn {
    if [model.hidden, model.intermediate].iter().any(|width| !width.is_multiple_of(SUPERBLOCK)) {
        return Ok(None);
    }
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let name = &model.name;
    let mut sheet = Sheet::default();
    let entry = inference::weights_in(model, WeightFormat::Gguf(mixture))?;
    let average = entry.bytes as f64 * 8.0 / parameters as f64;
    sheet.lines.push(Line {
        id: "bits_per_weight".into(),
        name: Text::new("平均每个权重的位数", "Bits per weight on average"),
        quantity: Quantity::Ratio(average),
        formula: format!("{} × 8 ÷ {}", units::group(entry.bytes), units::group(parameters)),
    });
    enter(&mut sheet, &entry);
    sheet.assume(
        "llama-quantize 的规则：各张量的块格式不全相同，归一化层保持 FP32；不计文件的元数据",
        "The rules of llama-quantize: block formats differ between tensors, norms are FP32; no metadata of the file",
    );
    let (estimate, formula) = by_billions(parameters, (bits / 8.0 * 100.0_f64).round() / 100.0);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!("{name} 有 {}参数，用 llama.cpp 量化成 {format}。所有张量一共多大？", shown.zh),
            format!(
                "{name} has {} parameters, quantised to {format} by llama.cpp. How large are all tensors together?",
                shown.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("{format} 连同尺度平均每个权重约 {bits} 位，除以 8 就是字节。"),
            format!("With its scales {format} averages about {bits} bits a weight; an eighth of that is bytes."),
        ),
        estimate,
        formula,
    }))
}

/// What the text tells of a model whose ends stay in 16 bits.
fn packed(model: &Model) -> Result<(Told, [u64; 2], [Text; 2]), LedgerError> {
    let mut told = Told::default();
    let (parameters, shown) = told.parameters(model)?;
    let ends = ends(model)?;
    let of_ends = told.large("sixteen_bit", ends);
    Ok((told, [parameters, ends], [shown, of_ends]))
}

fn awq(model: &'static Model) -> Drawn {
    let (mut told, [parameters, ends], [shown, of_ends]) = packed(model)?;
    let (name, bits, group) = (&model.name, told.number("weight_bits", 4), told.number("group", 128));
    let mut sheet = Sheet::default();
    enter(&mut sheet, &inference::weights_in(model, WeightFormat::Grouped(Grouped::awq(4, 128)))?);
    sheet.assume("词嵌入、输出头、归一化与偏置保持 BF16", "Embedding, output head, norms and biases stay in BF16");
    let (estimate, formula) = four_bit(parameters, ends, 0.52);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "{name} 有 {}参数，其中 {}在词嵌入和输出头里，保持 BF16；其余用 AWQ 量化成 {bits} 位，每 {group} 个权重\
                 共用一个 FP16 尺度和一个 {bits} 位零点。权重一共占多少显存？",
                shown.zh, of_ends.zh
            ),
            format!(
                "{name} has {} parameters. {} of them belong to the embedding and the output head and stay in BF16; AWQ \
                 quantises the others to {bits} bits, with an FP16 scale and a {bits}-bit zero point per {group} weights. \
                 How much memory do all weights take?",
                shown.en, of_ends.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            "4 位权重连同尺度约 0.52 字节，词嵌入和输出头仍是每个 2 字节。",
            "With its scales a 4-bit weight takes 0.52 bytes; embedding and output head still take 2 each.",
        ),
        estimate,
        formula,
    }))
}

pub(super) fn qlora_base(random: &mut Random) -> Drawn {
    let model = pools::model(random, &pools::PLAIN)?;
    let double_quant = random.pick(&[true, false]);
    let format = Nf4 { double_quant, ..Nf4::QLORA };
    let (mut told, [parameters, ends], [shown, of_ends]) = packed(model)?;
    let (name, block) = (&model.name, told.number("block", format.block));
    // Bits and bytes per weight, scales included.
    let (zh, en, bits, bytes) = match double_quant {
        true => ("做双重量化", "doubly quantised", 4.13, 0.52),
        false => ("不做双重量化", "not doubly quantised", 4.5, 0.56),
    };
    let mut sheet = Sheet::default();
    sheet.bytes("base_weights", ("冻结的基座权重", "Frozen base weights"), format.model_term(model)?)?;
    match double_quant {
        true => sheet.assume(
            "块的最大值量化到 8 位，每 256 块一个 FP32 尺度；词嵌入、输出头、归一化与偏置保持 BF16",
            "Maxima of blocks in 8 bits with an FP32 scale per 256 blocks; embedding, head, norms and biases in BF16",
        ),
        false => sheet.assume(
            "每块一个 FP32 最大值；词嵌入、输出头、归一化与偏置保持 BF16",
            "An FP32 maximum per block; embedding, head, norms and biases in BF16",
        ),
    }
    let (estimate, formula) = four_bit(parameters, ends, bytes);
    Ok(Some(Draft {
        model: name,
        card: None,
        text: Text::new(
            format!(
                "用 QLoRA 微调 {name}：{}参数中有 {}在词嵌入和输出头里，保持 BF16；其余以 NF4 存放，每 {block} 个一块，{zh}。\
                 冻结的基座占多少显存？",
                shown.zh, of_ends.zh
            ),
            format!(
                "QLoRA tunes {name}: of its {} parameters, the {} of the embedding and the output head stay in BF16; the \
                 others are NF4 in blocks of {block}, {en}. How much memory does the frozen base take?",
                shown.en, of_ends.en
            ),
        ),
        numbers: told.0,
        worked: sheet,
        rule: Text::new(
            format!("NF4 {zh}时每个权重 {bits} 位，即 {bytes} 字节；词嵌入和输出头仍是每个 2 字节。"),
            format!("NF4 {en} is {bits} bits or {bytes} B a weight; embedding and output head still take 2 B each."),
        ),
        estimate,
        formula,
    }))
}
