//! What a process said before it ended may still be in its pipes when it has.

use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// Somebody whom the process left behind may hold a pipe open, so nobody waits for longer.
pub const LAST_WORDS: Duration = Duration::from_secs(2);

/// Waits until a thread that reads a pipe has read it to its end.
pub fn hear_out<T>(listener: &JoinHandle<T>) {
    let end = Instant::now() + LAST_WORDS;
    while !listener.is_finished() && Instant::now() < end {
        sleep(Duration::from_millis(2));
    }
}
