//! What outliers do to a quantised array, granularity by granularity.

use super::{Answer, Calculator, Given};
use crate::{
    LedgerError, Text,
    calculators::{
        Quantity, Sheet,
        input::{choice, decimal, whole},
    },
    formats::{Code, Granularity, quantise, with_outliers},
    units,
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "quantisation",
        name: Text::new("量化误差与离群值", "Quantisation error and outliers"),
        inputs: vec![
            whole("rows", ("token 数（行）", "Tokens (rows)"), "", 128, 1, 512),
            whole("columns", ("通道数（列）", "Channels (columns)"), "", 256, 1, 512),
            whole("outliers", ("离群通道数", "Outlier channels"), "", 2, 0, 512),
            decimal("factor", ("离群倍数", "How much larger they are"), "", 50.0, 1.0, 10_000.0),
            choice("code", ("编码", "Code"), "int8", Code::ALL.map(|code| (code.id(), code.names())).to_vec()),
            whole("width", ("头或组的宽度", "Width of a head or group"), "", 64, 1, 512),
            whole("seed", ("随机种子", "Seed"), "", 1, 0, u64::MAX),
        ],
        compute,
    }
}

type Name = (&'static str, &'static str);

/// Line ids and names of the granularities, coarse to fine.
const LINES: [(&str, &str, Name, Name); 6] = [
    (
        "unscaled",
        "unscaled_bytes",
        ("不缩放：相对误差", "No scale: relative error"),
        ("不缩放：字节", "No scale: bytes"),
    ),
    (
        "tensor",
        "tensor_bytes",
        ("逐张量：相对误差", "Per tensor: relative error"),
        ("逐张量：字节", "Per tensor: bytes"),
    ),
    (
        "token",
        "token_bytes",
        ("逐 token：相对误差", "Per token: relative error"),
        ("逐 token：字节", "Per token: bytes"),
    ),
    ("head", "head_bytes", ("逐头：相对误差", "Per head: relative error"), ("逐头：字节", "Per head: bytes")),
    (
        "channel",
        "channel_bytes",
        ("逐通道：相对误差", "Per channel: relative error"),
        ("逐通道：字节", "Per channel: bytes"),
    ),
    ("group", "group_bytes", ("逐组：相对误差", "Per group: relative error"), ("逐组：字节", "Per group: bytes")),
];

fn compute(given: &Given) -> Answer {
    let (rows, columns, width) = (given.whole("rows")?, given.whole("columns")?, given.whole("width")?);
    let code = Code::from_id(given.choice("code")?).ok_or(LedgerError::NotModelled { what: "this code" })?;
    if !columns.is_multiple_of(width) {
        return Err(LedgerError::Contradiction {
            field: "columns",
            value: columns,
            other: "width",
            other_value: width,
            why: "channels divide into whole heads",
        });
    }
    // What remains cannot fail: the ranges bound the sizes, and the numbers are finite.
    let failed = |_| LedgerError::NotModelled { what: "an array of this size" };
    let factor = given.decimal("factor")? as f32;
    let values =
        with_outliers(rows, columns, given.whole("outliers")?, factor, given.whole("seed")?).map_err(failed)?;
    let granularities = [
        Granularity::Unscaled,
        Granularity::Tensor,
        Granularity::Token,
        Granularity::Head { width },
        Granularity::Channel,
        Granularity::Group { size: width },
    ];
    let mut sheet = Sheet::default();
    for (granularity, (id, bytes_id, name, bytes_name)) in granularities.into_iter().zip(LINES) {
        let result = quantise(&values, rows, columns, code, granularity).map_err(failed)?;
        sheet.push(id, name, Quantity::Ratio(result.loss.relative), "‖x − x̂‖ ÷ ‖x‖".to_owned());
        let formula = format!(
            "{} × {} b + {} × 4 B{}",
            units::group(values.len() as u64),
            code.bits(),
            units::group(result.loss.scales),
            if code.has_zero_point() {
                format!(" + {} × {} b", units::group(result.loss.scales), code.bits())
            } else {
                String::new()
            }
        );
        sheet.push(bytes_id, bytes_name, Quantity::Bytes(result.loss.bytes), formula);
        if id == "tensor" {
            let count = Quantity::Count(result.levels);
            sheet.push("levels", ("逐张量：用到的不同取值", "Per tensor: different values"), count, "|{x̂}|".to_owned());
        }
    }
    sheet.assume(
        "服从正态分布的数；离群通道等间隔排列并放大；种子相同，数就相同",
        "Normal numbers; outlier channels are evenly spread and scaled up; the same seed gives the same numbers",
    );
    sheet.assume(
        "尺度由极值确定，不裁剪、不校准；恰在中间时舍入到偶数",
        "Scales follow the extremes, without clipping or calibration; ties go to even",
    );
    sheet.assume(
        "每个尺度 4 字节，零点与编码同宽；误差是存储误差，不是模型的质量",
        "A scale takes 4 bytes, a zero point the width of a code; the error is of storage, not of a model's answers",
    );
    Ok(sheet)
}
