//! Watches one run to its end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use protocol::FailureKind;

use super::ending::{self, Ending};
use super::process::{ChildProgram, Event, Running};
use super::stop::Stop;
use crate::child::{Line, Spec};

/// How soon a request to stop and the time limit are noticed.
const TICK: Duration = Duration::from_millis(50);
/// What a child said last may still be in the pipe when it has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub struct Run<'a> {
    pub program: &'a ChildProgram,
    pub spec: &'a Spec,
    pub timeout: Duration,
    pub stop: &'a Stop,
}

impl Run<'_> {
    /// Runs the child. `events` may also bring the loss of the lease. Whatever happens, no process of the run is left.
    pub fn watch(&self, sender: &Sender<Event>, events: &Receiver<Event>, on_line: &mut dyn FnMut(&Line)) -> Ending {
        let mut running = match Running::start(self.program, self.spec, sender) {
            Ok(running) => running,
            Err(error) => {
                return Ending::failed(
                    FailureKind::ChildCouldNotStart,
                    format!("the lab's process could not be started: {}", error.kind()),
                );
            }
        };
        tracing::debug!(pid = running.pid(), "child started");
        let deadline = Instant::now() + self.timeout;
        let (mut last, mut silent) = (None, false);
        loop {
            if self.stop.is_set() {
                return Ending::Stopped;
            }
            if Instant::now() >= deadline {
                return Ending::failed(
                    FailureKind::ChildTimedOut,
                    format!("no end after {} s", self.timeout.as_secs()),
                );
            }
            match events.recv_timeout(TICK) {
                Ok(Event::Line(line)) => note(line, &mut last, on_line),
                Ok(Event::LeaseLost { why }) => return Ending::Withdrawn { why },
                Ok(Event::Exited) => break,
                Ok(Event::OutputEnded) => silent = true,
                Err(RecvTimeoutError::Timeout) => {}
                // The sender we hold keeps the channel open.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = match running.end() {
            Ok(status) => status,
            Err(error) => {
                return Ending::failed(
                    FailureKind::ChildCrashed,
                    format!("the lab's process was lost: {}", error.kind()),
                );
            }
        };
        let deadline = Instant::now() + LAST_WORDS;
        while !silent {
            match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Line(line)) => note(line, &mut last, on_line),
                Ok(Event::LeaseLost { why }) => return Ending::Withdrawn { why },
                Ok(Event::Exited) => {}
                Ok(Event::OutputEnded) | Err(_) => silent = true,
            }
        }
        let stderr = running.stderr_tail();
        if !stderr.is_empty() {
            tracing::debug!(%stderr, "the child's standard error");
        }
        ending::read(self.spec, last, status, &stderr, running.report())
    }
}

fn note(line: Line, last: &mut Option<Line>, on_line: &mut dyn FnMut(&Line)) {
    on_line(&line);
    *last = Some(line);
}
