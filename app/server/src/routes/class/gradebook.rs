//! The gradebook as rows of a page and as a file for spreadsheets.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use ui::pages::class::{GradebookRow, Score};

use super::one::taught;
use crate::auth::Instructor;
use crate::http::AppState;
use crate::routes::account::answer::{Answer, iso, unavailable};
use crate::store::audit::{self, AuditAction};
use crate::store::clean_text;
use crate::store::grades::{self, GradebookLine};

/// One row per learner; the lines come ordered by learner.
pub fn rows(lines: Vec<GradebookLine>) -> Vec<GradebookRow> {
    let mut rows: Vec<GradebookRow> = Vec::new();
    for line in lines {
        let user = line.user_id.to_string();
        if rows.last().is_none_or(|row| row.user != user) {
            let (login, display_name) = (line.login, line.display_name);
            rows.push(GradebookRow { user, login, display_name, cpu: vec![], gpu: vec![], last: None });
        }
        let (Some(row), Some(lab)) = (rows.last_mut(), line.lab) else { continue };
        let score = |earned, possible, reports| Score { lab: lab.clone(), earned, possible, reports };
        // A lab without points in a column has no line there.
        if line.cpu_possible > 0 {
            row.cpu.push(score(line.cpu_earned, line.cpu_possible, line.cpu_reports));
        }
        if line.gpu_possible > 0 {
            row.gpu.push(score(line.gpu_earned, line.gpu_possible, line.gpu_reports));
        }
        // RFC 3339 in UTC sorts as time does.
        row.last = row.last.take().max(line.last_ms.map(iso));
    }
    rows
}

pub async fn csv(State(app): State<AppState>, user: Instructor, Path((_, id)): Path<(String, String)>) -> Answer {
    let class = taught(&app, &user, &id).await?;
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
    use super::*;
    use crate::store::{UserId, UtcMs};

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

    #[test]
    fn one_row_per_learner_and_columns_apart() {
        let (lin, mei) = (UserId::new(), UserId::new());
        let rows = rows(vec![
            line(lin, "林", Some("73"), (5, 6), (0, 10)),
            line(lin, "林", Some("rmsnorm"), (4, 4), (0, 0)),
            line(mei, "梅", None, (0, 0), (0, 0)),
        ]);
        let labs = |scores: &[Score]| {
            scores.iter().map(|s| format!("{} {}/{}", s.lab, s.earned, s.possible)).collect::<Vec<_>>()
        };
        assert_eq!(rows.len(), 2);
        assert_eq!(labs(&rows[0].cpu), ["73 5/6", "rmsnorm 4/4"]);
        assert_eq!(labs(&rows[0].gpu), ["73 0/10"]);
        assert_eq!(rows[0].last.as_deref(), Some("2026-03-01T00:00:00Z"));
        assert_eq!((rows[1].cpu.len(), rows[1].gpu.len(), rows[1].last.as_deref()), (0, 0, None));
    }
}
