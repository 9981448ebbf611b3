//! Continual learning: a replay buffer, modules that are added, statistics of old tasks.

use super::{
    Answer, Calculator, Given,
    distillation::{recipe, recipe_bytes},
};
use crate::{
    Text,
    calculators::{
        Sheet,
        input::{choice, whole},
    },
    formula::{b, n},
};

pub(super) fn calculator() -> Calculator {
    Calculator {
        id: "continual_learning",
        name: Text::new("持续学习：回放与增长的模块", "Continual learning: replay and growing modules"),
        inputs: vec![
            whole("parameters", ("共用主干的参数", "Parameters of the shared trunk"), "", 1_235_814_400, 1, 1 << 42),
            recipe(),
            whole("tasks", ("任务数", "Tasks"), "", 10, 1, 10_000),
            whole("module", ("每个任务新增的参数", "Parameters added per task"), "", 11_272_192, 0, 1 << 42),
            whole("samples", ("每个任务保留的样本", "Samples kept per task"), "", 1000, 0, 1 << 32),
            whole("sample_bytes", ("一个样本", "One sample"), "B", 8192, 1, 1 << 40),
            choice(
                "old_tasks",
                ("旧任务的约束", "What holds old tasks in place"),
                "fisher",
                vec![
                    ("none", ("无", "nothing")),
                    ("fisher", ("Fisher 对角与锚点（在线 EWC）", "Fisher diagonal and anchor (online EWC)")),
                    ("fisher_per_task", ("每个任务一份 Fisher 与锚点", "Fisher diagonal and anchor per task")),
                    ("teacher", ("BF16 旧模型作教师", "The old model in BF16 as a teacher")),
                ],
            ),
        ],
        compute,
    }
}

fn compute(given: &Given) -> Answer {
    let (parameters, tasks, module) = (given.whole("parameters")?, given.whole("tasks")?, given.whole("module")?);
    let mut sheet = Sheet::default();
    let trunk =
        sheet.bytes("trunk", ("主干的训练状态", "States of the trunk"), n(parameters) * b(recipe_bytes(given)?))?;
    let current = sheet.bytes(
        "module",
        ("当前模块的训练状态", "States of the current module"),
        n(module) * b(recipe_bytes(given)?),
    )?;
    let old =
        sheet.bytes("modules", ("旧模块，冻结，BF16", "Old modules, frozen, BF16"), n(tasks - 1) * n(module) * b(2))?;
    let buffer = sheet.bytes(
        "replay",
        ("回放缓冲区", "Replay buffer"),
        n(tasks) * n(given.whole("samples")?) * n(given.whole("sample_bytes")?),
    )?;
    let past = match given.choice("old_tasks")? {
        "fisher" => n(2) * n(parameters) * b(4),
        "fisher_per_task" => n(tasks - 1) * n(2) * n(parameters) * b(4),
        "teacher" => n(parameters) * b(2),
        _ => n(0),
    };
    let past = sheet.bytes("old_tasks", ("旧任务的约束", "What holds old tasks in place"), past)?;
    let card = sheet.bytes(
        "card",
        ("显存合计，不含激活", "On the card, without activations"),
        n(trunk) + n(current) + n(old) + n(past),
    )?;
    sheet.ratio("growth", ("相对于第一个任务", "Compared with the first task"), card, trunk + current);
    sheet.bytes("host", ("主机：回放缓冲区", "On the host: the replay buffer"), n(buffer))?;
    sheet.assume(
        "回放缓冲区放在主机内存，按批取回",
        "The replay buffer lies in host memory and is fetched batch by batch",
    );
    sheet.assume(
        "旧模块冻结、只为推理保留；主干始终参与训练",
        "Old modules are frozen and kept for inference; the trunk is trained all along",
    );
    sheet.assume(
        "Fisher 与锚点为 FP32；任务之间的碎片不计",
        "Fisher statistics and anchors are FP32; fragmentation between tasks is left out",
    );
    Ok(sheet)
}
