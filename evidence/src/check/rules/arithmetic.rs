//! Numbers that follow from other numbers of the same file.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    warning(
        "numbers_compared",
        ["是否有数字可以互相核对", "Some numbers follow from others of the file"],
        [
            "写出汇总值的来源：逐次运行、batch 与步时、时长与计数、逐 rank 的数字。",
            "Write what the aggregates come from: single runs, batch and step time, duration and counts, numbers of each rank.",
        ],
    ),
    error(
        "samples_per_s_agrees",
        ["吞吐与步时是否一致", "samples_per_s agrees with batch and step time"],
        [
            "samples_per_s = batch × 1000 / step_time_ms；用同一次测量计算两者。",
            "samples_per_s = batch × 1000 / step_time_ms; compute both from the same measurement.",
        ],
    ),
    error(
        "runs_mean_agrees",
        ["汇总值是否为 runs 的均值", "The aggregate is the mean of its runs"],
        ["由 runs 重新计算均值。", "Compute the mean from runs again."],
    ),
    error(
        "runs_count_agrees",
        ["重复次数的计数", "The counts of runs agree"],
        [
            "successful_runs 与 oom_runs 应等于 runs 中的条数。",
            "successful_runs and oom_runs count the entries of runs.",
        ],
    ),
    warning(
        "stability_agrees",
        ["波动范围是否等于 runs 的极差", "The stability ranges are those of the runs"],
        ["由 runs 重新计算最大值与最小值之差。", "Compute maximum minus minimum from runs again."],
    ),
    error(
        "reserved_below_allocated",
        ["reserved 不低于 allocated", "Reserved is not below allocated"],
        [
            "同一次测量里 reserved ≥ allocated；检查两个字段是否写反。",
            "In one measurement reserved ≥ allocated; see whether the two are swapped.",
        ],
    ),
    error(
        "peak_below_floor",
        ["峰值不低于账本下限", "The peak is not below the ledger's lower bound"],
        [
            "FP32 AdamW 的权重、梯度和 m、v 至少占 16 B/参数；检查单位、模型或优化器字段。",
            "FP32 AdamW keeps at least 16 B per parameter; see the unit, the model or the optimizer field.",
        ],
    ),
    warning(
        "summary_present",
        ["是否有 summary", "The report has its summary"],
        ["补上 summary；决策须能由它和阈值复现。", "Add summary: the decision must follow from it and the thresholds."],
    ),
    error(
        "summary_deltas_agree",
        ["73 的差值与标志", "The deltas and flags of 73 agree"],
        [
            "差值为 baseline − tuned（吞吐为 tuned − baseline），由两者重新计算。",
            "Deltas are baseline − tuned (throughput: tuned − baseline); compute them again.",
        ],
    ),
    error(
        "summary_counts_agree",
        ["summary 的计数", "The counts of the summary agree"],
        ["由 candidates 重新计数。", "Count the candidates again."],
    ),
    error(
        "summary_feasible_agrees",
        ["可行集合", "The feasible set agrees"],
        [
            "可行 = 峰值 ≤ 上限、吞吐 ≥ 下限、eval_loss ≤ 上限；按峰值升序排列。",
            "Feasible: peak ≤ cap, throughput ≥ floor, eval_loss ≤ ceiling; ordered by peak.",
        ],
    ),
    error(
        "summary_best_agrees",
        ["最佳候选及其峰值", "The best candidate and the peaks agree"],
        [
            "最佳候选是可行集合里峰值最低者；并列看吞吐。",
            "The best candidate is the feasible one with the lowest peak; ties go by throughput.",
        ],
    ),
    error(
        "summary_saving_agrees",
        ["显存节省", "The memory saving agrees"],
        [
            "memory_saving_mb = baseline 峰值 − 最佳候选峰值。",
            "memory_saving_mb = peak of the baseline − peak of the best candidate.",
        ],
    ),
    warning(
        "summary_saving_null",
        ["无可行候选时节省应为 null", "Without a feasible candidate the saving is null"],
        [
            "没有可行候选就没有节省可言：写 null，而不是 0.0。",
            "Nothing feasible means there is no saving: write null, not 0.0.",
        ],
    ),
    error(
        "summary_ratio_agrees",
        ["吞吐比", "The throughput ratio agrees"],
        [
            "throughput_ratio = 最佳候选吞吐 / baseline 吞吐。",
            "throughput_ratio = throughput of the best candidate / of the baseline.",
        ],
    ),
    error(
        "summary_evaluations_agree",
        ["逐候选评估与原因码", "The evaluation of each candidate agrees"],
        ["按预算与质量上限重新给出 status 与 reasons。", "Give status and reasons again from budget and ceiling."],
    ),
    warning(
        "summary_thresholds_agree",
        ["summary 与 budget 的阈值一致", "The thresholds of summary and budget agree"],
        ["两处写同一个阈值。", "State the same threshold in both places."],
    ),
    error(
        "copies_agree",
        ["重复字段是否与原值一致", "Copies of a value equal it"],
        [
            "experiment、standard_metrics、repeat_summary 应由同一次结果生成。",
            "Generate experiment, standard_metrics and repeat_summary from the same result.",
        ],
    ),
    error(
        "sensitivity_agrees",
        ["灵敏度各场景能否复现", "Every sensitivity scenario can be reproduced"],
        [
            "用该场景的阈值重新计算可行集合、最佳候选与结论。",
            "Compute feasible set, best candidate and decision again with the scenario's thresholds.",
        ],
    ),
    error(
        "sensitivity_summary_agrees",
        ["灵敏度汇总", "The sensitivity summary agrees"],
        ["由 sensitivity 重新计数。", "Count the scenarios again."],
    ),
    note(
        "sensitivity_stable",
        ["结论对阈值是否稳定", "The decision is stable against the thresholds"],
        [
            "说明结论随哪个阈值改变；阈值宜用相对值（如 0.5/0.7/0.9 × baseline）。",
            "Say which threshold turns the decision; relative thresholds (0.5/0.7/0.9 × baseline) are better.",
        ],
    ),
];
