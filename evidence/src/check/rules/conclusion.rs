//! The decision, recomputed.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "budget_present",
        ["是否写明预算", "The budget is stated"],
        [
            "写 budget{memory_cap_mb, min_samples_per_s} 与 quality_floor{max_val_loss}。",
            "State budget{memory_cap_mb, min_samples_per_s} and quality_floor{max_val_loss}.",
        ],
    ),
    note(
        "thresholds_stated",
        ["阈值是否写在报告里", "The thresholds are in the report"],
        [
            "在 budget 写 min_memory_saving_mb 与 min_throughput_ratio；缺省按 512 MiB 与 0.70 计算。",
            "State min_memory_saving_mb and min_throughput_ratio in budget; 512 MiB and 0.70 are assumed.",
        ],
    ),
    error(
        "baseline_usable",
        ["基线是否存在且有效", "The baseline is there and valid"],
        [
            "先让 baseline 跑通并完整记录，再比较候选。",
            "Get the baseline to run and record it completely before comparing.",
        ],
    ),
    error(
        "decision_confirmed",
        ["结论能否由数字复现", "The decision follows from the numbers"],
        [
            "用报告中的数字和阈值重新推导结论；若阈值不同，把它写进 budget。",
            "Derive the decision again from the report's numbers and thresholds; if others were used, state them in budget.",
        ],
    ),
    warning(
        "reason_agrees",
        ["原因码是否一致", "The reason agrees"],
        ["按决策顺序取第一条成立的原因。", "Take the first reason of the decision order that holds."],
    ),
    warning(
        "next_action_agrees",
        ["下一步是否一致", "The next step agrees"],
        ["写与原因对应的下一步。", "Write the next step that belongs to the reason."],
    ),
    error(
        "accept_supported",
        ["accept 是否有证据", "An accept is supported"],
        [
            "accept 需要 GPU 上同一工作负载的基线与候选、达标的节省与吞吐；否则写 tune 并说明缺什么。",
            "An accept needs baseline and candidate of one workload on a GPU, with saving and throughput met; otherwise write tune and say what is missing.",
        ],
    ),
    error(
        "probe_claims_nothing",
        ["探测报告不作比较结论", "A probe draws no comparison"],
        ["探测写 measure；要下结论请跑 paired 或 76。", "Write measure for a probe; run paired or 76 to conclude."],
    ),
    note(
        "probe_is_no_comparison",
        ["探测能否作比较", "A probe is no comparison"],
        ["把它用作 BF16 的 76 的基线。", "Use it as the baseline of a BF16 76."],
    ),
    note(
        "enables_budget",
        ["方案是否让任务装得下", "Whether a strategy makes the job fit"],
        [
            "在结论里写明 enables_budget：装得下与装不下的差别大于节省多少。",
            "Say enables_budget in the conclusion: fitting matters more than the size of the saving.",
        ],
    ),
    note(
        "quality_reason_fits",
        ["质量原因是否针对最佳候选", "The quality reason is about the best candidate"],
        [
            "分开写：最佳候选为何不够，哪个其他候选质量不合格。",
            "Say apart why the best candidate falls short and which other one failed quality.",
        ],
    ),
];
