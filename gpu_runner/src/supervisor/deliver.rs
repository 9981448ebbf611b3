//! Says something to the server until it is heard, or known to be unwanted.

use std::time::{Duration, Instant};

use super::backoff::Backoff;
use super::client::CallError;
use super::stop::Stop;

pub struct Patience {
    /// Longest wait between two tries.
    pub most_wait: Duration,
    /// No try begins after this; `None`: as long as it takes.
    pub give_up_after: Option<Duration>,
}

/// The last error when it gives up: because it is not a passing one, because the time is over, or because of a request to stop
/// (after which one more try is made).
pub fn deliver<T>(
    what: &str,
    patience: &Patience,
    stop: &Stop,
    mut call: impl FnMut() -> Result<T, CallError>,
) -> Result<T, CallError> {
    let started = Instant::now();
    let mut backoff = Backoff::new(Duration::from_millis(250), patience.most_wait);
    loop {
        let stopping = stop.is_set();
        let error = match call() {
            Err(error) if error.is_passing() => error,
            other => return other,
        };
        let over = patience.give_up_after.is_some_and(|most| started.elapsed() >= most);
        if stopping || over {
            return Err(error);
        }
        let delay = backoff.delay();
        tracing::warn!(%error, retry_in_ms = delay.as_millis(), "{what}: not delivered yet");
        stop.wait(delay);
    }
}
