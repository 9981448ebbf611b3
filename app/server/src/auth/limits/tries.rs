//! Tries that are taken before they are judged, and given back when they were no wrong guess.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::KEYS;

/// A leaky bucket per key: so many tries at once, and one more every so often. Times are nanoseconds since any fixed
/// moment.
pub(super) struct Tries {
    burst: u64,
    every: u64,
    /// When the key's bucket will be empty.
    empty_at: Mutex<HashMap<String, u64>>,
}

fn nanos(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap_or(u64::MAX)
}

impl Tries {
    pub(super) fn new((burst, every): (u32, Duration)) -> Self {
        let every = nanos(every);
        Self { burst: every.saturating_mul(burst.into()), every, empty_at: Mutex::default() }
    }

    fn buckets(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        // What a panicked thread left is a number like any other.
        self.empty_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a try, or says how long to wait for one.
    pub(super) fn take(&self, key: &str, now: u64) -> Result<(), Duration> {
        let mut buckets = self.buckets();
        if buckets.len() > KEYS {
            buckets.retain(|_, empty_at| *empty_at > now);
        }
        let next = buckets.get(key).map_or(now, |at| now.max(*at)).saturating_add(self.every);
        match (next - now).checked_sub(self.burst) {
            None | Some(0) => {
                buckets.insert(key.to_owned(), next);
                Ok(())
            }
            Some(wait) => Err(Duration::from_nanos(wait)),
        }
    }

    pub(super) fn give_back(&self, key: &str) {
        if let Some(empty_at) = self.buckets().get_mut(key) {
            *empty_at = empty_at.saturating_sub(self.every);
        }
    }
}
