//! A grade as text for a terminal. Colours are ANSI sequences, which whoever writes to something else takes out again;
//! what a file brings along is made harmless first.

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};

use crate::check::Severity;
use crate::grade::{Blocked, Grade, Outcome};
use crate::reconcile::{Line, LineKind};
use crate::rubric::Part;
use crate::{Check, GradeLine, Lang};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DOUBTFUL: Style = AnsiColor::Yellow.on_default();
const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

fn painted(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A text of a file: a terminal acts on no letter of it, and it is read in one direction.
fn safe(text: &str) -> String {
    let acts = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A grade for a reader: outcome, decision, points, what to mend, the ledger beside the measurement.
pub fn text(file: &str, grade: &Grade, lang: Lang) -> String {
    let mut out = String::new();
    let lab = if grade.lab.is_empty() { "–".to_owned() } else { safe(&grade.lab) };
    let _ = writeln!(
        out,
        "{}\n  {} {lab} · {} · {} · {} · {}",
        painted(STRONG, safe(file)),
        lang.pick("实验", "lab"),
        grade.shape.id(),
        class(grade, lang),
        grade.level.id(),
        grade.provenance,
    );
    if let Outcome::NotEvidence { .. } = grade.outcome {
        let _ = writeln!(out, "  {}", painted(BAD, lang.pick("不是证据", "not evidence")));
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
    let why = painted(BAD, lang.pick("读不出报告", "no report could be read"));
    let mut out = format!("{}\n  {why}\n", painted(STRONG, safe(&line.file)));
    for check in &line.checks {
        let _ = writeln!(out, "  {} {}\n    → {}", painted(BAD, '✕'), safe(&check.message), check.fix);
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
        safe(line.said.as_deref().unwrap_or(none)),
        lang.pick("重新计算", "recomputed"),
        painted(STRONG, line.recomputed.as_deref().unwrap_or(none)),
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
        painted(STRONG, points.earned),
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
                Severity::Error => painted(BAD, '✕'),
                Severity::Warning => painted(DOUBTFUL, '!'),
                Severity::Note => painted(FAINT, '·'),
            };
            let at = if check.pointer.is_empty() { "/" } else { &check.pointer };
            let place = painted(FAINT, format_args!("[{} {}]", check.id, safe(at)));
            let _ = writeln!(out, "  {mark} {}  {place}", safe(check.message(lang)));
            let _ = writeln!(out, "    → {}", check.fix(lang));
        }
    }
    for check in checks.iter().filter(|check| !check.failed()) {
        let _ = writeln!(out, "  {} {}", painted(GOOD, '✓'), safe(check.message(lang)));
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
            LineKind::Object => safe(&line.part),
            LineKind::Allocated => format!("{} allocated", safe(&line.part)),
            LineKind::Reserved => format!("{} reserved", safe(&line.part)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GradeContext, Rubric};

    #[test]
    fn a_terminal_acts_on_no_letter_of_a_file() {
        let bad = "a\u{1b}[2Jb\u{202e}c";
        let report = serde_json::json!({
            "stage": "measurement_baseline", "config": {"device": bad}, "decision": {"decision": bad},
            "baseline": {"step_time_ms": bad}, "tuned": {"step_time_ms": 1.0, "peak_mem_mb": 2.0, bad: 1},
        });
        let doc = crate::read(report.to_string().as_bytes()).expect("a pair");
        let grade = crate::grade(&doc, &Rubric::empty(), &GradeContext::default());
        for lang in Lang::ALL {
            let shown = text(bad, &grade, lang);
            assert!(shown.contains("\u{1b}[1m"), "our own colours are there");
            assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'), "{shown:?}");
        }
    }
}
