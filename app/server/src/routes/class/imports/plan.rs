//! What a spreadsheet would change, row by row, and which rows are refused.

use std::collections::HashMap;

use evidence::{EvidenceClass, Part, Phrase};
use serde::{Deserialize, Serialize};

use crate::routes::class::exports::{CPU_POINTS, GPU_POINTS, REASON, SUBMISSION, points};
use crate::store::grades::{AttemptLine, Sheet};
use crate::store::overrides::REASON_MAX;
use crate::store::{ReportId, UserId, clean_text};

/// Largest file.
pub const MAX_BYTES: usize = 1 << 20;
/// Most rows that are read.
const MAX_ROWS: usize = 5000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub changes: Vec<Change>,
    pub refused: Vec<Refused>,
    /// Rows that change nothing.
    pub unchanged: u64,
}

/// Points to set for one part of a lab of one learner. Hundredths of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub line: u64,
    pub report: ReportId,
    pub user: UserId,
    pub name: String,
    pub lab: String,
    pub part: Part,
    /// The credit that stood when the file came.
    pub before: Option<i64>,
    pub after: i64,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Of the file, from 1.
    pub line: u64,
    pub why: Phrase,
}

/// Where the columns are.
struct Columns {
    submission: usize,
    parts: Vec<(Part, usize)>,
    reason: Option<usize>,
}

/// Reads a file against the attempts of a class and the credit that stands.
///
/// # Errors
///
/// A sentence when the file as a whole cannot be used: too large, not UTF-8, without the columns.
pub fn read(bytes: &[u8], file: &str, attempts: &[AttemptLine], sheet: &Sheet) -> Result<Plan, Phrase> {
    if bytes.len() > MAX_BYTES {
        return Err(Phrase::new(
            format!("文件有 {} 字节，上限是 {MAX_BYTES}。", bytes.len()),
            format!("The file has {} bytes; the limit is {MAX_BYTES}.", bytes.len()),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Phrase::new(
            format!("第 {at} 字节不是 UTF-8。请存为“CSV UTF-8”。"),
            format!("Byte {at} is not UTF-8. Save the file as “CSV UTF-8”."),
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(true)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let columns = columns(reader.headers().map_err(unreadable)?)?;
    let known: HashMap<ReportId, &AttemptLine> = attempts.iter().map(|line| (line.report_id, line)).collect();
    let mut rows = Rows { known, sheet, file, seen: HashMap::new(), set: HashMap::new() };
    let mut plan = Plan { changes: Vec::new(), refused: Vec::new(), unchanged: 0 };
    for (count, record) in reader.records().enumerate() {
        let record = record.map_err(unreadable)?;
        let line = line_of(text, record.position());
        if count == MAX_ROWS {
            return Err(Phrase::new(
                format!("超过 {MAX_ROWS} 行，请分成几个文件。"),
                format!("More than {MAX_ROWS} rows; split the file."),
            ));
        }
        match rows.row(line, &columns, &record) {
            Ok(changes) if changes.is_empty() => plan.unchanged += 1,
            Ok(changes) => plan.changes.extend(changes),
            Err(why) => plan.refused.push(Refused { line, why }),
        }
    }
    Ok(plan)
}

/// The line on which a record begins. The reader stops between the two letters of a line's end, and counts the line only
/// with the second.
fn line_of(text: &str, position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let rest = usize::try_from(position.byte()).ok().and_then(|byte| text.get(byte..)).unwrap_or_default();
    let skipped = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    position.line() + rest[..skipped].matches('\n').count() as u64
}

/// Spreadsheets of many countries part cells by semicolons.
fn delimiter(text: &str) -> u8 {
    let head = text.lines().next().unwrap_or_default();
    if head.contains(';') && !head.contains(',') { b';' } else { b',' }
}

fn unreadable(error: csv::Error) -> Phrase {
    let line = error.position().map_or(0, csv::Position::line);
    Phrase::new(format!("第 {line} 行不是 CSV：{error}"), format!("Line {line} is no CSV: {error}"))
}

fn columns(head: &csv::StringRecord) -> Result<Columns, Phrase> {
    let find = |name: &str| -> Result<Option<usize>, Phrase> {
        let mut places = head.iter().enumerate().filter(|(_, cell)| cell.trim() == name).map(|(at, _)| at);
        let first = places.next();
        match places.next() {
            Some(_) => {
                Err(Phrase::new(format!("列 {name} 出现了两次。"), format!("The column {name} is there twice.")))
            }
            None => Ok(first),
        }
    };
    let submission = find(SUBMISSION)?.ok_or_else(|| {
        Phrase::new(
            format!("第 1 行没有列 {SUBMISSION}。请用“每次提交一行”的导出文件。"),
            format!("Line 1 has no column {SUBMISSION}. Start from the export with one row per attempt."),
        )
    })?;
    let mut parts = Vec::new();
    for (part, name) in [(Part::Cpu, CPU_POINTS), (Part::Gpu, GPU_POINTS)] {
        parts.extend(find(name)?.map(|at| (part, at)));
    }
    if parts.is_empty() {
        return Err(Phrase::new(
            format!("第 1 行既没有 {CPU_POINTS} 也没有 {GPU_POINTS}。"),
            format!("Line 1 has neither {CPU_POINTS} nor {GPU_POINTS}."),
        ));
    }
    Ok(Columns { submission, parts, reason: find(REASON)? })
}

struct Rows<'a> {
    known: HashMap<ReportId, &'a AttemptLine>,
    sheet: &'a Sheet,
    file: &'a str,
    /// Submissions and the line on which each stood.
    seen: HashMap<ReportId, u64>,
    /// What was set by a line before.
    set: HashMap<(UserId, String, Part), (i64, u64)>,
}

impl Rows<'_> {
    /// The changes of one row: all of them, or none and why.
    fn row(&mut self, line: u64, columns: &Columns, record: &csv::StringRecord) -> Result<Vec<Change>, Phrase> {
        let cell = |at: usize| record.get(at).map(str::trim).unwrap_or_default();
        let id = cell(columns.submission);
        let known = id.parse::<ReportId>().ok().and_then(|id| self.known.get(&id).copied());
        let attempt = known.ok_or_else(|| {
            let id = clean_text(id, 64);
            Phrase::new(format!("“{id}”不是本班的提交编号。"), format!("“{id}” is no submission id of this class."))
        })?;
        if let Some(first) = self.seen.get(&attempt.report_id) {
            return Err(Phrase::new(
                format!("这次提交已在第 {first} 行。"),
                format!("This submission stands on line {first} already."),
            ));
        }
        let mut changes = Vec::new();
        for (part, at) in &columns.parts {
            if let Some(after) = self.part(attempt, *part, cell(*at))? {
                let before = self.credit(attempt, *part);
                let reason = columns.reason.map(cell).map(|text| clean_text(text, REASON_MAX)).unwrap_or_default();
                let said = reason.chars().any(char::is_alphanumeric);
                let reason = if said { reason } else { format!("CSV: {}", clean_text(self.file, REASON_MAX / 2)) };
                changes.push(Change {
                    line,
                    report: attempt.report_id,
                    user: attempt.user_id,
                    name: attempt.display_name.clone(),
                    lab: attempt.lab.clone(),
                    part: *part,
                    before,
                    after,
                    reason,
                });
            }
        }
        self.seen.insert(attempt.report_id, line);
        for change in &changes {
            self.set.insert((change.user, change.lab.clone(), change.part), (change.after, line));
        }
        Ok(changes)
    }

    fn credit(&self, attempt: &AttemptLine, part: Part) -> Option<i64> {
        self.sheet.line(attempt.user_id, &attempt.lab, part).and_then(|line| line.standing.credit())
    }

    /// The points to set for a part; `None` where the cell changes nothing.
    fn part(&self, attempt: &AttemptLine, part: Part, cell: &str) -> Result<Option<i64>, Phrase> {
        if cell.is_empty() {
            return Ok(None);
        }
        let (column, earned, possible) = match part {
            Part::Cpu => (CPU_POINTS, attempt.cpu_earned, attempt.cpu_possible),
            Part::Gpu => (GPU_POINTS, attempt.gpu_earned, attempt.gpu_possible),
        };
        let after = hundredths(cell).ok_or_else(|| {
            let cell = clean_text(cell, 40);
            Phrase::new(
                format!("{column} 应是 0 以上、至多两位小数的分数，实际是“{cell}”。"),
                format!("{column} is a number from 0 with two decimals at most; found “{cell}”."),
            )
        })?;
        if after == earned * 100 || self.credit(attempt, part) == Some(after) {
            return Ok(None);
        }
        if after > possible * 100 {
            return Err(Phrase::new(
                format!("{column} = {} 超过满分 {possible}。", points(after)),
                format!("{column} = {} is more than the {possible} that can be earned.", points(after)),
            ));
        }
        if part == Part::Gpu && *attempt.class != EvidenceClass::Gpu {
            return Err(Phrase::new(
                format!("GPU 分需要 GPU 证据，这份报告是 {}。", attempt.class.id()),
                format!("GPU points need GPU evidence; this report is of class {}.", attempt.class.id()),
            ));
        }
        match self.set.get(&(attempt.user_id, attempt.lab.clone(), part)) {
            Some((set, _)) if *set == after => Ok(None),
            Some((set, line)) => Err(Phrase::new(
                format!("第 {line} 行已把同一学习者、实验与部分设为 {}。", points(*set)),
                format!("Line {line} sets the same part of this learner's lab to {}.", points(*set)),
            )),
            None => Ok(Some(after)),
        }
    }
}

/// `7`, `7.5`, `7.25`: hundredths of a point. No sign, no exponent, no formula.
fn hundredths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || part.len() > 2 || !digits(whole) || !digits(part) {
        return None;
    }
    Some(whole.parse::<i64>().ok()? * 100 + format!("{part:0<2}").parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Counting, GradeOutcome, ReportOrigin, UtcMs, Word};

    fn attempt(user: UserId, class: EvidenceClass) -> AttemptLine {
        AttemptLine {
            report_id: ReportId::new(),
            user_id: user,
            login: "lin".to_owned(),
            display_name: "林".to_owned(),
            lab: "76".to_owned(),
            created_ms: UtcMs(0),
            provenance: ReportOrigin::Upload,
            class: Word(class),
            outcome: GradeOutcome::Graded,
            grader_version: "1".to_owned(),
            cpu_earned: 5,
            cpu_possible: 8,
            gpu_earned: 0,
            gpu_possible: 12,
        }
    }

    fn planned(rows: &str, attempts: &[AttemptLine]) -> Plan {
        let text = format!("\u{feff}submission_id,cpu_points,gpu_points,reason\r\n{rows}");
        read(text.as_bytes(), "f.csv", attempts, &Sheet { counting: Counting::Best, lines: vec![] }).expect("a plan")
    }

    #[test]
    fn points_are_plain_numbers() {
        for (text, expected) in [
            ("7", Some(700)),
            ("7.5", Some(750)),
            ("07.25", Some(725)),
            ("7.", Some(700)),
            ("0", Some(0)),
            ("", None),
            (".5", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("=1+1", None),
            ("7.125", None),
            ("９", None),
            ("9999999", None),
        ] {
            assert_eq!(hundredths(text), expected, "{text:?}");
        }
    }

    #[test]
    fn rows_change_something_or_nothing_or_are_refused_with_their_line() {
        let (lin, mei) = (UserId::new(), UserId::new());
        let (a, again, b) =
            (attempt(lin, EvidenceClass::Gpu), attempt(lin, EvidenceClass::Gpu), attempt(mei, EvidenceClass::Cpu));
        let attempts = [a.clone(), again.clone(), b.clone()];
        let (x, y, z) = (a.report_id, again.report_id, b.report_id);
        for (rows, changes, refused) in [
            (format!("{x},5,0,"), "", ""),
            (format!("{x},,,"), "", ""),
            (format!("{x},6.5,3,well argued"), "2 cpu 650 well argued; 2 gpu 300 well argued", ""),
            (format!("{x},6.5,0,…"), "2 cpu 650 CSV: f.csv", ""),
            (format!("{x},6\r\n"), "2 cpu 600 CSV: f.csv", ""),
            (format!("{x},9,0,"), "", "2 more than the 8"),
            (format!("{x},=1+1,0,"), "", "2 found “=1+1”"),
            (format!("{z},5,1,"), "", "2 GPU points need GPU evidence"),
            (format!("{z},6,1,"), "", "2 GPU points need GPU evidence"),
            ("nonsense,1,1,".to_owned(), "", "2 no submission id"),
            (format!("{},1,1,", ReportId::new()), "", "2 no submission id"),
            (format!("{x},5,0,\r\n{x},6,0,"), "", "3 line 2 already"),
            (format!("{x},6,0,a\r\n{y},7,0,b"), "2 cpu 600 a", "3 Line 2 sets the same part"),
            (format!("{x},6,0,a\r\n{y},6,0,b"), "2 cpu 600 a", ""),
            (format!("{x},5,0,\"two\r\nlines\"\r\n{z},6,0,b"), "4 cpu 600 b", ""),
        ] {
            let plan = planned(&rows, &attempts);
            let made: Vec<String> = plan
                .changes
                .iter()
                .map(|c| {
                    let part = if c.part == Part::Cpu { "cpu" } else { "gpu" };
                    format!("{} {part} {} {}", c.line, c.after, c.reason)
                })
                .collect();
            assert_eq!(made.join("; "), changes, "{rows}");
            match plan.refused.as_slice() {
                [] => assert_eq!("", refused, "{rows}"),
                [one] => {
                    let (line, why) = refused.split_once(' ').expect("a refusal");
                    assert_eq!(one.line.to_string(), line, "{rows}");
                    assert!(one.why.en.contains(why), "{rows}: {}", one.why.en);
                }
                more => panic!("{rows}: {more:?}"),
            }
        }
    }

    #[test]
    fn files_of_other_kinds_are_refused_as_a_whole() {
        let sheet = Sheet { counting: Counting::Best, lines: vec![] };
        let many = format!("submission_id,cpu_points\n{}", "x,1\n".repeat(MAX_ROWS + 1));
        for (bytes, why) in [
            (&b"login,cpu_points\nx,1"[..], "no column submission_id"),
            (b"submission_id,login\nx,1", "neither cpu_points nor gpu_points"),
            (b"submission_id,submission_id,cpu_points\n", "twice"),
            (b"\xff\xfe\0", "not UTF-8"),
            (b"", "no column submission_id"),
            (many.as_bytes(), "split the file"),
            (&vec![b'x'; MAX_BYTES + 1], "the limit is"),
        ] {
            let error = read(bytes, "f.csv", &[], &sheet).expect_err(why);
            assert!(error.en.contains(why), "{}", error.en);
        }
        // Semicolons, as many spreadsheets write them.
        let attempts = [attempt(UserId::new(), EvidenceClass::Cpu)];
        let text = format!("submission_id;cpu_points\n{};7", attempts[0].report_id);
        assert_eq!(read(text.as_bytes(), "f.csv", &attempts, &sheet).expect("a plan").changes.len(), 1);
    }
}
