//! What learner and teacher say about a check of a report: threads that are appended to. A thread is a check with its
//! place; that it is resolved or open again is an entry of it.

use std::time::Duration;

use super::{ClassId, CommentId, ReportId, Store, StoreError, UserId, UtcMs, Viewer, clean_lines, clean_text};

/// Characters of one comment.
pub const BODY_MAX: usize = 4000;
/// Entries of one report: whoever writes more writes a book.
pub const ENTRIES_MAX: i64 = 500;
const CHECK_MAX: usize = 100;
const POINTER_MAX: usize = 500;
/// So many reports are listed as unread.
const UNREAD_MAX: i64 = 50;
/// What is older is not called unread: the list is asked for with every page of a class.
const UNREAD_FOR: Duration = Duration::from_secs(120 * 24 * 3600);

kinds! {
    /// An entry of a thread.
    CommentKind { Said = "said", Resolved = "resolved", Reopened = "reopened" }
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Comment {
    pub id: CommentId,
    pub check_id: String,
    pub pointer: String,
    pub author_id: UserId,
    pub author: String,
    /// Whether the report is the author's own.
    pub own: bool,
    pub kind: CommentKind,
    pub body: String,
    pub created_ms: UtcMs,
    /// Written by somebody else since the viewer last looked.
    pub unread: bool,
}

/// The check of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    pub check: &'a str,
    pub pointer: &'a str,
}

impl Place<'_> {
    /// Check and pointer as they are kept: a report's own keys may be long, and hold what a column does not take.
    pub fn kept(&self) -> (String, String) {
        (clean_text(self.check, CHECK_MAX), clean_text(self.pointer, POINTER_MAX))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CommentError {
    #[error("no such report, or not the writer's to see")]
    NoReport,
    #[error("nothing was written")]
    Empty,
    #[error("longer than {BODY_MAX} characters")]
    TooLong,
    #[error("the report has {ENTRIES_MAX} entries")]
    Full,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for CommentError {
    fn from(err: sqlx::Error) -> Self {
        Self::Store(err.into())
    }
}

/// Appends what somebody says. Plain text: lines are kept, unseen characters are not.
pub async fn say(
    store: &Store,
    viewer: Viewer,
    report: ReportId,
    place: Place<'_>,
    body: &str,
) -> Result<CommentId, CommentError> {
    let body = clean_lines(body, BODY_MAX + 1);
    match body.chars().count() {
        0 => Err(CommentError::Empty),
        n if n > BODY_MAX => Err(CommentError::TooLong),
        _ => append(store, viewer, report, place, CommentKind::Said, &body).await,
    }
}

/// Closes a thread or opens it again.
pub async fn mark(
    store: &Store,
    viewer: Viewer,
    report: ReportId,
    place: Place<'_>,
    resolved: bool,
) -> Result<CommentId, CommentError> {
    let kind = if resolved { CommentKind::Resolved } else { CommentKind::Reopened };
    append(store, viewer, report, place, kind, "").await
}

async fn append(
    store: &Store,
    viewer: Viewer,
    report: ReportId,
    place: Place<'_>,
    kind: CommentKind,
    body: &str,
) -> Result<CommentId, CommentError> {
    let (id, now) = (CommentId::new(), store.now());
    let (check, pointer) = place.kept();
    in_tx!(store, tx => {
        let sql = concat!("SELECT (SELECT COUNT(*) FROM comments c WHERE c.report_id = r.id) FROM reports r \
                           WHERE r.id = $3 AND ", visible!("r.user_id"));
        let count: Option<(i64,)> = sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(report)
            .fetch_optional(&mut *tx).await?;
        match count {
            None => return Err(CommentError::NoReport),
            Some((count,)) if count >= ENTRIES_MAX => return Err(CommentError::Full),
            Some(_) => {}
        }
        sqlx::query(
            "INSERT INTO comments (id, report_id, check_id, pointer, author_id, kind, body, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(id).bind(report).bind(check).bind(pointer).bind(viewer.id()).bind(kind).bind(body).bind(now)
        .execute(&mut *tx).await?;
        Ok(id)
    })
}

/// All entries of a visible report, oldest first.
pub async fn of_report(store: &Store, viewer: Viewer, report: ReportId) -> Result<Vec<Comment>, StoreError> {
    let sql = concat!(
        "SELECT c.id, c.check_id, c.pointer, c.author_id, u.display_name AS author, c.author_id = r.user_id AS own, \
           c.kind, c.body, c.created_ms, \
           (c.author_id <> $1 AND c.created_ms > COALESCE(s.seen_ms, 0)) AS unread \
         FROM comments c JOIN reports r ON r.id = c.report_id JOIN users u ON u.id = c.author_id \
           LEFT JOIN comments_seen s ON s.report_id = c.report_id AND s.user_id = $1 \
         WHERE c.report_id = $3 AND ",
        visible!("r.user_id"),
        " ORDER BY c.created_ms, c.id"
    );
    Ok(read!(store, c => sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(report).fetch_all(c).await)?)
}

/// The viewer has seen the entries of a report up to a moment.
pub async fn seen(store: &Store, viewer: Viewer, report: ReportId, until: UtcMs) -> Result<(), StoreError> {
    let sql = concat!(
        "INSERT INTO comments_seen (user_id, report_id, seen_ms) SELECT $1, r.id, $4 FROM reports r \
         WHERE r.id = $3 AND ",
        visible!("r.user_id"),
        " ON CONFLICT (user_id, report_id) DO UPDATE SET seen_ms = \
           CASE WHEN excluded.seen_ms > comments_seen.seen_ms THEN excluded.seen_ms ELSE comments_seen.seen_ms END"
    );
    Ok(write!(store, c => sqlx::query(sql).bind(viewer.id()).bind(viewer.teaches()).bind(report).bind(until)
        .execute(c).await.map(drop))?)
}

/// A report with entries that the viewer has not seen.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Unread {
    pub report_id: ReportId,
    pub user_id: UserId,
    pub display_name: String,
    pub lab: Option<String>,
    pub entries: i64,
    pub last_ms: UtcMs,
}

/// Reports with unread entries of others, newest first: of a class, or all that the viewer sees.
pub async fn unread(store: &Store, viewer: Viewer, class: Option<ClassId>) -> Result<Vec<Unread>, StoreError> {
    let sql = concat!(
        "SELECT r.id AS report_id, r.user_id, u.display_name, r.lab, COUNT(c.id) AS entries, \
           MAX(c.created_ms) AS last_ms \
         FROM comments c JOIN reports r ON r.id = c.report_id JOIN users u ON u.id = r.user_id \
           LEFT JOIN comments_seen s ON s.report_id = c.report_id AND s.user_id = $1 \
         WHERE c.created_ms > $5 AND c.author_id <> $1 AND c.created_ms > COALESCE(s.seen_ms, 0) \
           AND ($3 IS NULL OR EXISTS (SELECT 1 FROM memberships m WHERE m.class_id = $3 AND m.user_id = r.user_id \
             AND m.role = 'learner')) AND ",
        visible!("r.user_id"),
        " GROUP BY r.id, r.user_id, u.display_name, r.lab ORDER BY MAX(c.created_ms) DESC, r.id LIMIT $4"
    );
    Ok(read!(store, c => sqlx::query_as(sql).bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(UNREAD_MAX)
        .bind(store.now().minus(UNREAD_FOR)).fetch_all(c).await)?)
}
