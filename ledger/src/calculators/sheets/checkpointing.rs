//! Gradient checkpointing: memory against time over the number of segments.

use super::{Answer, Calculator, Given};
use crate::{
    LedgerError, Text,
    calculators::{
        Axis, Measure, Plot, Quantity, Sheet,
        input::{choice, whole},
    },
    formula::{Term, n},
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
            choice(
                "last",
                ("最后一段", "The last segment"),
                "recomputed",
                vec![
                    ("recomputed", ("也重算", "is computed again too")),
                    ("kept", ("保留（checkpoint_sequential）", "is kept (checkpoint_sequential)")),
                ],
            ),
            whole("segments", ("段数", "Segments"), "", 6, 1, 1000),
        ],
        compute,
    }
}

/// Peak bytes and the extra forwards of one number of segments.
fn point(layers: u64, input: u64, layer: u64, segments: u64, last_kept: bool) -> Result<(Term, f64), LedgerError> {
    if last_kept {
        // `torch.utils.checkpoint.checkpoint_sequential`: equal segments, the last takes what is over and is kept.
        let last = layers - (segments - 1) * (layers / segments);
        let peak = n(segments - 1) * n(input) + n(last) * n(layer);
        return Ok((peak, (layers - last) as f64 / layers as f64));
    }
    let kept = n(segments) * n(input) + n(layers.div_ceil(segments)) * n(layer);
    Ok((kept.minus(n(input)), 1.0))
}

fn compute(given: &Given) -> Answer {
    let (layers, input) = (given.whole("layers")?, given.whole("input_bytes")?);
    let layer = given.whole("layer_bytes")?.max(input);
    let segments = given.whole("segments")?.min(layers);
    let last_kept = given.choice("last")? == "kept";
    let mut sheet = Sheet::default();
    let none = sheet.bytes("none", ("不重算", "Without checkpoints"), n(layers) * n(layer))?;
    let (peak, extra) = point(layers, input, layer, segments, last_kept)?;
    let chosen = sheet.bytes("chosen", ("所选段数的峰值", "Peak with these segments"), peak)?;
    sheet.ratio("share", ("峰值 ÷ 不重算", "Peak ÷ without checkpoints"), chosen, none);
    let mut curve = Vec::new();
    for segments in 1..=layers {
        let (peak, extra) = point(layers, input, layer, segments, last_kept)?;
        curve.push((segments, peak.finish("segments")?.0, (3.0 + extra) / 3.0));
    }
    if let Some((best, bytes, _)) = curve.iter().min_by_key(|(_, bytes, _)| *bytes) {
        sheet.count("best_segments", ("峰值最低的段数", "Segments with the lowest peak"), n(*best))?;
        sheet.bytes("best", ("最低峰值", "The lowest peak"), n(*bytes))?;
    }
    let optimum = (layers as f64 * layer as f64 / input as f64).sqrt();
    let text = format!("√({} × {} ÷ {})", units::group(layers), units::group(layer), units::group(input));
    sheet.push("root", ("连续近似的最优段数", "Optimum of the continuous formula"), Quantity::Ratio(optimum), text);
    let time = Quantity::Ratio((3.0 + extra) / 3.0);
    sheet.push(
        "time",
        ("一步的时间 ÷ 不重算", "Time of a step ÷ without checkpoints"),
        time,
        format!("(1 + 2 + {extra}) ÷ (1 + 2)"),
    );
    let root = (optimum.round() as u64).clamp(1, layers);
    sheet.plots = vec![over_segments(&curve, none, segments, root), against_time(&curve, none, segments, root)];
    sheet.assume(
        "反向约为前向的两倍；重算的每层多一次前向",
        "A backward takes about two forwards; a layer that is computed again takes one more",
    );
    sheet.assume(
        "各层一样大；峰值在进入一段的反向时",
        "All layers are equal; the peak is where the backward of a segment begins",
    );
    sheet.assume(
        "只计激活：权重、梯度、优化器状态与 logits 另算",
        "Activations only: weights, gradients, optimizer states and logits come on top",
    );
    Ok(sheet)
}

/// Segments, peak bytes, time of a step in units of one without checkpoints.
type Point = (u64, u64, f64);

/// What both plots mark, with its id: nothing computed again, the rounded optimum of the formula, the choice.
fn marked(curve: &[Point], none: u64, chosen: u64, root: u64) -> Vec<(&'static str, Text, Point)> {
    let at = |segments: u64| curve.iter().find(|(known, ..)| *known == segments).copied();
    let named = |id, zh: &str, en: &str, segments: u64| {
        let name = Text::new(format!("{zh}：{segments} 段"), format!("{en}: {segments} segments"));
        Some((id, name, at(segments)?))
    };
    let without = Some(("none", Text::new("不重算", "Without checkpoints"), (0, none, 1.0)));
    let root = named("root", "√n 点", "√n point", root);
    [without, root, named("chosen", "所选", "Chosen", chosen)].into_iter().flatten().collect()
}

fn peak_axis() -> Axis {
    Axis::linear(Text::new("峰值", "Peak"), Measure::Bytes)
}

fn over_segments(curve: &[Point], none: u64, chosen: u64, root: u64) -> Plot {
    let along = Axis::linear(Text::new("段数", "Segments"), Measure::Count);
    let place = |(segments, bytes, _): Point| (segments as f64, bytes as f64);
    let name = Text::new("段数与峰值", "Segments and peak");
    let level = [curve.first(), curve.last()].into_iter().flatten().map(|point| (point.0 as f64, none as f64));
    let plot = Plot::new("peak", name, along, peak_axis())
        .line("peak", Text::new("峰值", "Peak"), curve.iter().copied().map(place).collect())
        .line("none", Text::new("不重算", "Without checkpoints"), level.collect());
    let on_curve = marked(curve, none, chosen, root).into_iter().filter(|(_, _, point)| point.0 > 0);
    on_curve.fold(plot, |plot, (id, name, point)| plot.marking(id, name, place(point)))
}

/// The lowest peak that each time buys.
fn against_time(curve: &[Point], none: u64, chosen: u64, root: u64) -> Plot {
    let place = |(_, bytes, time): Point| (time, bytes as f64);
    let mut points: Vec<(f64, f64)> = curve.iter().copied().chain([(0, none, 1.0)]).map(place).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    // More time for a higher peak is no bargain.
    let mut lowest = f64::INFINITY;
    points.retain(|(_, bytes)| {
        let lower = *bytes < lowest;
        lowest = lowest.min(*bytes);
        lower
    });
    let along = Axis::linear(Text::new("一步的时间 ÷ 不重算", "Time of a step ÷ without checkpoints"), Measure::Ratio);
    let line = Text::new("这么多时间换来的最低峰值", "The lowest peak for that time");
    let plot = Plot::new("time", Text::new("时间换显存", "Time for memory"), along, peak_axis());
    let plot = plot.line("lowest", line, points);
    marked(curve, none, chosen, root)
        .into_iter()
        .fold(plot, |plot, (id, name, point)| plot.marking(id, name, place(point)))
}
