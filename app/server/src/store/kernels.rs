//! Kernels that learners wrote, each with the job that runs it.

use protocol::{KernelLanguage, KernelSource};

use super::{JobId, Store, StoreError, UserId, Viewer};

/// `keep_kernel!(tx, job, source)`: in the transaction that enqueues the job, so that no runner sees one without the other.
macro_rules! keep_kernel {
    ($tx:ident, $job:expr, $source:expr) => {
        sqlx::query("INSERT INTO job_kernels (job_id, language, text) VALUES ($1, $2, $3)")
            .bind($job)
            .bind($source.language.id())
            .bind($source.text.as_str())
            .execute(&mut *$tx)
            .await?
    };
}
pub(crate) use keep_kernel;

#[derive(sqlx::FromRow)]
struct Row {
    language: String,
    text: String,
}

impl Row {
    fn source(self) -> Result<KernelSource, StoreError> {
        let value = serde_json::json!({ "language": self.language, "text": self.text });
        Ok(serde_json::from_value(value)?)
    }
}

/// For the runner that holds the job.
pub async fn of_job(store: &Store, job: JobId) -> Result<Option<KernelSource>, StoreError> {
    let sql = "SELECT language, text FROM job_kernels WHERE job_id = $1";
    let row: Option<Row> = read!(store, c => sqlx::query_as(sql).bind(job).fetch_optional(c).await)?;
    row.map(Row::source).transpose()
}

/// What ran with a job that the viewer may see.
pub async fn get(store: &Store, viewer: Viewer, job: JobId) -> Result<Option<KernelSource>, StoreError> {
    let sql = concat!(
        "SELECT k.language, k.text FROM job_kernels k JOIN jobs j ON j.id = k.job_id WHERE j.id = $3 AND ",
        visible!("j.user_id")
    );
    let row: Option<Row> = read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(job).fetch_optional(c).await)?;
    row.map(Row::source).transpose()
}

/// What a learner sent last for a lab, in that language where one is asked for.
pub async fn latest(
    store: &Store,
    user: UserId,
    lab: &str,
    language: Option<KernelLanguage>,
) -> Result<Option<KernelSource>, StoreError> {
    let sql = "SELECT k.language, k.text FROM job_kernels k JOIN jobs j ON j.id = k.job_id \
               WHERE j.user_id = $1 AND j.lab = $2 AND ($3 IS NULL OR k.language = $3) \
               ORDER BY j.created_ms DESC, j.id DESC LIMIT 1";
    let language = language.map(KernelLanguage::id);
    let row: Option<Row> =
        read!(store, c => sqlx::query_as(sql).bind(user).bind(lab).bind(language).fetch_optional(c).await)?;
    row.map(Row::source).transpose()
}
