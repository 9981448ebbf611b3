use std::{path::Path, sync::Arc, time::Duration};

use sqlx::{
    postgres::PgPoolOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{Clock, StoreError, SystemClock, UtcMs, db::Db};

const READERS: u32 = 8;
const PG_CONNECTIONS: u32 = 16;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The store: cheap to clone, shared by every request.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) db: Db,
    clock: Arc<dyn Clock>,
}

impl Store {
    /// Opens and migrates. `postgres://…` is a PostgreSQL server; anything else is the path of a SQLite file, which
    /// is created with its folder when missing.
    pub async fn open(url_or_path: &str) -> Result<Self, StoreError> {
        Self::open_with_clock(url_or_path, Arc::new(SystemClock)).await
    }

    pub async fn open_with_clock(url_or_path: &str, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let db = if is_postgres(url_or_path) {
            open_postgres(url_or_path).await?
        } else {
            let path = url_or_path.strip_prefix("sqlite:").unwrap_or(url_or_path);
            open_sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))).await?
        };
        Ok(Self { db, clock })
    }

    pub fn now(&self) -> UtcMs {
        self.clock.now()
    }

    /// Answers when the database does; for the readiness probe.
    pub async fn ping(&self) -> Result<(), StoreError> {
        read!(self, c => sqlx::query("SELECT 1").execute(c).await.map(drop))?;
        Ok(())
    }

    /// Waits for running statements and closes the pools; SQLite then folds its write-ahead log into the file.
    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Db::Pg(pool) => pool.close().await,
        }
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

async fn open_sqlite(path: &Path) -> Result<Db, StoreError> {
    prepare_file(path).map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let write = SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(
            options
                .clone()
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Normal)
                .optimize_on_close(true, None),
        )
        .await?;
    sqlx::migrate!("../../migrations/sqlite").run(&write).await?;
    // query_only instead of opening the file read-only: a read-only handle cannot create the shared-memory file of
    // the write-ahead log and would fail when it happens to be the first.
    let read = SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_with(options.create_if_missing(false).pragma("query_only", "ON"))
        .await?;
    Ok(Db::Sqlite { read, write })
}

/// The file holds password hashes: readable by its owner alone. SQLite gives its side files the same mode.
fn prepare_file(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

async fn open_postgres(url: &str) -> Result<Db, StoreError> {
    let pool = PgPoolOptions::new().max_connections(PG_CONNECTIONS).connect(url).await?;
    // The migrator takes an advisory lock, so several web processes may start at once.
    sqlx::migrate!("../../migrations/postgres").run(&pool).await?;
    Ok(Db::Pg(pool))
}
