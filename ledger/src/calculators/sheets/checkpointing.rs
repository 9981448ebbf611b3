//! Gradient checkpointing: memory against time over the number of segments.

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{Quantity, Series, Sheet, input::whole, segment_curve},
    formula::n,
    units,
};

pub(super) fn calculator() -> Calculator {
    let bytes = |id, zh, en, default| whole(id, (zh, en), "B", default, 1, 1 << 44);
    Calculator {
        id: "checkpointing",
        name: Text::new("梯度检查点：显存与时间", "Gradient checkpointing: memory and time"),
        inputs: vec![
            whole("layers", ("层数", "Layers"), "", 32, 1, 1000),
            bytes("input_bytes", "一层的输入", "Input of one layer", 33_554_432),
            bytes(
                "layer_bytes",
                "一层为反向保留的激活（含输入）",
                "What one layer saves, its input included",
                570_425_344,
            ),
            whole("segments", ("段数", "Segments"), "", 6, 1, 1000),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (layers, input) = (given.whole("layers")?, given.whole("input_bytes")?);
    let layer = given.whole("layer_bytes")?.max(input);
    let segments = given.whole("segments")?.min(layers);
    let mut sheet = Sheet::default();
    let none = sheet.bytes("none", ("不重算", "Without checkpoints"), n(layers) * n(layer))?;
    let curve = segment_curve(layers, input, layer)?;
    let kept = n(segments) * n(input) + n(layers.div_ceil(segments)) * n(layer);
    let chosen = sheet.bytes("chosen", ("所选段数的峰值", "Peak with these segments"), kept.minus(n(input)))?;
    sheet.ratio("share", ("占不重算的比例", "Share of none"), chosen, none);
    let best = curve.iter().min_by_key(|point| point.bytes).copied();
    if let Some(best) = best {
        sheet.count("best_segments", ("峰值最低的段数", "Segments with the lowest peak"), n(best.segments))?;
        sheet.bytes("best", ("最低峰值", "The lowest peak"), n(best.bytes))?;
    }
    let optimum = (layers as f64 * layer as f64 / input as f64).sqrt();
    let text = format!("√({} × {} ÷ {})", units::group(layers), units::group(layer), units::group(input));
    sheet.push("root", ("连续近似的最优段数", "Optimum of the continuous formula"), Quantity::Ratio(optimum), text);
    // Forward 1, backward 2, one forward again: the number of segments does not matter.
    sheet.push(
        "time",
        ("一步的时间 ÷ 不重算", "Time of a step ÷ without"),
        Quantity::Ratio(4.0 / 3.0),
        "(1 + 2 + 1) ÷ (1 + 2)".to_owned(),
    );
    sheet.series.push(Series {
        id: "peak".into(),
        name: Text::new("峰值字节", "Peak bytes"),
        along: Text::new("段数", "Segments"),
        points: curve.iter().map(|point| (point.segments as f64, point.bytes as f64)).collect(),
    });
    sheet.assume(
        "每段都重算一次：一次额外前向；反向约为前向的两倍",
        "Every segment is computed again once: one extra forward; a backward takes about two forwards",
    );
    sheet.assume(
        "各层一样大；峰值在进入一段的反向时",
        "All layers are equal; the peak is where the backward of a segment begins",
    );
    sheet.assume(
        "只数激活：权重、梯度、优化器与 logits 另算",
        "Activations only: weights, gradients, optimizer and logits are apart",
    );
    Ok(sheet)
}
