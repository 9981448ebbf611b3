//! Two typed pools behind one name, and the macros that expand a query once per engine.
//!
//! `$n` placeholders, BIGINT, BOOLEAN and `RETURNING` mean the same on both engines, so nearly every statement is
//! written once. The `Any` driver is not used: it loses booleans, JSON and big sums.

use sqlx::{PgPool, SqlitePool};

/// SQLite has exactly one writer: a second one would only wait for the file lock, and a deferred transaction that
/// upgrades late fails with "database is locked" instead of waiting.
#[derive(Clone, Debug)]
pub(crate) enum Db {
    Sqlite { read: SqlitePool, write: SqlitePool },
    Pg(PgPool),
}

impl Db {
    /// Lets parallel claimers skip each other's candidate row. SQLite has one writer and needs nothing.
    pub(crate) fn skip_locked(&self) -> &'static str {
        match self {
            Db::Sqlite { .. } => "",
            Db::Pg(_) => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// Holds the selected row until the end of the transaction. SQLite's transaction already excludes every writer.
    pub(crate) fn for_update(&self) -> &'static str {
        match self {
            Db::Sqlite { .. } => "",
            Db::Pg(_) => " FOR UPDATE",
        }
    }
}

/// `read!(store, c => query.fetch_all(c).await)`: runs on a reader.
macro_rules! read {
    ($store:expr, $c:ident => $body:expr) => {
        match &$store.db {
            $crate::store::db::Db::Sqlite { read: $c, .. } => $body,
            $crate::store::db::Db::Pg($c) => $body,
        }
    };
}

/// One statement on the writer.
macro_rules! write {
    ($store:expr, $c:ident => $body:expr) => {
        match &$store.db {
            $crate::store::db::Db::Sqlite { write: $c, .. } => $body,
            $crate::store::db::Db::Pg($c) => $body,
        }
    };
}

/// Several statements, all or nothing: the body is a `Result`, and `Err` (also by `?` or `return`) rolls back. The body
/// must not use `read!` or `write!`: on SQLite the only writer is taken.
///
/// The rollback is awaited. Left to the drop of the transaction it would run some time later, and until then its row
/// locks would hide jobs from `SKIP LOCKED`.
macro_rules! in_tx {
    ($store:expr, $tx:ident => $body:expr) => {
        match &$store.db {
            $crate::store::db::Db::Sqlite { write, .. } => {
                let tx = write.begin_with("BEGIN IMMEDIATE").await?;
                in_tx!(@ends tx, $tx => $body)
            }
            $crate::store::db::Db::Pg(pool) => {
                let tx = pool.begin().await?;
                in_tx!(@ends tx, $tx => $body)
            }
        }
    };
    (@ends $owned:ident, $tx:ident => $body:expr) => {{
        let mut owned = $owned;
        let $tx = &mut *owned;
        let out = async { $body }.await;
        match out {
            Ok(value) => {
                owned.commit().await?;
                Ok(value)
            }
            Err(err) => {
                owned.rollback().await?;
                Err(err)
            }
        }
    }};
}
