//! Whether the workload is stated, and stated without ambiguity.

use serde_json::Value;

use super::sheet::Sheet;
use crate::import::{dtype_id, setting};
use crate::read::Locate as _;
use crate::stage::Stage;
use crate::{EvidenceClass, Phrase, Shape};

/// A field of the workload, and the names it may have.
type Field = (&'static str, &'static [&'static str]);

const REQUIRED: [Field; 7] = [
    ("model_id", &["model_id", "model"]),
    ("batch_size", &["batch_size"]),
    ("seq_len", &["seq_len"]),
    ("dtype", &["param_dtype", "dtype"]),
    ("optimizer", &["optimizer"]),
    ("warmup", &["warmup"]),
    ("iters", &["iters"]),
];

/// A profile is of the workload of its 76, which states the optimizer.
const PROFILE: [Field; 6] = [REQUIRED[0], REQUIRED[1], REQUIRED[2], REQUIRED[3], REQUIRED[5], REQUIRED[6]];

/// What a fine-tuning run needs to be run again.
const FINE_TUNING: [Field; 8] = [
    REQUIRED[0],
    REQUIRED[1],
    REQUIRED[2],
    REQUIRED[3],
    REQUIRED[4],
    ("steps", &["steps", "iters", "max_steps"]),
    ("seed", &["seed"]),
    ("learning_rate", &["learning_rate", "lr"]),
];

fn required(stage: Option<Stage>) -> &'static [Field] {
    match stage {
        Some(Stage::Profile) => &PROFILE,
        Some(Stage::FineTuning) => &FINE_TUNING,
        // A merge repeats other reports, and each mechanism page has a toy of its own.
        Some(Stage::Merge | Stage::Change | Stage::Mechanism) | None => &[],
        _ => &REQUIRED,
    }
}

/// Shapes of the course's labels: lab, label, batch, seq, warm-up, iterations. `smoke` differs between 73 and 76.
const LABELS: [(bool, &str, [u64; 4]); 6] = [
    (true, "smoke", [1, 256, 2, 5]),
    (true, "pressure", [1, 768, 2, 5]),
    (true, "pressure_1024", [1, 1024, 2, 5]),
    (false, "smoke", [1, 512, 2, 5]),
    (false, "pressure", [1, 768, 2, 5]),
    (false, "pressure_1024", [1, 1024, 2, 5]),
];

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    if sheet.doc.shape == Shape::V1 || sheet.training().is_none() {
        return;
    }
    complete(sheet);
    label(sheet);
    dtype_label(sheet);
    matmul_precision(sheet);
    strategies(sheet);
    planning(sheet);
}

fn complete(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let required = required(sheet.doc.stage());
    if required.is_empty() || crate::import::states_nothing(sheet.doc.shape, raw) {
        return;
    }
    let budget_report = sheet.doc.is_stage(Stage::Budget);
    let stated = ["/config", "/experiment"].iter().any(|home| {
        raw.locate(home).and_then(Value::as_object).is_some_and(|block| block.values().any(|value| !value.is_null()))
    });
    if budget_report && !stated {
        let message = Phrase::new(
            "预算报告没有写模型、形状和设备：看不出这些数字属于哪个工作负载。",
            "The budget report states no model, shape or device: nobody can tell which workload the numbers belong to.",
        );
        let found = Phrase::new("没有 config 或 experiment", "no config or experiment");
        sheet.fail("workload_named", "/experiment", Phrase::new("76 的 config", "the config of 76"), found, message);
        return;
    }
    let home = if raw.get("config").is_some() || !budget_report { "/config" } else { "/experiment" };
    let missing: Vec<&str> =
        required.iter().filter(|(_, names)| setting(raw, names).is_none()).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        let total = required.len();
        let (zh, en) =
            (format!("工作负载的 {total} 个字段都写了。"), format!("All {total} fields of the workload are stated."));
        sheet.pass("config_complete", home, zh, en);
    } else {
        let list = missing.join(", ");
        let message = Phrase::new(
            format!("缺少 {list}：缺字段的工作负载不能与别的运行比较。"),
            format!("{list} missing: a workload with a gap cannot be compared with another run."),
        );
        let pointer = format!("{home}/{}", missing[0]);
        let expected = Phrase::plain(required.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "));
        sheet.fail(
            "config_complete",
            &pointer,
            expected,
            Phrase::new(format!("缺 {list}"), format!("without {list}")),
            message,
        );
    }
}

fn label(sheet: &mut Sheet<'_>) {
    let Some(training) = sheet.training() else { return };
    let Some(label) = training.label.as_deref() else { return };
    let is_73 = sheet.doc.stage().is_some_and(Stage::is_73);
    let Some((_, _, shape)) = LABELS.iter().find(|(lab, name, _)| *lab == is_73 && *name == label) else { return };
    let own = [training.batch, training.seq, training.warmup, training.iters];
    let keys = ["batch_size", "seq_len", "warmup", "iters"];
    for ((key, expected), found) in keys.iter().zip(shape).zip(own) {
        let Some(found) = found.filter(|found| found != expected) else { continue };
        let pointer = setting(sheet.raw(), &[key]).map_or_else(|| format!("/config/{key}"), |(pointer, _)| pointer);
        let message = Phrase::new(
            format!("workload 写的是 {label}，它规定 {key} = {expected}。"),
            format!("The workload is called {label}, which means {key} = {expected}."),
        );
        sheet.fail("workload_label_agrees", &pointer, expected.to_string(), found.to_string(), message);
    }
}

fn dtype_label(sheet: &mut Sheet<'_>) {
    let raw = sheet.raw();
    let stated_apart = setting(raw, &["param_dtype"]).is_some() && setting(raw, &["compute_dtype"]).is_some();
    let dtype = setting(raw, &["dtype"]).and_then(|(pointer, value)| Some((pointer, dtype_id(value.as_str()?))));
    let amp = setting(raw, &["amp_dtype"]).and_then(|(_, value)| Some(dtype_id(value.as_str()?)));
    let (Some((pointer, dtype)), Some(amp)) = (dtype, amp) else { return };
    if stated_apart || dtype == amp {
        return;
    }
    let message = Phrase::new(
        format!(
            "dtype 写 {dtype}，amp_dtype 写 {amp}：前者是参数精度，后者是计算精度，一个标签会掩盖另一个。权重、梯度和 Adam 状态仍是 {dtype}。"
        ),
        format!(
            "dtype is {dtype} and amp_dtype {amp}: one is the parameters' dtype, the other the computation's, and either label hides the other. Weights, gradients and Adam state stay {dtype}."
        ),
    );
    sheet.fail(
        "dtype_label",
        &pointer,
        Phrase::plain("param_dtype, compute_dtype"),
        Phrase::plain(format!("dtype {dtype}, amp_dtype {amp}")),
        message,
    );
}

fn matmul_precision(sheet: &mut Sheet<'_>) {
    let Some(training) = sheet.training() else { return };
    let times_fp32 = training.compute_dtype.as_deref() == Some("fp32") && !sheet.doc.paper.places.is_empty();
    // 75 copies its numbers; the setting belongs into the report that measured them.
    if !times_fp32 || sheet.class != EvidenceClass::Gpu || sheet.doc.is_stage(Stage::Budget) {
        return;
    }
    if training.matmul_precision.is_none() {
        let message = Phrase::new(
            "没有记录 TF32 设置：FP32 基线的速度取决于它。",
            "The TF32 setting is not recorded: the speed of an FP32 baseline depends on it.",
        );
        sheet.fail(
            "matmul_precision",
            "/config/matmul_precision",
            Phrase::plain("ieee | tf32"),
            Phrase::new("未记录", "not recorded"),
            message,
        );
    }
}

fn strategies(sheet: &mut Sheet<'_>) {
    let Some(Value::Array(listed)) = sheet.value("/config/strategies") else { return };
    let names: Vec<&str> = sheet.doc.report.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    for (index, strategy) in listed.iter().enumerate().take(100) {
        let Some(strategy) = strategy.as_str() else {
            let message = Phrase::new("策略写它的名称。", "A strategy is listed by its name.");
            let pointer = format!("/config/strategies/{index}");
            let expected = Phrase::new("字符串", "a string");
            sheet.fail("strategies_agree", &pointer, expected, crate::import::describe(strategy), message);
            continue;
        };
        if !names.contains(&strategy) {
            let message = Phrase::new(
                format!("声明了策略 {strategy}，却没有它的候选记录。"),
                format!("The strategy {strategy} is listed, but has no record among the candidates."),
            );
            let pointer = format!("/config/strategies/{index}");
            sheet.fail("strategies_agree", &pointer, Phrase::plain(names.join(", ")), Phrase::plain(strategy), message);
        }
    }
}

fn planning(sheet: &mut Sheet<'_>) {
    let usable = sheet.value("/planning_context/hardware_target/usable_memory_mb").and_then(Value::as_f64);
    let cap = sheet.value("/budget/memory_cap_mb").and_then(Value::as_f64);
    if let (Some(usable), Some(cap)) = (usable, cap)
        && (usable - cap).abs() > 0.5
    {
        let message = Phrase::new(
            format!("硬件目标可用 {usable} MiB，预算上限却是 {cap} MiB。"),
            format!("The planned hardware leaves {usable} MiB, the cap is {cap} MiB."),
        );
        sheet.fail(
            "planning_agrees",
            "/budget/memory_cap_mb",
            Phrase::plain(usable.to_string()),
            Phrase::plain(cap.to_string()),
            message,
        );
    }
}
