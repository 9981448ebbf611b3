//! Asked to stop: by a signal, or by a test.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Cheap to clone; once set it stays set.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Set by SIGTERM, SIGINT or SIGHUP from now on.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::new();
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let setter = stop.clone();
        thread::spawn(move || {
            for _ in signals.forever() {
                setter.set();
            }
        });
        Ok(stop)
    }

    pub fn set(&self) {
        let (flag, waiters) = &*self.0;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        waiters.notify_all();
    }

    pub fn is_set(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits at most `most`; true as soon as it is set.
    pub fn wait(&self, most: Duration) -> bool {
        let (flag, waiters) = &*self.0;
        let guard = flag.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = waiters.wait_timeout_while(guard, most, |set| !*set).unwrap_or_else(PoisonError::into_inner);
        *guard
    }
}
