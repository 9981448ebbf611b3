//! The gradebook as rows of a page and as a file for spreadsheets.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use evidence::{Lang, Part};
use labs::Chain;
use serde_json::json;
use ui::pages::class::{GradebookRow, GradebookTable, Pair, Score};

use super::one::taught;
use crate::auth::Staff;
use crate::credit::{Chosen, Credited, points};
use crate::http::AppState;
use crate::routes::account::answer::{Answer, Failure, iso, unavailable};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::Member;
use crate::store::grades::{self, Effective, GradebookLine, Sheet};
use crate::store::{Counting, clean_text};

/// One row per learner, one pair of columns per kind of work. Training and inference always have theirs.
pub fn table(members: &[Member], sheet: &Sheet, lang: Lang) -> GradebookTable {
    // A lab that the catalogue does not hold any more stands behind the others.
    let chain = |lab: &str| labs::lab(lab).map(|lab| lab.chain());
    let used: BTreeSet<Option<Chain>> = sheet.lines.iter().map(|line| chain(&line.lab)).collect();
    let always = [Chain::Training, Chain::Inference];
    let mut chains: Vec<Option<Chain>> = Chain::ALL
        .into_iter()
        .map(Some)
        .filter(|chain| used.contains(chain) || always.iter().any(|always| *chain == Some(*always)))
        .collect();
    chains.extend(used.contains(&None).then_some(None));
    let row = |member: &Member| {
        let own: Vec<&Effective> = sheet.lines.iter().filter(|line| line.user_id == member.user_id).collect();
        let scores = |of: Option<Chain>, part: Part| {
            own.iter().filter(|line| line.part == part && chain(&line.lab) == of).map(|line| score(line)).collect()
        };
        let last = own.iter().filter_map(|line| line.standing.latest()).map(|latest| latest.attempt.submitted_ms).max();
        GradebookRow {
            user: member.user_id.to_string(),
            login: member.login.clone(),
            display_name: member.display_name.clone(),
            pairs: chains.iter().map(|of| Pair { cpu: scores(*of, Part::Cpu), gpu: scores(*of, Part::Gpu) }).collect(),
            last: last.map(iso),
        }
    };
    GradebookTable {
        rows: members.iter().map(row).collect(),
        chains: chains.iter().map(|of| of.map_or(lang.pick("其他", "Other"), |chain| chain.name(lang))).collect(),
        latest_counts: sheet.counting == Counting::Latest,
    }
}

fn score(line: &Effective) -> Score {
    let standing = &line.standing;
    let credit = |credited: &Credited| points(credited.credit);
    let percent = match standing.chosen() {
        Chosen::Attempt(credited) if credited.percent != 100 => Some(credited.percent),
        _ => None,
    };
    Score {
        lab: line.lab.clone(),
        credit: standing.credit().map(points),
        possible: line.possible,
        best: standing.best().map(credit),
        latest: standing.latest().map(credit),
        attempts: standing.attempts.len(),
        percent,
        by_hand: standing.by_hand.is_some(),
        extended: standing.extended,
    }
}

pub async fn csv(State(app): State<AppState>, user: Staff, Path((_, id)): Path<(String, String)>) -> Answer {
    let class = taught(&app, &user, &id).await?;
    if !class.may_grade {
        return Err(Failure::NotFound);
    }
    let lines = grades::gradebook(&app.store, user.viewer(), class.id).await?;
    let file = file(&class.name, &lines).map_err(unavailable)?;
    let (subject, detail) = (class.id.to_string(), json!({ "lines": lines.len() }));
    audit::record(&app.store, user.id, Some(class.id), AuditAction::GradebookExported, &subject, &detail).await?;
    Ok(attachment(&app, "gradebook", file))
}

/// A file of CSV with the day in its name.
pub(super) fn attachment(app: &AppState, name: &str, file: Vec<u8>) -> Response {
    let day = iso(app.store.now()).chars().take(10).collect::<String>();
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}-{day}.csv\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, file).into_response()
}

/// Spreadsheets take a file for UTF-8 only when it says so.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

const COLUMNS: [&str; 9] = [
    "class",
    "login",
    "display_name",
    "lab",
    "evidence",
    "points_earned",
    "points_possible",
    "reports",
    "last_activity",
];

/// RFC 4180, long form: one line per learner, lab and evidence class, so that no sum mixes the two.
fn file(class: &str, lines: &[GradebookLine]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(BYTE_ORDER_MARK.to_vec());
    writer.write_record(COLUMNS)?;
    for line in lines {
        let columns = [
            ("cpu", line.cpu_earned, line.cpu_possible, line.cpu_reports),
            ("gpu", line.gpu_earned, line.gpu_possible, line.gpu_reports),
        ];
        for (evidence, earned, possible, reports) in columns {
            writer.write_record([
                text(class),
                text(&line.login),
                text(&line.display_name),
                text(line.lab.as_deref().unwrap_or_default()),
                evidence.to_owned(),
                earned.to_string(),
                possible.to_string(),
                reports.to_string(),
                line.last_ms.map(iso).unwrap_or_default(),
            ])?;
        }
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// A cell of text. Spreadsheets run what begins like a formula, and learners choose their own names: an apostrophe in
/// front makes it text again. They skip what is not seen at the beginning, so it is skipped here too.
pub(super) fn text(cell: &str) -> String {
    let control = cell.chars().next().is_some_and(char::is_control);
    let seen = clean_text(cell, usize::MAX);
    let first = seen.trim_start().chars().next();
    if control || first.is_some_and(|first| "=+-@|%＝＋－＠｜％".contains(first)) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use evidence::EvidenceClass;

    use super::*;
    use crate::credit::{Attempt, Standing, Timeline};
    use crate::store::{ReportId, UserId, UtcMs};

    fn line(user: UserId, name: &str, lab: Option<&str>, cpu: (i64, i64), gpu: (i64, i64)) -> GradebookLine {
        GradebookLine {
            user_id: user,
            login: "lin".to_owned(),
            display_name: name.to_owned(),
            lab: lab.map(str::to_owned),
            cpu_earned: cpu.0,
            cpu_possible: cpu.1,
            gpu_earned: gpu.0,
            gpu_possible: gpu.1,
            cpu_reports: 1,
            gpu_reports: 0,
            last_ms: lab.map(|_| UtcMs(1_772_323_200_000)),
        }
    }

    #[test]
    fn cells_that_begin_like_a_formula_are_text() {
        for (cell, safe) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1", "'+1"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("＝1", "'＝1"),
            (" =1", "' =1"),
            ("\u{200b}=1", "'\u{200b}=1"),
            ("|cmd", "'|cmd"),
            ("%0A", "'%0A"),
            ("林", "林"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(text(cell), safe, "{cell:?}");
        }
    }

    #[test]
    fn the_file_reads_back() {
        let lines = [
            line(UserId::new(), "=林, \"一\"\n", Some("76"), (8, 8), (0, 12)),
            line(UserId::new(), "梅", None, (0, 0), (0, 0)),
        ];
        let file = file("一班", &lines).expect("a file");
        let body = file.strip_prefix(BYTE_ORDER_MARK).expect("a byte order mark");
        assert!(body.ends_with(b"\r\n"));
        let mut reader = csv::Reader::from_reader(body);
        assert_eq!(reader.headers().expect("a head"), COLUMNS.as_slice());
        let rows: Vec<Vec<String>> =
            reader.records().map(|record| record.expect("a record").iter().map(str::to_owned).collect()).collect();
        assert_eq!(
            rows,
            [
                ["一班", "lin", "'=林, \"一\"\n", "76", "cpu", "8", "8", "1", "2026-03-01T00:00:00Z"],
                ["一班", "lin", "'=林, \"一\"\n", "76", "gpu", "0", "12", "0", "2026-03-01T00:00:00Z"],
                ["一班", "lin", "梅", "", "cpu", "0", "0", "1", ""],
                ["一班", "lin", "梅", "", "gpu", "0", "0", "0", ""],
            ]
        );
    }

    fn attempt(at: i64, earned: i64) -> Attempt {
        let submitted_ms = UtcMs(at);
        Attempt { report: ReportId::new(), class: EvidenceClass::Cpu, submitted_ms, earned, possible: 6 }
    }

    #[test]
    fn one_row_per_learner_and_columns_apart() {
        let member = |name: &str| Member {
            user_id: UserId::new(),
            login: name.to_owned(),
            display_name: name.to_owned(),
            joined_ms: UtcMs(0),
        };
        let members = [member("lin"), member("mei")];
        let due = Timeline { due_ms: Some(UtcMs(10)), late_percent: Some(50), ..Timeline::default() };
        let line = |lab: &str, part: Part, possible: i64, attempts: Vec<Attempt>| Effective {
            user_id: members[0].user_id,
            lab: lab.to_owned(),
            part,
            possible,
            standing: Standing::new(Counting::Best, due, false, attempts, None),
        };
        let sheet = Sheet {
            counting: Counting::Best,
            lines: vec![
                line("73", Part::Cpu, 6, vec![attempt(1, 2), attempt(11, 5)]),
                line("73", Part::Gpu, 10, vec![]),
                line("rmsnorm", Part::Cpu, 4, vec![attempt(1_772_323_200_000, 4)]),
                line("gone", Part::Cpu, 3, vec![]),
            ],
        };
        let table = table(&members, &sheet, Lang::En);
        assert_eq!(table.chains, ["Training", "Inference", "Kernels", "Other"]);
        let cells = |scores: &[Score]| {
            let cell = |score: &Score| {
                let credit = score.credit.as_deref().unwrap_or("—");
                format!("{} {credit}/{} {:?}", score.lab, score.possible, score.percent)
            };
            scores.iter().map(cell).collect::<Vec<_>>()
        };
        let lin = &table.rows[0];
        assert_eq!(cells(&lin.pairs[0].cpu), ["73 2.5/6 Some(50)"]);
        assert_eq!(cells(&lin.pairs[0].gpu), ["73 —/10 None"]);
        assert_eq!(cells(&lin.pairs[2].cpu), ["rmsnorm 2/4 Some(50)"]);
        assert_eq!((lin.pairs[1].cpu.len(), lin.pairs[1].gpu.len()), (0, 0));
        assert_eq!(lin.last.as_deref(), Some("2026-03-01T00:00:00Z"));
        assert!(table.rows[1].pairs.iter().all(|pair| *pair == Pair::default()) && table.rows[1].last.is_none());
    }
}
