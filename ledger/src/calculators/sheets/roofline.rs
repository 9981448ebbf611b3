//! The roofline: which kernels a card's memory limits, and which its arithmetic.

use serde::Serialize;

use super::{Answer, Calculator, Given};
use crate::{
    Text,
    calculators::{
        Axis, Measure, Plot, Quantity, Sheet,
        input::{card, choice, whole},
    },
    catalogue,
    formula::{Term, b, n},
    units,
};

/// A ridge point: operations per byte above which a kernel is limited by arithmetic.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ridge {
    pub card: &'static str,
    pub name: &'static str,
    /// The format of the dense matrix products.
    pub format: &'static str,
    pub operations_per_second: u64,
    pub bytes_per_second: u64,
    pub operations_per_byte: f64,
}

/// The ridge points of every card and format whose rates are typed in.
///
/// ```
/// use ledger::calculators::ridge_points;
/// let v100 = ridge_points().into_iter().find(|ridge| ridge.card == "v100-16gb" && ridge.format == "fp16");
/// assert_eq!(v100.map(|ridge| ridge.operations_per_byte.round()), Some(139.0));
/// ```
pub fn ridge_points() -> Vec<Ridge> {
    let cards = catalogue::cards().iter().filter_map(|card| Some((card, card.speed?)));
    cards
        .flat_map(|(card, speed)| {
            speed.dense.iter().map(move |(format, rate)| Ridge {
                card: card.id,
                name: card.name,
                format,
                operations_per_second: *rate,
                bytes_per_second: speed.memory,
                operations_per_byte: *rate as f64 / speed.memory as f64,
            })
        })
        .collect()
}

pub(super) fn calculator() -> Calculator {
    let formats = ["bf16", "fp16", "tf32", "fp32", "fp8", "int8"];
    let size = |id, zh, en, default| whole(id, (zh, en), "", default, 1, 1 << 18);
    Calculator {
        id: "roofline",
        name: Text::new("Roofline 与拐点", "Roofline and ridge point"),
        inputs: vec![
            card(),
            choice("dtype", ("数据格式", "Number format"), "bf16", formats.map(|id| (id, (id, id))).to_vec()),
            size("m", "GEMM 的 M（token）", "M of the GEMM (tokens)", 4096),
            size("n", "GEMM 的 N", "N of the GEMM", 4096),
            size("k", "GEMM 的 K", "K of the GEMM", 4096),
            size("rows", "RMSNorm 的行数", "Rows of the RMSNorm", 4096),
            size("hidden", "RMSNorm 的宽度", "Width of the RMSNorm", 4096),
            size("batch", "解码的序列数", "Sequences that decode", 16),
            whole("context", ("解码的上下文长度", "Context of each decoding sequence"), "tokens", 8192, 1, 1 << 24),
            size("heads", "查询头数", "Query heads", 32),
            size("kv_heads", "KV 头数", "Key-value heads", 8),
            size("head_dim", "头维度", "Head size", 128),
        ],
        compute,
    }
}

/// What one kernel does and moves, with the ids and names of its lines.
struct Kernel {
    id: &'static str,
    name: (&'static str, &'static str),
    ids: [&'static str; 4],
    names: [(&'static str, &'static str); 4],
    operations: Term,
    bytes: Term,
}

macro_rules! kernel {
    ($id:literal, $zh:literal, $en:literal, $operations:expr, $bytes:expr) => {
        Kernel {
            id: $id,
            name: ($zh, $en),
            ids: [
                concat!($id, "_operations"),
                concat!($id, "_bytes"),
                concat!($id, "_intensity"),
                concat!($id, "_seconds"),
            ],
            names: [
                (concat!($zh, "：运算"), concat!($en, ": operations")),
                (concat!($zh, "：显存流量"), concat!($en, ": memory traffic")),
                (concat!($zh, "：算术强度（运算 ÷ 字节）"), concat!($en, ": intensity (operations ÷ byte)")),
                (concat!($zh, "：时间下界"), concat!($en, ": time, at least")),
            ],
            operations: $operations,
            bytes: $bytes,
        }
    };
}

fn compute(given: &Given) -> Answer {
    let format = given.choice("dtype")?;
    let (card, speed) = given.card()?;
    let rate = given.dense_rate(format)?;
    let width = match format {
        "fp32" | "tf32" => 4,
        "bf16" | "fp16" => 2,
        _ => 1,
    };
    let size = |id| given.whole(id);
    let (rows, columns, inner) = (size("m")?, size("n")?, size("k")?);
    let (norms, hidden) = (size("rows")?, size("hidden")?);
    let (batch, context, head) = (size("batch")?, size("context")?, size("head_dim")?);
    let (heads, kv_heads) = (size("heads")?, size("kv_heads")?);

    let mut sheet = Sheet::default();
    let ridge = sheet.ratio("ridge", ("拐点（运算 ÷ 字节）", "Ridge point (operations ÷ byte)"), rate, speed.memory);
    let kernels = [
        kernel!(
            "gemm",
            "GEMM",
            "GEMM",
            n(2) * n(rows) * n(columns) * n(inner),
            (n(rows) * n(inner) + n(inner) * n(columns) + n(rows) * n(columns)) * b(width)
        ),
        kernel!(
            "norm",
            "RMSNorm",
            "RMSNorm",
            n(4) * n(norms) * n(hidden),
            (n(2) * n(norms) * n(hidden) + n(hidden)) * b(width)
        ),
        kernel!(
            "decode",
            "注意力解码",
            "Attention while decoding",
            n(4) * n(batch) * n(heads) * n(head) * n(context),
            (n(2) * n(batch) * n(kv_heads) * n(head) * n(context) + n(2) * n(batch) * n(heads) * n(head)) * b(width)
        ),
    ];
    let (mut limited, mut points) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let [operations_id, bytes_id, intensity_id, seconds_id] = kernel.ids;
        let operations = sheet.operations(operations_id, kernel.names[0], kernel.operations)?;
        let bytes = sheet.bytes(bytes_id, kernel.names[1], kernel.bytes)?;
        let intensity = sheet.ratio(intensity_id, kernel.names[2], operations, bytes);
        let (computing, moving) = (operations as f64 / rate as f64, bytes as f64 / speed.memory as f64);
        let (compute, memory) = (units::group(rate), units::group(speed.memory));
        let formula = format!(
            "max({} FLOP ÷ {compute} FLOP/s, {} B ÷ {memory} B/s)",
            units::group(operations),
            units::group(bytes)
        );
        sheet.push(seconds_id, kernel.names[3], Quantity::Seconds(computing.max(moving)), formula);
        points.push((kernel.id, kernel.name, intensity));
        limited.push(if intensity < ridge { ("显存带宽", "memory") } else { ("算力", "arithmetic") });
    }
    sheet.decide(
        format!(
            "{}：GEMM 受限于{}，RMSNorm 受限于{}，解码受限于{}。",
            card.name, limited[0].0, limited[1].0, limited[2].0
        ),
        format!(
            "{}: the GEMM is limited by {}, the norm by {}, decoding by {}.",
            card.name, limited[0].1, limited[1].1, limited[2].1
        ),
    );
    sheet.plots.push(roof(rate as f64, speed.memory as f64, &points));
    sheet.assume("数据手册的峰值：没有程序能达到", "Peaks of the data sheet, which no program reaches");
    sheet.assume(
        "每个输入读一次、每个输出写一次；缓存与启动开销不计",
        "Every input is read once and every output written once; caches and launches are left out",
    );
    sheet.assume(
        "RMSNorm 每个元素四次运算；解码只数两个矩阵乘",
        "Four operations per element of the norm; of decoding only the two products count",
    );
    Ok(sheet)
}

/// Both roofs from well below the lowest of the points to well above the highest, with each kernel as high as the roofs
/// let it get.
fn roof(rate: f64, memory: f64, kernels: &[(&'static str, (&'static str, &'static str), f64)]) -> Plot {
    /// How far the picture goes on beyond the points.
    const ROOM: f64 = 4.0;
    let ridge = rate / memory;
    let (low, high) = kernels.iter().fold((ridge, ridge), |(low, high), (_, _, at)| (low.min(*at), high.max(*at)));
    let (low, high) = (low / ROOM, high * ROOM);
    let along = Text::new("算术强度（FLOP/B）", "Intensity (FLOP/B)");
    let up = Text::new("可达速率（FLOP/s）", "Attainable rate (FLOP/s)");
    let plot = Plot::new(
        "roofline",
        Text::new("屋顶线", "Roofline"),
        Axis::logarithmic(along, Measure::OperationsPerByte),
        Axis::logarithmic(up, Measure::OperationsPerSecond),
    )
    .line("memory", Text::new("显存带宽", "Memory roof"), vec![(low, low * memory), (ridge, rate)])
    .line("compute", Text::new("算力", "Compute roof"), vec![(ridge, rate), (high, rate)])
    .marking("ridge", Text::new("拐点", "Ridge point"), (ridge, rate));
    kernels
        .iter()
        .fold(plot, |plot, (id, (zh, en), at)| plot.marking(id, Text::new(*zh, *en), (*at, rate.min(at * memory))))
}
