//! Checks of kernel labs in the own schema.

use super::{Rule, error, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "kernel_error_within_tolerance",
        ["与参考实现的误差是否在容差内", "The error against the reference is within tolerance"],
        ["先修正算子，再谈速度。", "Mend the operation before speaking of speed."],
    ),
    error(
        "kernel_bytes_agree",
        ["搬运字节数与形状是否一致", "Bytes moved agree with the predicted ones"],
        ["由形状重新计算读写字节数。", "Count the bytes read and written from the shapes again."],
    ),
    error(
        "ledger_reconciles",
        ["账本预测与实测是否一致", "Predicted and measured bytes agree"],
        [
            "逐对象说明差额；差额超过 5% 时预测或测量有误。",
            "Explain the difference object by object; above 5% the prediction or the measurement is wrong.",
        ],
    ),
    warning(
        "kernel_timed",
        ["是否有计时", "The operation was timed"],
        ["给基线和候选都记录 time_ms 与计时方式。", "Record time_ms and its timer for baseline and candidate."],
    ),
];
