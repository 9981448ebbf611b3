//! The form of the file: keys, types, names, paths, words.

use super::{Rule, error, note, warning};

pub(super) const RULES: &[Rule] = &[
    error(
        "readable",
        ["文件能否读取", "The file can be read"],
        ["按提示修正文件后重新提交。", "Correct the file as the message says and hand it in again."],
    ),
    error(
        "field_type",
        ["配置与预算字段的类型", "Types of configuration and budget fields"],
        [
            "写成所要求的类型；没有测到的值写 null 或省略。",
            "Write the expected type; leave out or write null what was not measured.",
        ],
    ),
    error(
        "metric_not_a_number",
        ["指标是否为数字", "Every metric is a number"],
        [
            "写成 JSON 数字；布尔值和字符串不是测量值。",
            "Write a JSON number; a boolean or a string is not a measurement.",
        ],
    ),
    error(
        "metric_out_of_range",
        ["指标是否在可能的范围内", "Every metric lies in its possible range"],
        [
            "时间、吞吐和显存必须大于 0；未测到就写 null。",
            "Times, rates and memory are above 0; write null for what was not measured.",
        ],
    ),
    error(
        "unit_of_memory",
        ["`*_mb` 字段的单位是 MiB", "Fields named `*_mb` hold MiB"],
        ["把字节数除以 1024² 再写入 `*_mb` 字段。", "Divide bytes by 1024² before writing a `*_mb` field."],
    ),
    error(
        "candidate_name",
        ["候选名称存在且不重复", "Every candidate has a name of its own"],
        ["给每个候选一个不同的非空 name。", "Give every candidate a non-empty name of its own."],
    ),
    warning(
        "status_word",
        ["候选状态用词", "The word for a candidate's status"],
        ["status 写 ok、oom、partial_oom 或 failed。", "Write ok, oom, partial_oom or failed."],
    ),
    warning(
        "absolute_path",
        ["是否含有本机绝对路径", "No absolute path of a machine"],
        [
            "改写成相对项目根目录的路径；绝对路径暴露机器且在别处无效。",
            "Write the path relative to the project; an absolute one reveals the machine and works nowhere else.",
        ],
    ),
    error(
        "decision_is_object",
        ["decision 的类型", "The decision is an object"],
        [
            "decision 写成 {decision, reason, next_action}；常见原因是灵敏度循环复用了变量名 decision，保存的是最后一个场景。",
            "Write {decision, reason, next_action}; a common cause is a sensitivity loop that reuses the variable name, so that the last scenario is saved.",
        ],
    ),
    error(
        "decision_word",
        ["decision 的用词", "The word of the decision"],
        ["结论只用 accept、tune、reject。", "Conclude with accept, tune or reject."],
    ),
    error(
        "decision_present",
        ["是否给出结论", "The report concludes something"],
        ["补上 decision 对象：结论、原因、下一步。", "Add the decision object: word, reason, next step."],
    ),
    note(
        "level_word",
        ["证据等级用词", "The word for the evidence level"],
        [
            "evidence_level 用封闭词表：theoretical、cpu_simulation、cpu_benchmark、preflight、gpu_smoke、gpu_benchmark、serving_backend、profiler_trace、multi_gpu。",
            "Use the closed list: theoretical, cpu_simulation, cpu_benchmark, preflight, gpu_smoke, gpu_benchmark, serving_backend, profiler_trace, multi_gpu.",
        ],
    ),
    warning(
        "level_matches_device",
        ["证据等级与设备是否一致", "The level fits the device"],
        ["设备不是 GPU 时，等级最高写 cpu_benchmark。", "Without a GPU the level is cpu_benchmark at most."],
    ),
    error(
        "dry_run",
        ["是否只是预检或干跑", "It is a measurement, not a dry run"],
        [
            "打开真实运行开关，测完后提交新文件；预检文件不算证据。",
            "Switch the real run on and hand in the new file; a preflight is no evidence.",
        ],
    ),
    error(
        "measured_something",
        ["是否有测量值", "Something was measured"],
        [
            "至少要有一个候选的测量值，或一条 OOM 边界记录。",
            "At least one candidate needs a measured number, or an OOM as a boundary record.",
        ],
    ),
    error(
        "lab_known",
        ["报告属于哪个实验", "The report belongs to a lab"],
        ["把 lab 写成目录中的实验编号。", "Write the id of a lab of the catalogue into lab."],
    ),
    error(
        "shape_recognised",
        ["报告形状是否可识别", "The shape of this report is known"],
        [
            "补上缺少的字段，或按 /schema/report-v1.json 写报告。",
            "Add the missing fields, or write a report after /schema/report-v1.json.",
        ],
    ),
    error(
        "shape_graded",
        ["该报告形状是否已可评分", "This shape of report can be graded"],
        [
            "这种形状目前只能识别；可评分的形状列在上面。",
            "This shape is recognised only; those that are graded are listed above.",
        ],
    ),
];
