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
    error(
        "stored_bytes_agree",
        ["KV cache 的字节数与公式是否一致", "Bytes of the cache agree with the formula"],
        [
            "编码按位宽计，再加每组一个 4 字节的缩放因子。",
            "Count the codes by their bits, and a scale of 4 bytes for every group.",
        ],
    ),
    error(
        "timeline_agrees",
        ["显存时间线是否自洽", "The timeline of the memory adds up"],
        [
            "逐步累加分配与释放；最后一个阶段的最高点就是 allocated 峰值。",
            "Add up what comes and goes; the highest point of the last phase is the allocated peak.",
        ],
    ),
    error(
        "spread_agrees",
        ["离散程度能否由 runs 重算", "The spread follows from the runs"],
        [
            "由全部样本重算中位数、p10、p90、中位数的置信区间与噪声标记。",
            "Compute median, p10, p90, the median's interval and the mark of noise from all samples again.",
        ],
    ),
    error(
        "reached_agrees",
        ["达到 roofline 的比例能否重算", "The share of the roofline follows from its numbers"],
        [
            "比例 = max(字节 / 拷贝带宽, FLOP / FMA 速率) / 中位时间，不截断到 1。",
            "The share is max(bytes / copy rate, FLOP / FMA rate) / median time, not held below 1.",
        ],
    ),
    warning(
        "noise_bounded",
        ["噪声是否在界内", "The noise is within its bound"],
        [
            "让机器空闲、增加样本或放大形状后重测；这样的时间只作参考。",
            "Measure again on an idle machine, with more samples or a larger shape; such times only indicate.",
        ],
    ),
    warning(
        "kernel_timed",
        ["是否有计时", "The operation was timed"],
        ["给基线和候选都记录 time_ms 与计时方式。", "Record time_ms and its timer for baseline and candidate."],
    ),
];
