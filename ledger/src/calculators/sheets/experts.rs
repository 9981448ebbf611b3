//! Experts of a mixture in pages: some on the card, the rest on a slower tier.

use super::{Answer, Calculator, Given, Rate, figure};
use crate::{
    LedgerError, Text,
    calculators::{
        Quantity, Sheet,
        input::{decimal, dtype, link, model, whole},
    },
    formula::n,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "expert_paging",
        name: Text::new("MoE 专家分页", "Paging the experts of a mixture"),
        inputs: vec![
            model("Qwen3-30B-A3B", |model| model.experts.is_some()),
            dtype("dtype", ("专家的格式", "Format of the experts"), "bf16"),
            whole("resident", ("每层常驻的专家", "Experts per layer that stay on the card"), "", 32, 0, 4096),
            decimal(
                "hit",
                ("常驻专家承担的路由比例", "Share of the routes that resident experts take"),
                "",
                0.6,
                0.0,
                1.0,
            ),
            link("pcie5-x16"),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (model, dtype, link, hit) = (given.model()?, given.dtype("dtype")?, given.link()?, given.decimal("hit")?);
    let experts = model.experts.ok_or(LedgerError::NotModelled { what: "expert paging of a dense model" })?;
    let layers = model.layers.saturating_sub(experts.dense_layers);
    let resident = given.whole("resident")?.min(experts.total);
    let mut sheet = Sheet::default();
    let biases = if experts.biases { 2 * experts.intermediate + model.hidden } else { 0 };
    let weights = n(3) * n(model.hidden) * n(experts.intermediate);
    let one = if biases > 0 { weights + n(biases) } else { weights };
    let one = sheet.bytes("expert", ("一个专家（一页）", "One expert, which is a page"), one.of_bits(dtype.bits()))?;
    sheet.bytes("all", ("所有专家", "All experts"), n(layers) * n(experts.total) * n(one))?;
    sheet.bytes("on_card", ("常驻显存", "On the card"), n(layers) * n(resident) * n(one))?;
    sheet.bytes("on_tier", ("放在慢速层级", "On the slower tier"), n(layers) * n(experts.total - resident) * n(one))?;
    let routes = sheet.count(
        "routes",
        ("一个 token 用到的专家", "Experts that one token uses"),
        n(layers) * n(experts.per_token),
    )?;
    sheet.ratio("uniform", ("均匀路由的命中率", "Hits if routing were uniform"), resident, experts.total);
    // With none or all of them on the card there is nothing to measure.
    let hit = match resident {
        0 => 0.0,
        all if all == experts.total => 1.0,
        _ => hit,
    };
    let misses = routes as f64 * (1.0 - hit);
    sheet.push(
        "misses",
        ("每个 token 的缺页次数", "Misses per token"),
        Quantity::Ratio(misses),
        format!("{routes} × (1 − {hit})"),
    );
    let page = sheet.seconds("page", ("加载一页", "Loading a page"), one, Rate::bytes(link.bytes_per_second));
    let formula = format!("{} × {} s", figure(misses), figure(page));
    sheet.push(
        "stall",
        ("解码一个 token 的停顿", "Stall of one decoded token"),
        Quantity::Seconds(misses * page),
        formula,
    );
    sheet.assume(
        "批大小为 1；更大的批里，几个 token 可以共用一页",
        "A batch of one; tokens of a larger batch may share a page",
    );
    sheet.assume("没有预取；路由预测可以掩盖一部分", "No prefetch; a predicted route may hide a part");
    sheet.assume("命中率要自己测；均匀路由只作对照。共享专家与路由器常驻，不计", "The hit rate is for you to measure, uniform routing is a comparison; shared experts and routers stay and are left out");
    Ok(sheet)
}
