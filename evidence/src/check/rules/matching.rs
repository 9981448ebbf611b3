//! Device, configuration, and whether linked runs are the same workload.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    warning(
        "device_named",
        ["是否写明设备", "The report names its device"],
        [
            "在 config.device 写 torch.cuda.get_device_name(0) 的结果；没有设备名的数字不归入 GPU 证据。",
            "Write torch.cuda.get_device_name(0) into config.device; numbers without a device are not GPU evidence.",
        ],
    ),
    warning(
        "device_is_gpu",
        ["测量设备是否为 GPU", "The device is a GPU"],
        [
            "CPU 上的数字只得 CPU 可确认部分；GPU 部分需要在 GPU 上重测。",
            "Numbers from a CPU earn the CPU-provable part only; measure again on a GPU for the rest.",
        ],
    ),
    warning(
        "device_agrees",
        ["各处写的设备是否一致", "All places name the same device"],
        [
            "让 config.device、experiment.device 与预检信息来自同一次运行。",
            "Let config.device, experiment.device and the preflight come from the same run.",
        ],
    ),
    error(
        "config_complete",
        ["工作负载字段是否齐全", "The workload is stated completely"],
        [
            "补全 model_id、batch_size、seq_len、dtype、optimizer、warmup、iters。",
            "State model_id, batch_size, seq_len, dtype, optimizer, warmup and iters.",
        ],
    ),
    warning(
        "workload_named",
        ["预算报告是否写明工作负载", "The budget report names its workload"],
        [
            "把 76 的 config 复制到 experiment，或与 76 报告一起提交。",
            "Copy the config of 76 into experiment, or hand in the 76 report beside it.",
        ],
    ),
    warning(
        "workload_label_agrees",
        ["workload 名称与形状是否一致", "The workload's label fits its shape"],
        [
            "改回该名称规定的 batch/seq/warmup/iters，或换一个名称。",
            "Use the batch, seq, warmup and iters of that label, or another label.",
        ],
    ),
    warning(
        "dtype_label",
        ["参数精度与计算精度是否分开写", "Parameter and compute dtype are stated apart"],
        [
            "分别写 param_dtype 与 compute_dtype：autocast 下权重、梯度和 Adam 状态仍是 FP32。",
            "State param_dtype and compute_dtype: under autocast weights, gradients and Adam state stay FP32.",
        ],
    ),
    warning(
        "native_bf16",
        ["BF16 是否为硬件原生", "BF16 is native to the device"],
        [
            "原生不支持 BF16 的卡请改用 FP16，模拟的 BF16 计时没有意义。",
            "Use FP16 on a card without native BF16; timing emulated BF16 says nothing.",
        ],
    ),
    note(
        "matmul_precision",
        ["FP32 矩阵乘的精度设置", "The precision of FP32 products is recorded"],
        [
            "记录 torch.get_float32_matmul_precision() 或 allow_tf32：TF32 会改变 FP32 基线的速度。",
            "Record torch.get_float32_matmul_precision() or allow_tf32: TF32 changes the speed of an FP32 baseline.",
        ],
    ),
    error(
        "baseline_link",
        ["76 是否指明它的 73 基线", "The 76 report names its 73 baseline"],
        [
            "写 source_baseline 与 baseline_validation，并把 73 报告一起提交。",
            "Write source_baseline and baseline_validation, and hand in the 73 report with it.",
        ],
    ),
    error(
        "baseline_validation_agrees",
        ["baseline_validation 与 config 是否一致", "baseline_validation equals the configuration"],
        ["用相同的工作负载重跑 73，再生成 76。", "Run 73 with the same workload, then 76 again."],
    ),
    error(
        "linked_baseline_matches",
        ["73 与 76 的工作负载逐项一致", "The linked 73 has the same workload, field by field"],
        ["以同样的配置重跑 73，或改用匹配的 73 报告。", "Run 73 with this configuration, or link the 73 that matches."],
    ),
    warning(
        "linked_environment_matches",
        ["73 与 76 的设备和软件版本一致", "The linked report ran on the same device and software"],
        [
            "在同一设备、同一 torch 版本上重测其中一个。",
            "Measure one of the two again on the same device and torch version.",
        ],
    ),
    error(
        "linked_source_matches",
        ["75 的数字是否来自所附的 76", "The numbers of 75 are those of the linked 76"],
        [
            "用所附的 76 重新生成 75；不要混用两次运行的数字。",
            "Generate 75 from the linked 76; do not mix the numbers of two runs.",
        ],
    ),
    warning(
        "linked_runs_recorded",
        ["所附 76 是否有三次重复", "The linked 76 has three runs per candidate"],
        ["76 设 REPEATS = 3 重跑后再做预算决策。", "Run 76 with REPEATS = 3 before deciding the budget."],
    ),
    note(
        "duplicate_configuration",
        ["是否有配置完全相同的另一份报告", "No other report has this very configuration"],
        [
            "文件名不同不等于实验不同；把它们当作同一配置的重复。",
            "A different file name is no different experiment: treat them as repeats of one configuration.",
        ],
    ),
    warning(
        "planning_agrees",
        ["预算上限与硬件目标是否一致", "The cap fits the planned hardware"],
        [
            "memory_cap_mb 取 hardware_target.usable_memory_mb，或说明为何不同。",
            "Take hardware_target.usable_memory_mb as memory_cap_mb, or say why it differs.",
        ],
    ),
    warning(
        "preflight_agrees",
        ["预检结果与测量是否矛盾", "The preflight does not contradict the numbers"],
        [
            "预检为 blocked 时不应有测量值；重新预检并重测。",
            "A blocked preflight and measured numbers exclude each other; run both again.",
        ],
    ),
    error(
        "strategies_agree",
        ["config.strategies 与候选是否一致", "The candidates are those that config.strategies lists"],
        ["每个声明的策略都要有一条候选记录；OOM 也要写成记录。", "Every listed strategy needs its record, an OOM too."],
    ),
];
