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
    /// Whether a request to stop leaves time for one more try.
    pub last_try: bool,
}

/// The last error when it gives up: because it is not a passing one, because the time is over, or because of a request to stop.
pub fn deliver<T>(
    what: &str,
    patience: &Patience,
    stop: &Stop,
    mut call: impl FnMut() -> Result<T, CallError>,
) -> Result<T, CallError> {
    let started = Instant::now();
    let mut backoff = Backoff::new(Duration::from_millis(250), patience.most_wait);
    loop {
        let was_stopping = stop.is_set();
        let error = match call() {
            Err(error) if error.is_passing() => error,
            other => return other,
        };
        let over = patience.give_up_after.is_some_and(|most| started.elapsed() >= most);
        let stopping = was_stopping || (stop.is_set() && !patience.last_try);
        if stopping || over {
            return Err(error);
        }
        let delay = backoff.delay();
        tracing::warn!(%error, retry_in_ms = delay.as_millis(), "{what}: not delivered yet");
        stop.wait(delay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: CallError = CallError::Busy { status: 503 };

    fn gone() -> CallError {
        CallError::Gone { status: 409, detail: String::new() }
    }

    /// Calls made, and what came of them. `answers` are given in turn, then the last one for ever.
    fn outcome(
        answers: &[Result<u8, CallError>],
        patience: &Patience,
        stop_at: usize,
    ) -> (usize, Result<u8, CallError>) {
        let (stop, mut calls) = (Stop::new(), 0);
        if stop_at == 0 {
            stop.set();
        }
        let result = deliver("test", patience, &stop, || {
            calls += 1;
            if calls == stop_at {
                stop.set();
            }
            answers[(calls - 1).min(answers.len() - 1)].clone()
        });
        (calls, result)
    }

    #[test]
    fn it_tries_until_it_is_heard_unwanted_out_of_time_or_stopped() {
        const NEVER: usize = usize::MAX;
        let most_wait = Duration::from_millis(1);
        let patient = |last_try| Patience { most_wait, give_up_after: None, last_try };
        let hasty = Patience { most_wait, give_up_after: Some(Duration::ZERO), last_try: true };
        for (what, answers, patience, stop_at, expected) in [
            ("heard at once", vec![Ok(1)], patient(true), NEVER, (1, Ok(1))),
            ("heard later", vec![Err(BUSY), Err(BUSY), Ok(1)], patient(true), NEVER, (3, Ok(1))),
            ("unwanted later", vec![Err(BUSY), Err(gone())], patient(true), NEVER, (2, Err(gone()))),
            ("out of time", vec![Err(BUSY)], hasty, NEVER, (1, Err(BUSY))),
            ("stopped before", vec![Err(BUSY)], patient(true), 0, (1, Err(BUSY))),
            ("stopped, one more try", vec![Err(BUSY)], patient(true), 2, (3, Err(BUSY))),
            ("stopped, and the last try is heard", vec![Err(BUSY), Ok(1)], patient(true), 1, (2, Ok(1))),
            ("stopped for good", vec![Err(BUSY)], patient(false), 2, (2, Err(BUSY))),
        ] {
            assert_eq!(outcome(&answers, &patience, stop_at), expected, "{what}");
        }
    }
}
