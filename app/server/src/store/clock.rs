//! Time as the store sees it: milliseconds UTC from a clock that tests can move.

use std::{
    fmt,
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type, serde::Serialize)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct UtcMs(pub i64);

impl UtcMs {
    /// Saturates at the ends of the range.
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(millis(by)))
    }

    /// `2026-03-01T09:30:00.125Z`; `None` beyond the year 9999.
    pub fn rfc3339(self) -> Option<String> {
        let nanos = i128::from(self.0).checked_mul(1_000_000)?;
        OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?.format(&Rfc3339).ok()
    }
}

fn millis(d: Duration) -> i64 {
    i64::try_from(d.as_millis()).unwrap_or(i64::MAX)
}

pub trait Clock: Send + Sync + fmt::Debug + 'static {
    fn now(&self) -> UtcMs;
}

#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UtcMs {
        // A clock before 1970 reads as 1970: every link and lease is then valid for its full time, none for ever.
        UtcMs(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis))
    }
}

/// Stands still until it is moved.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub fn at(start: UtcMs) -> Self {
        Self(AtomicI64::new(start.0))
    }

    /// As a clock that somebody sets, forwards or back.
    pub fn set(&self, to: UtcMs) {
        self.0.store(to.0, Ordering::SeqCst);
    }

    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(millis(by), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UtcMs {
        UtcMs(self.0.load(Ordering::SeqCst))
    }
}
