//! The form of the file.

use serde_json::Value;

use super::sheet::Sheet;
use crate::import::FaultKind;
use crate::read::pointer_of;
use crate::{EvidenceClass, EvidenceLevel, Phrase, absolute_path};

/// Paths beyond this many are not listed one by one.
const MAX_PATHS: usize = 5;

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    faults(sheet);
    absolute_paths(sheet);
    level(sheet);
}

fn faults(sheet: &mut Sheet<'_>) {
    for fault in &sheet.doc.paper.faults {
        let (id, zh, en) = match fault.kind {
            FaultKind::NotANumber => {
                ("metric_not_a_number", "这里应是数字，读到的不是。", "A number belongs here; this is none.")
            }
            FaultKind::OutOfRange => {
                ("metric_out_of_range", "这个值在物理上不可能。", "This value is physically impossible.")
            }
            FaultKind::Unit => (
                "unit_of_memory",
                "`_mb` 字段的单位是 MiB；这个值大得像字节数。",
                "A field named `_mb` holds MiB; this value is as large as a count of bytes.",
            ),
            FaultKind::Type => (
                "field_type",
                "这个字段的类型不对，按未写处理。",
                "This field has the wrong type and is taken as absent.",
            ),
            FaultKind::Name => (
                "candidate_name",
                "候选没有自己的名称，不参与比较。",
                "This candidate has no name of its own and is left out.",
            ),
            FaultKind::Status => {
                ("status_word", "不认识的状态，按失败处理。", "An unknown status is taken as a failure.")
            }
        };
        sheet.fail(id, &fault.pointer, fault.expected.clone(), fault.found.clone(), Phrase::new(zh, en));
    }
    let places = sheet.doc.paper.places.len();
    if places > 0 && !sheet.has_failed("metric_not_a_number") && !sheet.has_failed("metric_out_of_range") {
        sheet.pass(
            "metric_not_a_number",
            "",
            format!("{places} 个候选的指标都是合理范围内的数字。"),
            format!("The metrics of {places} of {places} candidates are numbers in their range."),
        );
    }
}

fn absolute_paths(sheet: &mut Sheet<'_>) {
    let mut found = Vec::new();
    collect_paths(sheet.raw(), &mut Vec::new(), &mut found);
    let total = found.len();
    for (pointer, path) in found.into_iter().take(MAX_PATHS) {
        let more = if total > MAX_PATHS { total } else { 0 };
        let message = if more > 0 {
            Phrase::new(
                format!("这里写了某台机器上的绝对路径（全文共 {more} 处）。"),
                format!("An absolute path of one machine stands here ({more} in the file)."),
            )
        } else {
            Phrase::new("这里写了某台机器上的绝对路径。", "An absolute path of one machine stands here.")
        };
        sheet.fail("absolute_path", &pointer, Phrase::new("相对路径", "a relative path"), Phrase::plain(path), message);
    }
    if total == 0 {
        sheet.pass("absolute_path", "", "没有本机绝对路径。", "No absolute path of a machine.");
    }
}

fn collect_paths(value: &Value, path: &mut Vec<String>, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => {
            if let Some(absolute) = absolute_path(text) {
                found.push((pointer_of(path), absolute));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                collect_paths(item, path, found);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                path.push(key.clone());
                collect_paths(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn level(sheet: &mut Sheet<'_>) {
    let Some(word) = sheet.doc.paper.level_word.as_deref() else { return };
    let pointer = if sheet.raw().get("evidence_level").is_some() { "/evidence_level" } else { "/level" };
    let own = EvidenceLevel::ALL.iter().map(|level| level.id()).collect::<Vec<_>>().join(" | ");
    let Some(level) = EvidenceLevel::from_word(word) else {
        let message = Phrase::new(
            "证据等级不在封闭词表里，无法归类。",
            "The evidence level is no word of the closed list and cannot be placed.",
        );
        sheet.fail("level_word", pointer, Phrase::plain(own), Phrase::plain(word), message);
        return;
    };
    if level.needs_gpu() && sheet.class == EvidenceClass::Cpu {
        let message = Phrase::new(
            "报告声称 GPU 级别的证据，但设备是 CPU：按 CPU 证据处理。",
            "The report claims a level of GPU evidence, but its device is a CPU: it counts as CPU evidence.",
        );
        sheet.fail("level_matches_device", pointer, Phrase::plain("≤ cpu_benchmark"), Phrase::plain(word), message);
    } else {
        sheet.pass(
            "level_word",
            pointer,
            format!("证据等级 {word} 归为 {}。", level.id()),
            format!("The level {word} is {} in the closed list.", level.id()),
        );
    }
}
