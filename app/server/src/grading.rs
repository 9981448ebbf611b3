//! From bytes to a stored, graded report: the one way in for uploads, tokens and runners.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evidence::{Document, GRADER, Grade, GradeContext, Outcome, Provenance, ReadError};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::store::grades::{self, Earned, GradeError, NewGrade};
use crate::store::reports::{self, Filter, NewReport, ReportRow, Stored, UploadedBy};
use crate::store::{GradeOutcome, JsonText, ReportId, ReportOrigin, Store, StoreError, User, Viewer};

/// How many of a learner's newest reports are looked at when a baseline is searched, and their bytes together.
const LINKED: usize = 24;
const LINKED_BYTES: usize = 1 << 20;

/// Reports read or graded at a time: each may hold many times its size while it is.
static GRADERS: Semaphore = Semaphore::const_new(2);

/// Files that learners are waiting for.
static IN_HAND: AtomicUsize = AtomicUsize::new(0);

struct InHand;

impl InHand {
    fn new() -> Self {
        IN_HAND.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        IN_HAND.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits until no learner waits for a grade, a few seconds at most: work in the background shares their processors.
pub async fn quiet() {
    for _ in 0..100 {
        if IN_HAND.load(Ordering::Relaxed) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What became of bytes that a learner sent.
pub enum Received {
    /// Stored (or known already) and graded. Without a grade where a class of the sender holds it back.
    Graded { id: ReportId, new: bool, grade: Option<Box<Grade>> },
    /// Not a report. Nothing was stored; the sender keeps the file.
    Unreadable(ReadError),
}

/// Stores and grades what a learner uploads.
pub async fn store_and_grade(store: &Store, user: &User, raw: Vec<u8>) -> Result<Received, GradingError> {
    let _in_hand = InHand::new();
    let parsed = parse(raw).await?;
    let (raw, document) = match parsed {
        (raw, Ok(document)) => (raw, document),
        (_, Err(error)) => return Ok(Received::Unreadable(error)),
    };
    let stored = reports::upload(store, user.id, facts(&document, &raw), UploadedBy::File).await?;
    let id = stored.id();
    if matches!(stored, Stored::New(_)) || !grades::is_graded(store, id).await? {
        grade_stored(store, id).await?;
    }
    // Read as the sender may: what a class holds back does not leave the store.
    let shown = grades::latest(store, user.viewer(), id).await?;
    let grade = shown.map(|row| row.grade.parse()).transpose()?.map(Box::new);
    Ok(Received::Graded { id, new: matches!(stored, Stored::New(_)), grade })
}

/// The columns of a report.
pub fn facts<'a>(document: &'a Document, raw: &'a [u8]) -> NewReport<'a> {
    let lab = document.lab();
    NewReport {
        raw,
        shape: document.shape,
        lab: (!lab.is_empty()).then_some(lab),
        class: document.report.evidence_class(),
        level: Some(document.report.level),
        device: document.report.device.as_ref(),
    }
}

/// Runs work for a processor beside the threads that answer others, a few at a time.
async fn working<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, GradingError> {
    let _permit = GRADERS.acquire().await.map_err(|_| GradingError::Stopped)?;
    tokio::task::spawn_blocking(work).await.map_err(|_| GradingError::Stopped)
}

/// Reads bytes, and gives them back with what they are.
pub async fn parse(raw: Vec<u8>) -> Result<(Vec<u8>, Result<Document, ReadError>), GradingError> {
    working(move || {
        let document = evidence::read(&raw);
        (raw, document)
    })
    .await
}

/// Grades a stored report, with the learner's other reports beside it, and appends the grade.
pub async fn grade_stored(store: &Store, id: ReportId) -> Result<Grade, GradingError> {
    let grade = judge_stored(store, id).await?;
    append(store, id, &grade).await?;
    Ok(grade)
}

/// What the grader says of a stored report now. Nothing is written.
pub async fn judge_stored(store: &Store, id: ReportId) -> Result<Grade, GradingError> {
    let (row, raw) = reports::raw_for_grading(store, id).await?.ok_or(GradingError::Missing)?;
    let others = others(store, &row).await?;
    let provenance = provenance(&row);
    let grade = working(move || {
        let document = evidence::read(&raw)?;
        let linked: Vec<Document> = others.iter().filter_map(|raw| evidence::read(raw).ok()).collect();
        let linked: Vec<&Document> = linked.iter().collect();
        Ok::<_, ReadError>(labs::grade(&document, &GradeContext { provenance, linked: &linked }))
    })
    .await??;
    Ok(grade)
}

async fn others(store: &Store, row: &ReportRow) -> Result<Vec<Vec<u8>>, StoreError> {
    let owner = Viewer::Learner(row.user_id);
    let newest = reports::list(store, owner, Filter { user: Some(row.user_id), lab: None }).await?;
    let mut raws: Vec<Vec<u8>> = Vec::new();
    let mut bytes = 0;
    for other in newest.into_iter().filter(|other| other.id != row.id).take(LINKED) {
        let Some(raw) = reports::raw(store, owner, other.id).await? else { continue };
        bytes += raw.len();
        if bytes > LINKED_BYTES {
            break;
        }
        raws.push(raw);
    }
    Ok(raws)
}

fn provenance(row: &ReportRow) -> Provenance {
    match row.provenance {
        ReportOrigin::Runner => {
            Provenance::Runner { runner: row.runner_id.map(|id| id.to_string()).unwrap_or_default() }
        }
        ReportOrigin::Upload => Provenance::Upload,
        ReportOrigin::Browser => Provenance::Browser,
    }
}

/// The columns of a grade.
pub fn columns(report: ReportId, grade: &Grade) -> Result<NewGrade<'static>, StoreError> {
    let earned = |points: evidence::PartPoints| Earned { earned: points.earned, possible: points.possible };
    Ok(NewGrade {
        report,
        grader_version: GRADER,
        outcome: match grade.outcome {
            Outcome::Graded => GradeOutcome::Graded,
            Outcome::NotEvidence { .. } => GradeOutcome::NotEvidence,
        },
        cpu: earned(grade.points.cpu),
        gpu: earned(grade.points.gpu),
        grade: JsonText::of(grade)?,
    })
}

async fn append(store: &Store, report: ReportId, grade: &Grade) -> Result<(), GradingError> {
    grades::append(store, &columns(report, grade)?).await?;
    Ok(())
}

/// Grades what was stored when the server stopped in between; leaves off when it stops again.
pub async fn catch_up(store: &Store, stop: &CancellationToken) -> Result<usize, StoreError> {
    let waiting = reports::ungraded(store).await?;
    let mut done = 0;
    for id in waiting {
        if stop.is_cancelled() {
            break;
        }
        match grade_stored(store, id).await {
            Ok(_) => done += 1,
            Err(error) => tracing::error!(%error, report = %id, "a stored report cannot be graded"),
        }
    }
    Ok(done)
}

#[derive(Debug, thiserror::Error)]
pub enum GradingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Grade(#[from] GradeError),
    #[error("the stored bytes are no report any more: {0:?}")]
    Unreadable(#[from] ReadError),
    #[error("there is no such report")]
    Missing,
    #[error("the grader stopped")]
    Stopped,
}
