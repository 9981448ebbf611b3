//! Protein structure: MSA and pair tensors, and triangle attention whose logits are cubic.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Axis, Measure, Plot, Sheet,
        input::{dtype, whole},
    },
    formula::n,
};

pub(super) fn calculator() -> Calculator {
    let size = |id, zh, en, default| whole(id, (zh, en), "", default, 1, 1 << 16);
    Calculator {
        id: "pair_tensors",
        name: Text::new("MSA 与配对张量", "MSA and pair tensors"),
        inputs: vec![
            size("residues", "残基数 L", "Residues L", 512),
            size("sequences", "MSA 的序列数 s", "Sequences s of the MSA", 512),
            size("msa_channels", "MSA 通道数", "Channels of the MSA", 256),
            size("pair_channels", "配对通道数", "Channels of a pair", 128),
            size("heads", "三角注意力的头数", "Heads of triangle attention", 4),
            size("blocks", "块数", "Blocks", 48),
            dtype("dtype", ("格式", "Format"), "bf16"),
            size("chunk", "分块的行数", "Rows of a chunk", 4),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (residues, bits) = (given.whole("residues")?, given.dtype("dtype")?.bits());
    let (heads, chunk) = (given.whole("heads")?, given.whole("chunk")?.min(residues));
    let msa = n(given.whole("sequences")?) * n(residues) * n(given.whole("msa_channels")?);
    let pair = n(residues) * n(residues) * n(given.whole("pair_channels")?);
    let logits = |rows| n(heads) * n(rows) * n(residues) * n(residues);
    let mut sheet = Sheet::default();
    let msa = sheet.bytes("msa", ("MSA 表示", "MSA representation"), msa.of_bits(bits))?;
    let pairs = sheet.bytes("pair", ("配对表示", "Pair representation"), pair.of_bits(bits))?;
    let whole = sheet.bytes(
        "logits",
        ("三角注意力的 logits", "Logits of triangle attention"),
        logits(residues).of_bits(bits),
    )?;
    let part = sheet.bytes("chunked", ("分块的 logits", "Logits in chunks"), logits(chunk).of_bits(bits))?;
    sheet.ratio("saved", ("整块 ÷ 分块", "Whole ÷ chunks"), whole, part);
    sheet.bytes(
        "inference",
        ("推理峰值：表示加整块 logits", "Inference: representations and whole logits"),
        n(msa) + n(pairs) + n(whole),
    )?;
    let checkpoints = n(given.whole("blocks")?) * (n(msa) + n(pairs));
    sheet.bytes("checkpoints", ("训练：每块一个检查点", "Training: a checkpoint per block"), checkpoints)?;
    let points = (1..=8u64).map(|part| {
        let length = (residues * part).div_ceil(8);
        let bytes = (n(heads) * n(length) * n(length) * n(length)).of_bits(bits).finish("logits")?.0;
        Ok((length as f64, bytes as f64))
    });
    let name = || Text::new("三角注意力的 logits", "Logits of triangle attention");
    let along = Axis::linear(Text::new("残基", "Residues"), Measure::Count);
    let plot = Plot::new("logits", name(), along, Axis::linear(name(), Measure::Bytes));
    sheet.plots.push(plot.line("logits", name(), points.collect::<Result<_, crate::LedgerError>>()?));
    sheet.assume(
        "一个样本；logits 为头数 × L³，不用融合内核",
        "One sample; the logits are heads × L³, without a fused kernel",
    );
    sheet.assume(
        "默认通道为 AlphaFold 2 的 Evoformer（s = 512，256 与 128 通道，48 块，4 头）",
        "Defaults are AlphaFold 2's Evoformer (s = 512, 256 and 128 channels, 48 blocks, 4 heads)",
    );
    sheet.assume("其他中间量（外积、转移层）不计", "Other intermediates (outer product, transitions) are left out");
    Ok(sheet)
}
