//! Offload or compute again? The break-even of a link.

use super::{Answer, Calculator, Given, Rate};
use crate::{
    Text,
    calculators::{
        Axis, Measure, Plot, Quantity, Sheet,
        input::{card, decimal, link, share, whole},
    },
    formula::n,
    units,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "offload",
        name: Text::new("卸载与重算的盈亏平衡点", "Offload against recompute: the break-even"),
        inputs: vec![
            card(),
            link("pcie5-x16"),
            whole("bytes", ("一层的激活", "Activations of one layer"), "B", 536_870_912, 1, 1 << 44),
            whole(
                "operations",
                ("重算这一层的运算量", "Operations to compute the layer again"),
                "FLOP",
                3_573_412_790_272,
                1,
                1 << 60,
            ),
            decimal(
                "hidden",
                ("被计算掩盖的传输比例", "Share of the transfer hidden behind compute"),
                "",
                0.0,
                0.0,
                1.0,
            ),
            share(),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (bytes, operations) = (given.whole("bytes")?, given.whole("operations")?);
    let (link, share, hidden) = (given.link()?, given.decimal("share")?, given.decimal("hidden")?);
    let (_, speed) = given.card()?;
    let format = if speed.dense_rate("bf16").is_some() { "bf16" } else { "fp16" };
    let rate = Rate::operations(given.dense_rate(format)?, share);
    let mut sheet = Sheet::default();
    sheet.ratio("gap", ("显存带宽 ÷ 链路", "Memory bandwidth ÷ link"), speed.memory, link.bytes_per_second);
    let out = sheet.seconds("out", ("搬出", "Moving out"), bytes, Rate::bytes(link.bytes_per_second));
    sheet.seconds("back", ("搬回", "Moving back"), bytes, Rate::bytes(link.bytes_per_second));
    let visible = 2.0 * out * (1.0 - hidden);
    let formula =
        format!("2 × {} B ÷ {} B/s × (1 − {hidden})", units::group(bytes), units::group(link.bytes_per_second));
    sheet.push("visible", ("未被掩盖的传输", "Transfer that is not hidden"), Quantity::Seconds(visible), formula);
    let again = sheet.seconds("recompute", ("重算", "Compute again"), operations, rate);
    sheet.ratio("intensity", ("这一层：运算 ÷ 字节", "This layer: operations ÷ byte"), operations, bytes);
    let per_byte = 2.0 * (1.0 - hidden) * rate.per_second as f64 * share / link.bytes_per_second as f64;
    let formula = format!(
        "2 × (1 − {hidden}) × {} FLOP/s × {share} ÷ {} B/s",
        units::group(rate.per_second),
        units::group(link.bytes_per_second)
    );
    sheet.push(
        "break_even",
        ("盈亏平衡点：运算 ÷ 字节", "Break-even: operations ÷ byte"),
        Quantity::Ratio(per_byte),
        formula,
    );
    let layer = operations as f64 / bytes as f64;
    sheet.plots.push(crossing(bytes as f64, rate.per_second as f64 * share, layer, (per_byte, visible)));
    sheet.bytes("host", ("主机内存占用", "Host memory taken"), n(bytes))?;
    if visible < again {
        sheet.decide(
            "卸载更快：这一层的算术强度高于盈亏平衡点。",
            "Offload is faster: the layer's intensity is above the break-even.",
        );
    } else {
        sheet.decide(
            "重算更快：这一层的算术强度低于盈亏平衡点。",
            "Computing again is faster: the layer's intensity is below the break-even.",
        );
    }
    sheet.assume(
        "链路按单方向的标称速率；锁页内存，无竞争",
        "The link at its specified rate per direction; pinned memory, no contention",
    );
    sheet.assume(
        "搬出与搬回不重叠；掩盖的比例要自己测",
        "Out and back do not overlap; the hidden share is for you to measure",
    );
    sheet.assume(
        "算力取 BF16（没有则 FP16）的稠密峰值乘以所填比例",
        "The dense BF16 peak (FP16 where there is none) times the stated share",
    );
    Ok(sheet)
}

/// Seconds for one layer's bytes, moved and computed again, over the operations per byte: where the lines cross, both
/// take as long.
fn crossing(bytes: f64, rate: f64, layer: f64, (break_even, visible): (f64, f64)) -> Plot {
    /// How far the picture goes on beyond the points.
    const ROOM: f64 = 8.0;
    let again = |intensity: f64| intensity * bytes / rate;
    // A transfer that is hidden altogether costs nothing: there is nothing to break even with.
    let seen = visible > 0.0;
    let (low, high) = if seen { (layer.min(break_even), layer.max(break_even)) } else { (layer, layer) };
    let (low, high) = (low / ROOM, high * ROOM);
    let along = Text::new("算术强度（FLOP/B）", "Intensity (FLOP/B)");
    let plot = Plot::new(
        "break_even",
        Text::new("搬运还是重算", "Move or compute again"),
        Axis::logarithmic(along, Measure::OperationsPerByte),
        Axis::logarithmic(Text::new("时间", "Time"), Measure::Seconds),
    )
    .line("recompute", Text::new("重算", "Compute again"), vec![(low, again(low)), (high, again(high))])
    .marking("layer", Text::new("这一层：重算", "This layer, computed again"), (layer, again(layer)));
    if !seen {
        return plot;
    }
    plot.line("transfer", Text::new("搬出并搬回", "Move out and back"), vec![(low, visible), (high, visible)]).marking(
        "break_even",
        Text::new("盈亏平衡点", "Break-even"),
        (break_even, visible),
    )
}
