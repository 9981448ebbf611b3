//! Reports of the training side beside 73, 75 and 76: normalised copies, profiles and their merge, fine-tuning.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "config_stated",
        ["归一化报告是否写明工作负载", "A normalised report states its workload"],
        [
            "从原始 73/76 报告复制 model、device、dtype、batch_size、seq_len、warmup、iters，或直接提交原始文件。",
            "Copy model, device, dtype, batch_size, seq_len, warmup and iters from the original 73 or 76, or hand in the original file.",
        ],
    ),
    warning(
        "normalised_labels",
        ["归一化后标签是否仍然清楚", "The labels survive the rewriting"],
        [
            "分别写 param_dtype 与 compute_dtype，并保留 workload 名称。",
            "State param_dtype and compute_dtype apart, and keep the workload's name.",
        ],
    ),
    error(
        "derived_metrics_agree",
        ["每个候选的节省与吞吐比", "Saving and ratio of each candidate agree"],
        [
            "memory_saving_mb = baseline 峰值 − 候选峰值；throughput_ratio = 候选吞吐 / baseline 吞吐。",
            "memory_saving_mb = peak of the baseline − of the candidate; throughput_ratio = throughput of the candidate / of the baseline.",
        ],
    ),
    note(
        "oom_stated",
        ["oom 是否写成布尔值", "Whether memory ended is said"],
        ["成功的运行写 oom: false，OOM 写 true。", "Write oom: false for a run that finished and true for an OOM."],
    ),
    note(
        "profile_only",
        ["profile 的时间是否标明", "Times of a profile are marked as such"],
        [
            "写 profiled: true；要比较时间，请关闭 profiler 另测一次。",
            "Write profiled: true; to compare times, measure once more without the profiler.",
        ],
    ),
    error(
        "profiled_beside_unprofiled",
        ["profiler 下的时间是否放在普通计时旁边", "No profiled time stands beside ordinary ones"],
        ["换成不带 profiler 测得的时间。", "Put the time there that was measured without the profiler."],
    ),
    note(
        "profiler_overhead",
        ["profiler 的开销", "What the profiler cost"],
        [
            "用 76 的时间谈快慢，用 profile 谈时间花在哪里。",
            "Take the times of 76 to say how fast it is, and the profile to say where time goes.",
        ],
    ),
    warning(
        "export_in_timed_region",
        ["导出 trace 是否在计时区间之外", "The export of the trace is outside the timed region"],
        [
            "在退出 profiler 之前停表，导出放在计时之后。",
            "Stop the clock before the profiler is left, and export afterwards.",
        ],
    ),
    warning(
        "trace_collected",
        ["是否有 profiler 证据", "There is evidence of a profiler"],
        [
            "在同一工作负载上收集每个策略的 trace，再合并报告。",
            "Collect a trace of every strategy on the same workload, then merge the reports.",
        ],
    ),
    error(
        "linked_profile_matches",
        ["74 的 profile 与 76 的工作负载一致", "The profile of 74 has the workload of the linked 76"],
        [
            "用 76 的 model、batch、seq_len 与精度重新 profile。",
            "Profile again with the model, batch, seq_len and dtype of 76.",
        ],
    ),
    error(
        "upstream_one_workload",
        ["合并的 73 与 76 是否同一工作负载", "The merged 73 and 76 are one workload"],
        ["用同一配置重跑 73 与 76，再合并。", "Run 73 and 76 again with one configuration, then merge."],
    ),
    error(
        "upstream_one_run",
        ["合并的 75 是否由同一次 76 得出", "The merged 75 decides on the merged 76"],
        [
            "由所合并的 76 重新生成 75；不要混用两次运行。",
            "Generate 75 again from the 76 that is merged; do not mix two runs.",
        ],
    ),
    error(
        "upstream_decision_is_object",
        ["合并的结论是否为对象", "The merged decisions are objects"],
        [
            "先修正 75 的 decision（它的灵敏度循环复用了变量名），再合并。",
            "Mend the decision of 75 first (its sensitivity loop reuses the variable), then merge.",
        ],
    ),
    error(
        "linked_upstream_matches",
        ["合并的数字是否来自所附报告", "The merged numbers are those of the linked reports"],
        ["用所附的报告重新合并。", "Merge the linked reports again."],
    ),
    warning(
        "cited_hash_matches",
        ["按哈希引用的报告是否在场", "Reports cited by hash are at hand"],
        [
            "把被引用的原始文件一起提交；改写过的副本哈希不同。",
            "Hand in the cited file as it was; a rewritten copy has another hash.",
        ],
    ),
    warning(
        "gain_in_reach",
        ["要求的吞吐增益能否达到", "The gain in throughput that is asked for can be reached"],
        ["阈值改用相对值（如基线的 10%）。", "State the threshold relative to the baseline (10% of it, say)."],
    ),
    warning(
        "seeds_independent",
        ["种子是否给出独立的运行", "The seeds give independent runs"],
        [
            "让种子改变初始化、数据顺序或划分，每个种子一份报告，至少三个。",
            "Let the seed change initialisation, order of data or split; one report for each seed, three at least.",
        ],
    ),
    error(
        "quality_confounded",
        ["质量优势是否来自方法本身", "The advantage in quality is the method's"],
        [
            "给基线单独调学习率（通常小一到两个数量级），并写进 config。",
            "Tune the baseline's learning rate by itself (usually one or two orders smaller) and state it in config.",
        ],
    ),
    note(
        "baseline_repeated",
        ["候选里是否重复了 baseline", "No candidate repeats the baseline"],
        ["candidates 里只列候选，或说明它是副本。", "List candidates only, or say that it is a copy."],
    ),
    warning(
        "artifacts_apart",
        ["每个种子的产物是否分开存放", "Every seed keeps its artifacts apart"],
        ["路径里带上种子。", "Put the seed into the path."],
    ),
    error(
        "mechanism_correct",
        ["机制是否不改变结果", "The mechanism leaves the result as it is"],
        [
            "在相同输入与随机数下比较输出和输入梯度；checkpoint 需要恢复随机状态。",
            "Compare outputs and input gradients on equal inputs and random numbers; checkpointing has to restore the random state.",
        ],
    ),
    warning(
        "mechanism_saves",
        ["峰值是否真的下降", "The peak is really lower"],
        [
            "加大序列或层数，让激活成为峰值的主要部分；或释放前一次运行留下的显存。",
            "Use longer sequences or more layers, so that activations make the peak, or free what the run before left.",
        ],
    ),
    note(
        "start_recorded",
        ["是否记录了起始占用", "What was allocated at the start is recorded"],
        [
            "每次运行前释放梯度并写 allocated_before_mb，或每次用新进程。",
            "Free the gradients before each run and write allocated_before_mb, or use a fresh process for each.",
        ],
    ),
];
