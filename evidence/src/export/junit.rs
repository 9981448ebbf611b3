//! JUnit's XML, as continuous-integration servers read it: a suite per file, a case per rubric item and per check.

use std::fmt::Write as _;

use super::Judged;
use super::gradescope::{told, why};
use crate::check::{self, Severity};
use crate::grade::{Grade, Outcome};
use crate::rubric::Part;
use crate::{GradeLine, Lang};

/// The document for one file or several. An item whose points are out of reach is skipped, one that lost its points
/// fails; of the checks, errors and warnings fail while a note only speaks; a file that is no report is an error.
pub fn junit(files: &[(&str, Judged<'_>)], lang: Lang) -> String {
    let suites: Vec<Suite> = files
        .iter()
        .map(|(file, judged)| match judged {
            Judged::Grade(grade) => graded(file, grade, lang),
            Judged::Refused(line) => refused(file, line),
        })
        .collect();
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"vramlab\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        sum(|suite| suite.tests),
        sum(|suite| suite.failures),
        sum(|suite| suite.errors),
        sum(|suite| suite.skipped),
    );
    for suite in suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escape(&suite.name),
            suite.tests,
            suite.failures,
            suite.errors,
            suite.skipped,
        );
        out.push_str(&suite.body);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    body: String,
}

/// What stands in a case.
enum Verdict {
    Passed,
    Failure,
    Error,
    Skipped,
    /// Passed, with something to read.
    Said,
}

impl Suite {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), tests: 0, failures: 0, errors: 0, skipped: 0, body: String::new() }
    }

    fn case(&mut self, class: &str, name: &str, verdict: Verdict, kind: &str, text: &str) {
        self.tests += 1;
        let (class, name, text) = (escape(class), escape(name), escape(text));
        let _ = write!(self.body, "    <testcase classname=\"{class}\" name=\"{name}\"");
        let message = text.lines().next().unwrap_or_default();
        let inside = match verdict {
            Verdict::Passed => {
                self.body.push_str("/>\n");
                return;
            }
            Verdict::Failure => {
                self.failures += 1;
                format!("<failure type=\"{}\" message=\"{message}\">{text}</failure>", escape(kind))
            }
            Verdict::Error => {
                self.errors += 1;
                format!("<error type=\"{}\" message=\"{message}\">{text}</error>", escape(kind))
            }
            Verdict::Skipped => {
                self.skipped += 1;
                format!("<skipped message=\"{message}\"/>")
            }
            Verdict::Said => format!("<system-out>{text}</system-out>"),
        };
        let _ = writeln!(self.body, ">{inside}</testcase>");
    }
}

fn graded(file: &str, grade: &Grade, lang: Lang) -> Suite {
    let mut suite = Suite::new(file);
    let lab = if grade.lab.is_empty() { "none" } else { &grade.lab };
    let points = [("cpu", grade.points.cpu), ("gpu", grade.points.gpu)];
    suite.body.push_str("    <properties>\n");
    for (name, value) in [
        ("lab".to_owned(), lab.to_owned()),
        ("evidence".to_owned(), grade.class.id().to_owned()),
        ("grader".to_owned(), grade.grader.clone()),
    ]
    .into_iter()
    .chain(points.into_iter().flat_map(|(part, points)| {
        [
            (format!("{part}_points_earned"), points.earned.to_string()),
            (format!("{part}_points_possible"), points.possible.to_string()),
        ]
    })) {
        let _ = writeln!(suite.body, "      <property name=\"{name}\" value=\"{}\"/>", escape(&value));
    }
    suite.body.push_str("    </properties>\n");
    if let Outcome::NotEvidence { .. } = grade.outcome {
        let text = lang.pick("没有可以评分的测量。", "There is no measurement to grade.");
        suite.case(&format!("vramlab.{lab}"), "evidence", Verdict::Error, "not_evidence", text);
    }
    for item in &grade.items {
        let part = match item.part {
            Part::Cpu => "cpu",
            Part::Gpu => "gpu",
        };
        let verdict = match (item.blocked.is_some(), item.earned == item.possible) {
            (true, _) => Verdict::Skipped,
            (false, true) => Verdict::Passed,
            (false, false) => Verdict::Failure,
        };
        let text = why(item, &grade.checks, lang);
        suite.case(&format!("vramlab.{lab}.{part}"), item.title.get(lang), verdict, &item.id, &text);
    }
    for check in &grade.checks {
        let about = check::rule(&check.id).map_or(check.id.as_str(), |rule| rule.about(lang));
        let verdict = match (check.failed(), check.severity) {
            (false, _) => Verdict::Passed,
            (true, Severity::Note) => Verdict::Said,
            (true, Severity::Warning | Severity::Error) => Verdict::Failure,
        };
        let name = if check.pointer.is_empty() { about.to_owned() } else { format!("{about} [{}]", check.pointer) };
        suite.case(&format!("vramlab.{lab}.checks"), &name, verdict, &check.id, &told(check, lang));
    }
    suite
}

fn refused(file: &str, line: &GradeLine) -> Suite {
    let mut suite = Suite::new(file);
    for check in &line.checks {
        let text = format!("{}\n{}", check.message, check.fix);
        suite.case("vramlab", &check.id, Verdict::Error, &check.id, &text);
    }
    suite
}

/// Text and attributes of XML 1.0. A character that no XML document may hold becomes U+FFFD: a report's own text must
/// not make the file unreadable.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_of_a_report_leaves_its_place() {
        for (text, safe) in [
            ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&apos;"),
            ("]]>", "]]&gt;"),
            ("\u{0}\u{1b}[31m\u{7f}", "\u{fffd}\u{fffd}[31m\u{fffd}"),
            ("\u{fffe}\u{ffff}", "\u{fffd}\u{fffd}"),
            ("显存\n", "显存\n"),
        ] {
            assert_eq!(escape(text), safe, "{text:?}");
        }
    }
}
