//! What the numbers can and cannot show.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "peaks_recorded",
        ["每次运行是否记录显存峰值", "Every finished run records its memory peak"],
        ["记录每次运行的 max_memory_allocated。", "Record max_memory_allocated of every run."],
    ),
    error(
        "candidates_compared",
        ["基线之外是否有候选", "A candidate stands beside the baseline"],
        [
            "至少再测一种策略；OOM 的候选也要列出。",
            "Measure at least one strategy more; a candidate that ran out of memory counts as well.",
        ],
    ),
    warning(
        "optimizer_floor",
        ["节省阈值在优化器下限之上能否达到", "The threshold can be reached above the optimizer floor"],
        [
            "在结论里写明这一点，或改变形状（更长序列、更大 batch）或优化器（fused、foreach=False、8-bit、in-backward）。",
            "Say so in the conclusion, or change the shape (longer sequence, larger batch) or the optimizer (fused, foreach=False, 8-bit, in-backward).",
        ],
    ),
    note(
        "model_known",
        ["能否算出优化器下限", "The optimizer floor can be computed"],
        [
            "在 config.model_id 写目录中的模型，或导入它的 config.json。",
            "Name a model of the catalogue in config.model_id, or import its config.json.",
        ],
    ),
    warning(
        "reserved_above_cap",
        ["可行候选的 reserved 是否超出上限", "No feasible candidate reserves more than the cap"],
        [
            "同时报告 allocated 与 reserved：OOM 取决于 reserved 加 CUDA context。",
            "Show allocated and reserved: OOM depends on reserved plus the CUDA context.",
        ],
    ),
    warning(
        "reserved_grows",
        ["省下的 allocated 是否也省了 reserved", "Less allocated also means less reserved"],
        [
            "两个数都写出来；allocated 下降而 reserved 上升时，卡上并没有多出空间。",
            "Show both: when allocated falls and reserved rises, the card has no more room.",
        ],
    ),
    warning(
        "reserved_recorded",
        ["是否记录 reserved", "Reserved memory is recorded"],
        [
            "保留 peak_reserved_mb：上限要与驱动实际给出的显存比较。",
            "Keep peak_reserved_mb: the cap is about what the driver must hand out.",
        ],
    ),
    note(
        "reserved_noise",
        ["重复间 reserved 的波动", "Reserved is stable between runs"],
        [
            "不要用 reserved 的差值作门槛：它取决于进程内分配器的历史。",
            "Never gate on a difference of reserved: it depends on the allocator's history in the process.",
        ],
    ),
    warning(
        "quality_gate",
        ["质量门槛是否真的检验质量", "The quality gate tests quality"],
        [
            "把它称作等价性检查；质量要用真实数据和任务指标。",
            "Call it an equivalence check; quality needs real data and a task metric.",
        ],
    ),
    warning(
        "quality_measured",
        ["73 是否测量了质量", "Quality was measured"],
        [
            "补上留出集 eval_loss 与上限；训练 loss 的末值不是质量。",
            "Add a held-out eval_loss and a ceiling; the last training loss is not quality.",
        ],
    ),
    warning(
        "eval_loss_informative",
        ["eval_loss 是否优于均匀猜测", "eval_loss is better than a uniform guess"],
        [
            "用真实文本评测：随机 token 上的 loss 不能说明质量。",
            "Evaluate on real text: a loss on random tokens says nothing about quality.",
        ],
    ),
    warning(
        "ceiling_above_baseline",
        ["质量上限是否高于基线", "The ceiling lies above the baseline's loss"],
        [
            "上限相对基线来定（如 × 1.02），否则连基线都通不过。",
            "Set the ceiling relative to the baseline (× 1.02), otherwise the baseline itself fails.",
        ],
    ),
    note(
        "sensitivity_ceilings",
        ["灵敏度场景的上限是否有意义", "The ceilings of the scenarios are meaningful"],
        [
            "去掉低于基线 loss 的上限：这些场景必然 reject。",
            "Drop ceilings below the baseline's loss: those scenarios reject by construction.",
        ],
    ),
    warning(
        "runs_recorded",
        ["每个候选是否有三次重复", "Every candidate has three runs"],
        [
            "设 REPEATS = 3 并保留 runs；allocated 峰值一次即可，时间需要重复。",
            "Set REPEATS = 3 and keep runs; one run is enough for the allocated peak, time needs repeats.",
        ],
    ),
    warning(
        "ratio_near_threshold",
        ["吞吐比是否离阈值足够远", "The throughput ratio is clear of its threshold"],
        [
            "单次比值的噪声约 ±9 %；至少重复三次再判断。",
            "A ratio of single runs moves by about ±9%; repeat three times before deciding.",
        ],
    ),
    note(
        "runs_are_timing",
        ["重复是否为独立样本", "The runs are independent samples"],
        [
            "把它们称作计时重复；独立样本需要不同的数据或初始化。",
            "Call them timing repeats; independent samples need other data or another initialisation.",
        ],
    ),
    warning(
        "best_is_clear",
        ["最佳候选是否明显优于其他", "The best candidate is clearly best"],
        [
            "峰值差在噪声之内时按吞吐选择，或说明两者相当。",
            "When peaks differ by less than the noise, choose by throughput or call it a tie.",
        ],
    ),
    warning(
        "within_device",
        ["峰值是否在设备显存之内", "The peaks are within the device's memory"],
        [
            "核对设备名与单位；在 Windows/WSL 上关闭驱动的系统内存回退再测。",
            "See the device's name and the unit; on Windows or WSL switch off the driver's fallback to system memory and measure again.",
        ],
    ),
    warning(
        "recomputation_costs",
        ["重算是否付出时间", "Recomputation costs time"],
        [
            "确认 checkpoint 已启用，并让两者在同样的预热与时钟下计时。",
            "See that checkpointing was on, and time both after the same warm-up at the same clocks.",
        ],
    ),
    warning(
        "offload_moves",
        ["卸载是否真的搬走字节", "The offload moves bytes"],
        [
            "确认保存张量的钩子被调用，并记录搬运的字节数。",
            "See that the hooks on saved tensors were called, and record the bytes that they moved.",
        ],
    ),
    warning(
        "equal_start",
        ["基线与候选的起始占用是否相同", "Baseline and candidate start from the same allocation"],
        [
            "每次运行用新进程，或先释放上一次的梯度并记录 allocated_before。",
            "Use a fresh process for each run, or free the gradients of the run before and record what is allocated.",
        ],
    ),
    warning(
        "partial_oom",
        ["是否有部分重复 OOM", "No candidate ran out of memory in some runs"],
        [
            "部分 OOM 说明贴近边界：写成边界记录，不要当作稳定可行。",
            "A partial OOM means the edge: record it as a boundary, not as feasible.",
        ],
    ),
    note(
        "oom_boundary",
        ["OOM 记录", "An OOM is recorded as a boundary"],
        [
            "OOM 是有效的边界记录；保留错误信息与当时的配置。",
            "An OOM is a valid boundary record; keep its message and configuration.",
        ],
    ),
    error(
        "oom_without_metrics",
        ["OOM 候选不应有成功的指标", "An OOM candidate carries no metrics of a success"],
        [
            "全部 OOM 写 oom 且不写指标；部分成功写 partial_oom。",
            "Write oom without metrics, or partial_oom if some runs finished.",
        ],
    ),
    error(
        "profiled_times",
        ["是否混入 profiler 下的计时", "No times taken under a profiler"],
        [
            "关闭 profiler 重测：实测开销约 40%，不能与普通计时比较。",
            "Measure without the profiler: it costs about 40%, so its times cannot be compared.",
        ],
    ),
    note(
        "threshold_scale",
        ["绝对阈值与工作负载是否相称", "The absolute thresholds fit the workload"],
        ["阈值改用基线的百分比。", "State the threshold as a share of the baseline."],
    ),
];
