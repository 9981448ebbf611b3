//! A slower tier for prefixes: load the cache or compute it again?

use super::{Answer, Calculator, Given, Rate, figure};
use crate::{
    Text,
    calculators::{
        Quantity, Sheet,
        input::{card, decimal, dtype, link, model, share, whole},
        tiers::prefill_operations,
    },
    inference,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "prefix_tier",
        name: Text::new("CXL 或 NVMe 上的前缀：加载还是重算", "A prefix on CXL or NVMe: load or compute again"),
        inputs: vec![
            model("Llama-3-8B", |_| true),
            whole("tokens", ("前缀长度", "Tokens of the prefix"), "tokens", 8192, 1, 1 << 22),
            dtype("cache", ("KV 格式", "Format of the cache"), "bf16"),
            link("nvme"),
            decimal("latency", ("每次加载的延迟", "Latency of a load"), "s", 0.0001, 0.0, 10.0),
            card(),
            share(),
            whole("users", ("共享这个前缀的请求数", "Requests that share the prefix"), "", 100, 1, 1 << 30),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (model, tokens, cache) = (given.model()?, given.whole("tokens")?, given.dtype("cache")?);
    let (link, latency, share) = (given.link()?, given.decimal("latency")?, given.decimal("share")?);
    let (_, speed) = given.card()?;
    let format = if speed.dense_rate("bf16").is_some() { "bf16" } else { "fp16" };
    let rate = given.dense_rate(format)?;
    model.validate()?;
    let mut sheet = Sheet::default();
    let bytes =
        sheet.bytes("cache", ("前缀的 KV", "Cache of the prefix"), inference::kv_term(model, cache, 1, tokens))?;
    let transfer = sheet.seconds("transfer", ("传输", "Transfer"), bytes, Rate::bytes(link.bytes_per_second));
    let load = transfer + latency;
    sheet.push(
        "load",
        ("加载：传输加延迟", "Load: transfer and latency"),
        Quantity::Seconds(load),
        format!("{} s + {latency} s", figure(transfer)),
    );
    let operations = sheet.operations(
        "operations",
        ("重算的运算量", "Operations to compute it again"),
        prefill_operations(model, tokens)?,
    )?;
    let again = sheet.seconds("recompute", ("重算", "Compute again"), operations, Rate::operations(rate, share));
    let needed = bytes as f64 / (again - latency);
    if again > latency {
        let formula = format!("{bytes} B ÷ ({} s − {latency} s)", figure(again));
        sheet.push(
            "break_even",
            ("盈亏平衡点：链路速率", "Break-even: rate of the link"),
            Quantity::BytesPerSecond(needed),
            formula,
        );
    }
    let users = given.whole("users")?;
    let saved = (again - load).max(0.0) * users as f64;
    let formula = format!("{users} × max(0, {} s − {} s)", figure(again), figure(load));
    sheet.push(
        "saved",
        ("所有请求一共省下的计算时间", "Compute time saved by all requests"),
        Quantity::Seconds(saved),
        formula,
    );
    if load < again {
        sheet.decide("加载更快。", "Loading is faster.");
    } else {
        sheet.decide("重算更快。", "Computing again is faster.");
    }
    sheet.assume("顺序读取，一次传输；与计算不重叠", "One sequential read; it does not overlap with compute");
    sheet.assume("预填充：每个参数、每个 token 两次运算，加因果注意力；嵌入是查表，输出头不计", "Prefill: two operations per parameter and token plus causal attention; the embedding is a lookup, the head is left out");
    sheet.assume(
        "算力取 BF16（没有则 FP16）的稠密峰值乘以所填比例",
        "The dense BF16 peak (FP16 where there is none) times the stated share",
    );
    Ok(sheet)
}
