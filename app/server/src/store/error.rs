use super::{ids::IdError, kinds::KindError};

/// The store could not answer. Refusals that a caller can act on have their own enums beside each query.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the database refused or could not be reached")]
    Database(#[from] sqlx::Error),
    #[error("the database could not be brought to this version's schema")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    #[error("the folder {path} could not be prepared")]
    Folder { path: std::path::PathBuf, source: std::io::Error },
    #[error("stored JSON does not have the expected form")]
    Json(#[from] serde_json::Error),
    #[error("expired sessions could not be deleted: {0}")]
    Sessions(String),
    #[error("the operating system gave no random bytes")]
    NoRandomness,
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Kind(#[from] KindError),
}

/// True when the statement broke a UNIQUE constraint. SQLite does not say which one.
pub(crate) fn is_unique(err: &sqlx::Error) -> bool {
    matches!(err, sqlx::Error::Database(e) if e.is_unique_violation())
}
