//! Federated learning: the smallest client decides.

use super::{Answer, Calculator, Given, Rate};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{choice, dtype, whole},
    },
    formula::{b, n},
    units::MIB,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "federated",
        name: Text::new("联邦学习的客户端预算", "Budget of a federated client"),
        inputs: vec![
            whole("capacity", ("最小客户端的显存", "Memory of the smallest client"), "MiB", 8192, 1, 1 << 24),
            whole("reserve", ("系统与激活的预留", "Kept for the system and activations"), "MiB", 2048, 0, 1 << 24),
            whole("parameters", ("模型参数", "Parameters of the model"), "", 1_235_814_400, 1, 1 << 42),
            choice(
                "method",
                ("训练方式", "How it is trained"),
                "full",
                vec![
                    ("full", ("全参，混合精度 AdamW", "all parameters, mixed-precision AdamW")),
                    ("sgd", ("全参，纯 BF16 SGD", "all parameters, pure BF16 SGD")),
                    ("adapter", ("冻结 BF16 基座加适配器", "an adapter on a frozen BF16 base")),
                ],
            ),
            whole("adapter", ("适配器参数", "Parameters of the adapter"), "", 11_272_192, 1, 1 << 42),
            dtype("update", ("上传的格式", "Format of the update"), "bf16"),
            whole("clients", ("每轮的客户端数", "Clients per round"), "", 100, 1, 1 << 24),
            whole("uplink", ("客户端上行", "Uplink of a client"), "B/s", 1_250_000, 1, 1 << 40),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (capacity, reserve) = (given.whole("capacity")?, given.whole("reserve")?);
    let (parameters, adapter) = (given.whole("parameters")?, given.whole("adapter")?);
    let mut sheet = Sheet::default();
    let budget = capacity.saturating_sub(reserve);
    let budget = sheet.bytes("budget", ("可用于状态的预算", "Budget for states"), n(budget) * n(MIB))?;
    // 16 = 2 + 2 + 4 + 4 + 4; 4 = 2 + 2; the frozen base has weights only.
    let (states, trained, largest) = match given.choice("method")? {
        "adapter" => {
            let rest = budget.saturating_sub(adapter.saturating_mul(16));
            (n(parameters) * b(2) + n(adapter) * b(16), adapter, rest / 2)
        }
        "sgd" => (n(parameters) * b(4), parameters, budget / 4),
        _ => (n(parameters) * b(16), parameters, budget / 16),
    };
    let states = sheet.bytes("states", ("客户端的状态", "States on the client"), states)?;
    sheet.count("largest", ("预算内最多的参数", "Parameters that the budget holds"), n(largest))?;
    let update =
        sheet.bytes("update", ("一次上传", "One update"), n(trained).of_bits(given.dtype("update")?.bits()))?;
    sheet.seconds("upload", ("上传时间", "Time of the upload"), update, Rate::bytes(given.whole("uplink")?));
    sheet.bytes(
        "round",
        ("服务器每轮收到", "What the server receives per round"),
        n(given.whole("clients")?) * n(update),
    )?;
    sheet.bytes("sum", ("服务器：FP32 累加器", "The server's accumulator in FP32"), n(trained) * b(4))?;
    if states <= budget {
        sheet.decide("最小的客户端放得下。", "The smallest client can train it.");
    } else {
        sheet.decide(
            "最小的客户端放不下：换适配器或更小的模型。",
            "The smallest client cannot: an adapter, or a smaller model.",
        );
    }
    sheet.assume(
        "同步聚合：所有客户端训练同一个模型，最小的决定大小",
        "Synchronous averaging: all clients train the same model, so the smallest decides",
    );
    sheet.assume(
        "更新边收边累加，服务器不保留每个客户端的副本",
        "Updates are added up as they arrive; the server keeps no copy per client",
    );
    sheet.assume("激活含在预留里", "Activations are inside the reserve");
    Ok(sheet)
}
