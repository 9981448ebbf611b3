//! Whether the reports a report builds on are of the same workload.

use serde_json::Value;

use super::sheet::Sheet;
use crate::import::{Metric, dtype_id, mib, setting};
use crate::stage::Stage;
use crate::{Document, Phrase, Shape, Workload};

/// Fields that make two training runs the same workload, under each of their names.
pub(super) const WORKLOAD: [(&str, &[&str]); 8] = [
    ("model_id", &["model_id", "model"]),
    ("batch_size", &["batch_size"]),
    ("seq_len", &["seq_len"]),
    ("dtype", &["param_dtype", "dtype"]),
    ("optimizer", &["optimizer"]),
    ("workload", &["workload"]),
    ("warmup", &["warmup"]),
    ("iters", &["iters"]),
];
const ENVIRONMENT: [(&str, &[&str]); 2] = [("device", &["device"]), ("torch", &["torch"])];

pub(super) fn examine(sheet: &mut Sheet<'_>) {
    match sheet.doc.stage() {
        Some(Stage::Strategies) => {
            baseline_link(sheet);
            baseline_validation(sheet);
            linked_baseline(sheet);
        }
        Some(Stage::Profile) => super::linked_profile::examine(sheet),
        _ if sheet.doc.is_of(Stage::Budget) => linked_source(sheet),
        _ => {}
    }
    duplicate_configuration(sheet);
}

/// A setting as text, so that 2 and 2.0, `float32` and `torch.float32` are equal.
fn normal(value: &Value) -> String {
    match value {
        Value::String(text) => dtype_id(text.trim()),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        other => other.to_string(),
    }
}

fn stated(raw: &Value, names: &[&str]) -> Option<String> {
    setting(raw, names).map(|(_, value)| normal(value))
}

pub(super) fn as_written(raw: &Value, names: &[&str]) -> String {
    match setting(raw, names) {
        Some((_, Value::String(text))) => text.clone(),
        Some((_, value)) => value.to_string(),
        None => "null".to_owned(),
    }
}

fn is_bf16(doc: &Document) -> bool {
    let raw = &doc.raw;
    // A normalised copy has no mode, and its one dtype is that of the computation.
    if doc.shape == Shape::TrainingMemoryV1 {
        return matches!(&doc.report.workload, Workload::Training(own) if own.compute_dtype.as_deref() == Some("bf16"));
    }
    setting(raw, &["mode"]).is_some_and(|(_, mode)| mode == "bf16" || mode == "bf16_probe")
        || setting(raw, &["mode"]).is_none()
            && stated(raw, &["compute_dtype", "amp_dtype"]).is_some_and(|dtype| dtype == "bf16")
}

fn baseline_link(sheet: &mut Sheet<'_>) {
    let named = sheet.text("/source_baseline").is_some();
    let validated = sheet.value("/baseline_validation").is_some();
    if named || validated || chosen_baseline(sheet).is_some() {
        sheet.pass("baseline_link", "/source_baseline", "指明了 73 基线。", "The 73 baseline is named.");
        return;
    }
    let message = Phrase::new(
        "没有指明 73 基线：无法确认基线与候选是同一工作负载。",
        "No 73 baseline is named: nobody can see that baseline and candidates are one workload.",
    );
    sheet.fail(
        "baseline_link",
        "/source_baseline",
        Phrase::plain("source_baseline, baseline_validation"),
        Phrase::new("都没有", "neither"),
        message,
    );
}

fn baseline_validation(sheet: &mut Sheet<'_>) {
    let Some(block) = sheet.value("/baseline_validation") else { return };
    let status = block.get("status").and_then(Value::as_str);
    if status != Some("matched") {
        let message =
            Phrase::new("报告自己说基线没有对上。", "The report itself says that the baseline does not match.");
        sheet.fail(
            "baseline_validation_agrees",
            "/baseline_validation/status",
            "matched",
            status.unwrap_or("null"),
            message,
        );
    }
    let mut compared = 0;
    for (key, names) in WORKLOAD.iter().chain([&("amp_dtype", &["amp_dtype"] as &[&str])]) {
        let there = names.iter().find_map(|name| block.get("config")?.get(*name)).filter(|value| !value.is_null());
        let (Some(there), Some((_, here))) = (there, setting(sheet.raw(), names)) else { continue };
        compared += 1;
        if normal(there) != normal(here) {
            let message = Phrase::new(
                format!("基线验证记的 {key} 是 {there}，本报告的是 {here}。"),
                format!("The validated baseline has {key} = {there}, this report {here}."),
            );
            let pointer = format!("/baseline_validation/config/{key}");
            sheet.fail("baseline_validation_agrees", &pointer, here.to_string(), there.to_string(), message);
        }
    }
    if compared == 0 && block.get("config").is_some_and(|config| !config.is_null()) {
        let message = Phrase::new(
            "基线验证的 config 里没有一个可以比较的字段。",
            "The config of the validated baseline holds no field that can be compared.",
        );
        let expected = WORKLOAD.map(|(key, _)| key).join(", ");
        let found = block.get("config").map_or_else(Phrase::default, crate::import::describe);
        sheet.fail("baseline_validation_agrees", "/baseline_validation/config", expected, found, message);
    }
    if compared > 0 && !sheet.has_failed("baseline_validation_agrees") {
        sheet.pass(
            "baseline_validation_agrees",
            "/baseline_validation",
            format!("基线验证的 {compared} 个字段与 config 一致。"),
            format!("{compared} of {compared} fields of the validated baseline equal config."),
        );
    }
}

/// The fields in which two reports differ. What the normaliser drops or blurs tells nothing about a difference; the
/// checks of the copy itself say so.
pub(super) fn mismatches(
    a: &Document,
    b: &Document,
    fields: &[(&'static str, &'static [&'static str])],
) -> Vec<(&'static str, &'static [&'static str])> {
    let blurred = |doc: &Document, key: &str, names: &[&str]| {
        let no_dtype = || matches!(&doc.report.workload, Workload::Training(own) if own.param_dtype.is_none());
        doc.shape == Shape::TrainingMemoryV1 && (stated(&doc.raw, names).is_none() || key == "dtype" && no_dtype())
    };
    fields
        .iter()
        .filter(|(key, names)| {
            stated(&a.raw, names) != stated(&b.raw, names) && !blurred(a, key, names) && !blurred(b, key, names)
        })
        .copied()
        .collect()
}

/// The linked 73 that this 76 builds on: of the right kind if there is one, then with the fewest differences.
fn chosen_baseline<'a>(sheet: &Sheet<'a>) -> Option<&'a Document> {
    let is_73 = |doc: &Document| doc.stage().is_some_and(Stage::is_73);
    if let Some(cited) = super::cited::find(sheet, is_73) {
        return Some(cited);
    }
    let bf16 = is_bf16(sheet.doc);
    sheet.linked.iter().copied().filter(|doc| is_73(doc) && doc.sha256 != sheet.doc.sha256).min_by_key(|doc| {
        let wrong_kind = doc.is_stage(Stage::Probe) != bf16;
        (wrong_kind, mismatches(sheet.doc, doc, &WORKLOAD).len())
    })
}

fn linked_baseline(sheet: &mut Sheet<'_>) {
    let Some(linked) = chosen_baseline(sheet) else { return };
    let bf16 = is_bf16(sheet.doc);
    if linked.is_stage(Stage::Probe) != bf16 {
        let (expected, found) = if bf16 { ("bf16_probe", "paired") } else { ("paired", "bf16_probe") };
        let message = Phrase::new(
            format!("所附的 73 是 {found}，这里需要 {expected}。"),
            format!("The linked 73 is {found}; {expected} is needed here."),
        );
        sheet.fail("linked_baseline_matches", "/config/mode", expected, found, message);
    }
    compare(sheet, linked, "linked_baseline_matches", "73");
}

/// Compares workload and environment with a linked report, field by field.
fn compare(sheet: &mut Sheet<'_>, linked: &Document, id: &str, lab: &str) {
    let raw = sheet.raw();
    for (check, fields) in [(id, &WORKLOAD[..]), ("linked_environment_matches", &ENVIRONMENT[..])] {
        let different = mismatches(sheet.doc, linked, fields);
        for (key, names) in &different {
            let (here, there) = (as_written(raw, names), as_written(&linked.raw, names));
            // An older file that does not state its device or version is told so elsewhere.
            if check == "linked_environment_matches" && (here == "null" || there == "null") {
                continue;
            }
            let pointer = setting(raw, names).map_or_else(|| format!("/config/{key}"), |(pointer, _)| pointer);
            let message = if *key == "seq_len" && stated(raw, &["workload"]).as_deref() == Some("smoke") {
                Phrase::new(
                    format!(
                        "本报告的 seq_len 是 {here}，所附的 {lab} 是 {there}：smoke 在 73 是 256，在 76 是 512，永远对不上。"
                    ),
                    format!(
                        "seq_len is {here} here and {there} in the linked {lab}: smoke means 256 in 73 and 512 in 76 and can never match."
                    ),
                )
            } else {
                Phrase::new(
                    format!("本报告的 {key} 是 {here}，所附的 {lab} 是 {there}：不是同一口径。"),
                    format!("{key} is {here} here and {there} in the linked {lab}: not the same workload."),
                )
            };
            sheet.fail(check, &pointer, Phrase::plain(there), Phrase::plain(here), message);
        }
        if check == id && different.is_empty() && !sheet.has_failed(id) {
            let total = fields.len();
            // A field that neither states does not match; the check of the configuration asks for it.
            let both = fields.iter().filter(|(_, names)| stated(raw, names).is_some()).count();
            sheet.pass(
                id,
                "/config",
                format!("与所附的 {lab} 对上：{total} 个字段中 {both} 个写明且一致。"),
                format!("Matched to the linked {lab}: {both} of {total} fields."),
            );
        }
    }
}

/// Fields of the workload in which two reports differ.
pub(super) fn workload_mismatches(a: &Document, b: &Document) -> Vec<&'static str> {
    mismatches(a, b, &WORKLOAD)
        .into_iter()
        .filter(|(_, names)| stated(&a.raw, names).is_some() && stated(&b.raw, names).is_some())
        .map(|(key, _)| key)
        .collect()
}

fn equal_peaks(a: &Document, b: &Document) -> usize {
    a.report
        .candidates
        .iter()
        .filter(|candidate| {
            let peak = candidate.metrics.peak_allocated_bytes.map(mib);
            let other =
                b.report.candidate(&candidate.name).and_then(|other| other.metrics.peak_allocated_bytes).map(mib);
            peak.zip(other).is_some_and(|(a, b)| (a - b).abs() < 0.011)
        })
        .count()
}

/// The linked 76 whose numbers this 75 decides on: the one that shares peaks, or states the same workload.
pub(super) fn source<'a>(sheet: &Sheet<'a>) -> Option<&'a Document> {
    if let Some(cited) = super::cited::find(sheet, |doc| doc.is_of(Stage::Strategies)) {
        return Some(cited);
    }
    let states_workload = stated(sheet.raw(), &["seq_len"]).is_some();
    sheet
        .linked
        .iter()
        .copied()
        .filter(|doc| doc.is_of(Stage::Strategies))
        .map(|doc| {
            let same = states_workload && mismatches(sheet.doc, doc, &WORKLOAD[..5]).is_empty();
            (equal_peaks(sheet.doc, doc), same, doc)
        })
        .filter(|(peaks, same, _)| *peaks > 0 || *same)
        .max_by_key(|(peaks, same, _)| (*peaks, *same))
        .map(|(_, _, doc)| doc)
}

fn linked_source(sheet: &mut Sheet<'_>) {
    let Some(linked) = source(sheet) else { return };
    let mut compared = 0;
    for (candidate, place) in sheet.candidates() {
        let Some(other) = linked.report.candidate(&candidate.name) else {
            let message = Phrase::new(
                format!("所附的 76 里没有候选 {}。", candidate.name),
                format!("The linked 76 has no candidate {}.", candidate.name),
            );
            sheet.fail(
                "linked_source_matches",
                &place.pointer,
                Phrase::new("76 的候选", "a candidate of 76"),
                candidate.name.as_str(),
                message,
            );
            continue;
        };
        let (here, there) = (&candidate.metrics, &other.metrics);
        let pairs = [
            (Metric::Allocated, here.peak_allocated_bytes.map(mib), there.peak_allocated_bytes.map(mib), 0.011),
            (Metric::SamplesPerS, here.samples_per_s, there.samples_per_s, 0.0011),
            (Metric::EvalLoss, candidate.quality.eval_loss, other.quality.eval_loss, 0.0011),
        ];
        for (metric, here, there, tolerance) in pairs {
            let (Some(here), Some(there)) = (here, there) else { continue };
            compared += 1;
            if (here - there).abs() > tolerance {
                let pointer = place.metric(metric);
                let message = Phrase::new(
                    format!("{} 的这个数与所附的 76 不同：两次运行的数字混在了一起。", candidate.name),
                    format!(
                        "This number of {} differs from the linked 76: numbers of two runs are mixed.",
                        candidate.name
                    ),
                );
                sheet.fail(
                    "linked_source_matches",
                    &pointer,
                    super::sheet::short(there, 6),
                    super::sheet::short(here, 6),
                    message,
                );
            }
        }
    }
    if compared > 0 && !sheet.has_failed("linked_source_matches") {
        sheet.pass(
            "linked_source_matches",
            "/candidates",
            format!("{compared} 个数字与所附的 76 一致。"),
            format!("{compared} of {compared} numbers equal those of the linked 76."),
        );
    }
    let few: Vec<&str> = linked
        .report
        .candidates
        .iter()
        .zip(&linked.paper.places)
        .filter(|(candidate, place)| !candidate.metrics.is_empty() && place.timed_runs().count() < 3)
        .map(|(candidate, _)| candidate.name.as_str())
        .collect();
    if !few.is_empty() {
        let names = few.join(", ");
        let message = Phrase::new(
            format!("所附的 76 里 {names} 不足三次重复：吞吐比只是一次测量。"),
            format!(
                "In the linked 76 {names} have fewer than three runs: the throughput ratio is a single measurement."
            ),
        );
        sheet.fail("linked_runs_recorded", "/source", Phrase::new("每个候选 ≥ 3 次", "≥ 3 runs each"), names, message);
    }
}

fn duplicate_configuration(sheet: &mut Sheet<'_>) {
    let own = sheet.raw().get("config");
    if own.is_none() || !sheet.doc.stage().is_some_and(Stage::is_73) {
        return;
    }
    let twin = sheet
        .linked
        .iter()
        .find(|doc| doc.shape == sheet.doc.shape && doc.sha256 != sheet.doc.sha256 && doc.raw.get("config") == own);
    if let Some(twin) = twin {
        let message = Phrase::new(
            "另一份报告的配置与本报告完全相同：它们是同一实验的两次运行，不是两个实验。",
            "Another report has this very configuration: they are two runs of one experiment, not two experiments.",
        );
        let found = Phrase::plain(twin.sha256.chars().take(12).collect::<String>());
        sheet.fail(
            "duplicate_configuration",
            "/config",
            Phrase::new("不同的配置", "another configuration"),
            found,
            message,
        );
    }
}
