//! A grade as plain text, for a terminal.

use std::fmt::Write as _;

use crate::check::Severity;
use crate::grade::{Blocked, Grade, Outcome};
use crate::reconcile::{Line, LineKind};
use crate::rubric::Part;
use crate::{Check, GradeLine, Lang};

/// A grade for a reader: outcome, decision, points, what to mend, the ledger beside the measurement.
pub fn text(file: &str, grade: &Grade, lang: Lang) -> String {
    let mut out = String::new();
    let lab = if grade.lab.is_empty() { "–" } else { &grade.lab };
    let _ = writeln!(
        out,
        "{file}\n  {} {lab} · {} · {} · {} · {}",
        lang.pick("实验", "lab"),
        grade.shape.id(),
        class(grade, lang),
        grade.level.id(),
        grade.provenance,
    );
    if let Outcome::NotEvidence { .. } = grade.outcome {
        let _ = writeln!(out, "  {}", lang.pick("不是证据", "not evidence"));
    } else {
        decision(&mut out, grade, lang);
        points(&mut out, grade, lang);
    }
    checks(&mut out, &grade.checks, lang);
    reconciliation(&mut out, &grade.reconciliation, lang);
    out
}

/// A file that could not be read, for a reader.
pub fn refused(line: &GradeLine, lang: Lang) -> String {
    let mut out = format!("{}\n  {}\n", line.file, lang.pick("读不出报告", "no report could be read"));
    for check in &line.checks {
        let _ = writeln!(out, "  ✕ {}\n    → {}", check.message, check.fix);
    }
    out
}

fn class(grade: &Grade, lang: Lang) -> &'static str {
    use crate::EvidenceClass::{Cpu, Gpu, Theory, Unproven};
    match grade.class {
        Gpu => lang.pick("GPU 证据", "GPU evidence"),
        Cpu => lang.pick("CPU 证据", "CPU evidence"),
        Theory => lang.pick("理论推算", "theory"),
        Unproven => lang.pick("设备未证实", "device unproven"),
    }
}

fn decision(out: &mut String, grade: &Grade, lang: Lang) {
    let line = &grade.decision;
    let none = lang.pick("无", "none");
    let _ = writeln!(
        out,
        "  {}: {} · {}: {}",
        lang.pick("报告结论", "the report says"),
        line.said.as_deref().unwrap_or(none),
        lang.pick("重新计算", "recomputed"),
        line.recomputed.as_deref().unwrap_or(none),
    );
    if let Some(reason) = &line.reason {
        let next = line.next_action.as_deref().unwrap_or(none);
        let _ = writeln!(out, "    {reason} → {next}");
    }
}

fn points(out: &mut String, grade: &Grade, lang: Lang) {
    let points = grade.points;
    let _ = writeln!(
        out,
        "  {} {}/{} · {} {}/{} · {} {}/{}",
        lang.pick("得分", "points"),
        points.earned,
        points.possible,
        lang.pick("CPU 可确认", "CPU-provable"),
        points.cpu.earned,
        points.cpu.possible,
        lang.pick("GPU 部分", "GPU part"),
        points.gpu.earned,
        points.gpu.possible,
    );
    for item in &grade.items {
        let part = match item.part {
            Part::Cpu => "CPU",
            Part::Gpu => "GPU",
        };
        let why = match item.blocked {
            Some(Blocked::NeedsGpu) => lang.pick("需要 GPU 证据", "needs GPU evidence").to_owned(),
            Some(Blocked::NeedsProvenance) => lang.pick("来源不被接受", "this provenance is not accepted").to_owned(),
            Some(Blocked::NotEvidence) => lang.pick("不是证据", "not evidence").to_owned(),
            None => item.lost_to.join(", "),
        };
        let gap = if why.is_empty() { "" } else { " — " };
        let _ = writeln!(out, "    {part} {}/{} {}{gap}{why}", item.earned, item.possible, item.title.get(lang));
    }
}

fn checks(out: &mut String, checks: &[Check], lang: Lang) {
    let failed: Vec<&Check> = checks.iter().filter(|check| check.failed()).collect();
    let _ = writeln!(
        out,
        "  {}: {} {}, {} {}",
        lang.pick("检查", "checks"),
        checks.len() - failed.len(),
        lang.pick("通过", "passed"),
        failed.len(),
        lang.pick("条意见", "to look at"),
    );
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        for check in failed.iter().filter(|check| check.severity == severity) {
            let mark = match severity {
                Severity::Error => "✕",
                Severity::Warning => "!",
                Severity::Note => "·",
            };
            let at = if check.pointer.is_empty() { "/" } else { &check.pointer };
            let _ = writeln!(out, "  {mark} {}  [{} {at}]", check.message(lang), check.id);
            let _ = writeln!(out, "    → {}", check.fix(lang));
        }
    }
    for check in checks.iter().filter(|check| !check.failed()) {
        let _ = writeln!(out, "  ✓ {}", check.message(lang));
    }
}

fn reconciliation(out: &mut String, lines: &[Line], lang: Lang) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "  {}", lang.pick("对账（MiB）：预测 | 实测", "reconciliation (MiB): predicted | measured"));
    let amount =
        |bytes: Option<u64>| bytes.map_or_else(|| "–".to_owned(), |bytes| format!("{:.1}", crate::import::mib(bytes)));
    for line in lines {
        let what = match line.kind {
            LineKind::Object => line.part.clone(),
            LineKind::Allocated => format!("{} allocated", line.part),
            LineKind::Reserved => format!("{} reserved", line.part),
        };
        let assumed = if line.assumption { lang.pick("（含假设）", " (assumption)") } else { "" };
        let _ = writeln!(
            out,
            "    {:>9} | {:>9}  {what}{assumed}",
            amount(line.predicted_bytes),
            amount(line.measured_bytes)
        );
    }
}
