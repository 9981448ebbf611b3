//! `results.json` as Gradescope's autograder specification describes it: `score`, `output`, `visibility` and `tests`
//! with `score`, `max_score`, `status`, `name`, `number`, `output`, `tags`, `visibility`.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Judged, named};
use crate::check;
use crate::grade::{Blocked, Grade, ItemScore, Outcome};
use crate::rubric::Part;
use crate::{Check, Lang};

#[derive(Debug, Serialize)]
struct Results {
    /// Sum of the tests; stated so that a file without tests has a score as well.
    score: u64,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: &'static str,
    tests: Vec<Test>,
    extra_data: Value,
}

#[derive(Debug, Serialize)]
struct Test {
    /// Absent, like `max_score`, where nothing is to be earned: Gradescope then shows the status alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<u32>,
    status: &'static str,
    name: String,
    number: String,
    output: String,
    tags: Vec<&'static str>,
    visibility: &'static str,
}

const VISIBLE: &str = "visible";

/// The document for one hand-in of one file or several. Rubric items are the tests that carry points, CPU-provable
/// and GPU part told apart by tag; failed checks that cost no points follow without a score.
pub fn gradescope(files: &[(&str, Judged<'_>)], lang: Lang) -> Value {
    let several = files.len() > 1;
    let (mut tests, mut output, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let mut score = 0_u64;
    for (file, judged) in files {
        match judged {
            Judged::Grade(grade) => {
                score += u64::from(grade.points.earned);
                output.push(named(file, &summary(grade, lang), several));
                parts.push(json!({
                    "file": file, "lab": grade.lab, "evidence": grade.class.id(), "grader": grade.grader,
                    "cpu": grade.points.cpu, "gpu": grade.points.gpu,
                }));
                of_grade(&mut tests, file, grade, several, lang);
            }
            Judged::Refused(line) => {
                let told: Vec<String> =
                    line.checks.iter().map(|check| format!("{}\n{}", check.message, check.fix)).collect();
                output.push(named(file, &told.join("\n"), several));
            }
        }
    }
    let results = Results {
        score,
        output: output.join("\n"),
        output_format: "text",
        test_output_format: "text",
        test_name_format: "text",
        visibility: VISIBLE,
        tests,
        extra_data: json!({ "reports": parts }),
    };
    json!(results)
}

fn summary(grade: &Grade, lang: Lang) -> String {
    if let Outcome::NotEvidence { .. } = grade.outcome {
        return lang.pick("不是证据：没有可以评分的测量。", "Not evidence: no measurement to grade.").to_owned();
    }
    let none = lang.pick("无", "none");
    let points = grade.points;
    format!(
        "{} {}/{} · {} {}/{} · {} {} · {} {}",
        lang.pick("CPU 可确认", "CPU-provable"),
        points.cpu.earned,
        points.cpu.possible,
        lang.pick("GPU 部分", "GPU part"),
        points.gpu.earned,
        points.gpu.possible,
        lang.pick("报告结论", "the report says"),
        grade.decision.said.as_deref().unwrap_or(none),
        lang.pick("重新计算", "recomputed"),
        grade.decision.recomputed.as_deref().unwrap_or(none),
    )
}

fn of_grade(tests: &mut Vec<Test>, file: &str, grade: &Grade, several: bool, lang: Lang) {
    for item in &grade.items {
        tests.push(Test {
            score: Some(item.earned),
            max_score: Some(item.possible),
            status: if item.earned == item.possible { "passed" } else { "failed" },
            name: named(file, item.title.get(lang), several),
            number: (tests.len() + 1).to_string(),
            output: why(item, &grade.checks, lang),
            tags: vec![match item.part {
                Part::Cpu => "cpu",
                Part::Gpu => "gpu",
            }],
            visibility: VISIBLE,
        });
    }
    let costly = |id: &str| grade.items.iter().any(|item| item.lost_to.iter().any(|lost| lost == id));
    for check in grade.checks.iter().filter(|check| check.failed() && !costly(&check.id)) {
        let about = check::rule(&check.id).map_or(check.id.as_str(), |rule| rule.about(lang));
        tests.push(Test {
            score: None,
            max_score: None,
            status: "failed",
            name: named(file, about, several),
            number: (tests.len() + 1).to_string(),
            output: told(check, lang),
            tags: vec![check.severity.id()],
            visibility: VISIBLE,
        });
    }
}

/// Why an item did not earn its points; empty when it did.
pub(super) fn why(item: &ItemScore, checks: &[Check], lang: Lang) -> String {
    let blocked = item.blocked.map(|blocked| {
        match blocked {
            Blocked::NeedsGpu => lang.pick("这些分需要 GPU 证据。", "These points need GPU evidence."),
            Blocked::NeedsProvenance => {
                lang.pick("评分表不接受此来源的 GPU 分。", "The rubric accepts no GPU points of this provenance.")
            }
            Blocked::NotEvidence => lang.pick("报告不是证据。", "The report is no evidence."),
        }
        .to_owned()
    });
    let lost = item.lost_to.iter().map(|id| {
        let failed: Vec<String> =
            checks.iter().filter(|check| check.failed() && check.id == *id).map(|check| told(check, lang)).collect();
        if failed.is_empty() {
            let about = check::rule(id).map_or(id.as_str(), |rule| rule.about(lang));
            format!("{}{about}", lang.pick("尚无依据：", "Nothing to judge it by: "))
        } else {
            failed.join("\n")
        }
    });
    blocked.into_iter().chain(lost).collect::<Vec<_>>().join("\n")
}

/// A failed check: where, what is wrong, what to do.
pub(super) fn told(check: &Check, lang: Lang) -> String {
    let at = if check.pointer.is_empty() { "/" } else { &check.pointer };
    format!("[{} {at}] {}\n→ {}", check.id, check.message(lang), check.fix(lang))
}
