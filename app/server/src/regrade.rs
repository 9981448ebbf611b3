//! Regrades and comparisons of reports, in the background: one report at a time, so that an upload never waits for more
//! than the one that is being graded.

use std::time::Duration;

use evidence::{GRADER, Grade, Print};

use crate::grading::{self, GradingError};
use crate::http::AppState;
use crate::store::likenesses::{self, Found};
use crate::store::regrades::{self, Judged, Next};
use crate::store::{JsonText, Store, reports};

/// Grades appended in one transaction.
const BATCH: u32 = 50;
/// How often idle work looks for more.
const IDLE: Duration = Duration::from_secs(1);

/// Does the next piece of work; whether there was one.
pub async fn step(store: &Store) -> Result<bool, GradingError> {
    match regrades::next(store, GRADER).await? {
        None => compare_one(store).await,
        Some(Next::Publish(id)) => {
            regrades::publish_some(store, id, BATCH).await?;
            Ok(true)
        }
        Some(Next::Grade { regrade, report, old }) => {
            let judged = match grading::judge_stored(store, report).await {
                Ok(grade) => judged(&old, &grade, grading::columns(report, &grade)?)?,
                Err(GradingError::Unreadable(_)) => Judged::Failed,
                // Deleted with its learner; its line went with it.
                Err(GradingError::Missing) => return Ok(true),
                Err(error) => return Err(error),
            };
            regrades::write(store, regrade, report, &judged).await?;
            Ok(true)
        }
    }
}

fn judged(old: &JsonText, grade: &Grade, new: crate::store::grades::NewGrade<'_>) -> Result<Judged, GradingError> {
    if *old == new.grade {
        return Ok(Judged::Identical);
    }
    // A grade of an earlier form of this program may not be read any more; then everything is new.
    let changed = old.parse::<Grade>().map_or(true, |old| !evidence::diff(&old, grade).is_empty());
    Ok(Judged::Graded { changed, outcome: new.outcome, cpu: new.cpu, gpu: new.gpu, grade: new.grade })
}

/// Looks at one report that was not compared yet.
async fn compare_one(store: &Store) -> Result<bool, GradingError> {
    let Some(id) = likenesses::unprinted(store).await? else { return Ok(false) };
    let Some((row, raw)) = reports::raw_for_grading(store, id).await? else { return Ok(true) };
    let (_, document) = grading::parse(raw).await?;
    // What a runner signed was measured for its job; a shape that cannot be read has no numbers.
    let print = match document {
        Ok(document) if row.provenance != crate::store::ReportOrigin::Runner => Print::of(&document),
        _ => None,
    };
    let mut found = Vec::new();
    if let Some(print) = &print {
        for other in likenesses::comparable(store, row.user_id, &print.workload).await? {
            if let Some(likeness) = other.print.parse::<Print>().ok().and_then(|other| print.alike(&other)) {
                found.push(Found { other: other.report_id, likeness });
            }
        }
    }
    likenesses::write(store, &row, print.as_ref(), &found).await?;
    Ok(true)
}

/// Works until the server stops.
pub async fn work(app: AppState) {
    let mut ticks = tokio::time::interval(IDLE);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.cancelled() => return,
        }
        while !app.stop.is_cancelled() {
            grading::quiet().await;
            match step(&app.store).await {
                // Requests come first on a machine with few cores.
                Ok(true) => tokio::task::yield_now().await,
                Ok(false) => break,
                Err(error) => {
                    tracing::error!(%error, "a report could not be graded anew or compared");
                    break;
                }
            }
        }
    }
}
