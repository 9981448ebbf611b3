//! Points as files for others: Canvas's gradebook, and every attempt on a line of its own.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use evidence::{Lang, Part};
use serde_json::json;

use super::Grader;
use super::flows::graded;
use super::gradebook::{BYTE_ORDER_MARK, attachment, text};
use crate::http::AppState;
use crate::routes::account::answer::{Answer, iso, unavailable};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Member};
use crate::store::grades::{self, AttemptLine, Sheet};

/// Columns of Canvas before the assignments.
const CANVAS: [&str; 5] = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"];

/// Columns of the long form. What an import reads back is named by the constants.
pub const SUBMISSION: &str = "submission_id";
pub const CPU_POINTS: &str = "cpu_points";
pub const GPU_POINTS: &str = "gpu_points";
pub const REASON: &str = "reason";
const ATTEMPTS: [&str; 16] = [
    SUBMISSION,
    "login",
    "display_name",
    "lab",
    "attempt",
    "handed_in_at",
    "provenance",
    "evidence",
    "outcome",
    "grader",
    CPU_POINTS,
    "cpu_possible",
    GPU_POINTS,
    "gpu_possible",
    "class",
    REASON,
];

pub async fn canvas(State(app): State<AppState>, user: Grader, Path((_, id)): Path<(String, String)>) -> Answer {
    let class = graded(&app, &user, &id).await?;
    let members = classes::members(&app.store, user.viewer(), class.id).await?;
    let sheet = grades::sheet(&app.store, user.viewer(), class.id, None).await?;
    let file = canvas_file(&class.name, &members, &sheet).map_err(unavailable)?;
    let detail = json!({ "form": "canvas", "lines": members.len() });
    let subject = class.id.to_string();
    audit::record(&app.store, user.id, Some(class.id), AuditAction::GradebookExported, &subject, &detail).await?;
    Ok(attachment(&app, "canvas", file))
}

pub async fn attempts(State(app): State<AppState>, user: Grader, Path((_, id)): Path<(String, String)>) -> Answer {
    let class = graded(&app, &user, &id).await?;
    let lines = grades::attempts(&app.store, user.viewer(), class.id).await?;
    let file = attempts_file(&class.name, &lines).map_err(unavailable)?;
    let detail = json!({ "form": "attempts", "lines": lines.len() });
    let subject = class.id.to_string();
    audit::record(&app.store, user.id, Some(class.id), AuditAction::GradebookExported, &subject, &detail).await?;
    Ok(attachment(&app, "attempts", file))
}

fn writer() -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(BYTE_ORDER_MARK.to_vec())
}

fn done(writer: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// Hundredths of a point as Canvas reads points.
pub fn points(hundredths: i64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// One row per learner, one column per part of a lab, the row of possible points as Canvas itself exports it. Where no
/// credit stands the cell is empty: Canvas then leaves what it has.
fn canvas_file(class: &str, members: &[Member], sheet: &Sheet) -> Result<Vec<u8>, csv::Error> {
    let mut columns: BTreeMap<(&str, u8), i64> = BTreeMap::new();
    let place = |part: Part| match part {
        Part::Cpu => 0,
        Part::Gpu => 1,
    };
    for line in &sheet.lines {
        let possible = columns.entry((&line.lab, place(line.part))).or_default();
        *possible = (*possible).max(line.possible);
    }
    let name = |lab: &str, part: u8| {
        let title = labs::lab(lab).map_or(lab, |lab| lab.title(Lang::En));
        text(&format!("{lab} {title} – {}", if part == 0 { "CPU-provable" } else { "GPU" }))
    };
    let mut writer = writer();
    let head = CANVAS.iter().map(|name| (*name).to_owned());
    writer.write_record(head.chain(columns.keys().map(|(lab, part)| name(lab, *part))))?;
    let possible = std::iter::once("    Points Possible".to_owned()).chain((1..CANVAS.len()).map(|_| String::new()));
    writer.write_record(possible.chain(columns.values().map(i64::to_string)))?;
    for member in members {
        let own = [text(&member.display_name), String::new(), String::new(), text(&member.login), text(class)];
        let credits = columns.keys().map(|(lab, part)| {
            let part = if *part == 0 { Part::Cpu } else { Part::Gpu };
            let credit = sheet.line(member.user_id, lab, part).and_then(|line| line.standing.credit());
            credit.map(points).unwrap_or_default()
        });
        writer.write_record(own.into_iter().chain(credits))?;
    }
    done(writer)
}

/// One row per attempt, ordered by learner, lab and time.
fn attempts_file(class: &str, lines: &[AttemptLine]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = writer();
    writer.write_record(ATTEMPTS)?;
    let mut before: Option<&AttemptLine> = None;
    let mut attempt = 0;
    for line in lines {
        let goes_on = before.is_some_and(|before| before.user_id == line.user_id && before.lab == line.lab);
        attempt = if goes_on { attempt + 1 } else { 1 };
        before = Some(line);
        writer.write_record([
            line.report_id.to_string(),
            text(&line.login),
            text(&line.display_name),
            text(&line.lab),
            attempt.to_string(),
            iso(line.created_ms),
            line.provenance.id().to_owned(),
            line.class.id().to_owned(),
            line.outcome.id().to_owned(),
            text(&line.grader_version),
            line.cpu_earned.to_string(),
            line.cpu_possible.to_string(),
            line.gpu_earned.to_string(),
            line.gpu_possible.to_string(),
            text(class),
            String::new(),
        ])?;
    }
    done(writer)
}
