//! Keeps the lease of a job: a heartbeat at every stage and three times per lease, from a thread of its own, so that a slow server
//! never delays the end of a child.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use protocol::{Claim, Heartbeat, Note, limits};

use super::backoff::Backoff;
use super::client::Client;
use super::machine;
use super::process::Event;
use super::times::Times;

/// A cancelled job is noticed after this at the latest, however long its lease.
const LONGEST: Duration = Duration::from_secs(5);
/// Lines that one job may say; what comes after is in the runner's own log only.
const NOTES: usize = 500;

/// Dropping it ends the heartbeats.
pub struct Keeper {
    wake: Sender<()>,
    notes: Arc<Mutex<Vec<Note>>>,
}

impl Keeper {
    pub fn start(client: &Client, claim: &Claim, times: &Times, events: &Sender<Event>) -> Self {
        let (wake, woken) = mpsc::channel();
        let notes = Arc::new(Mutex::new(Vec::new()));
        let said = Said { notes: Arc::clone(&notes), heard: 0 };
        let (client, claim, times, events) = (client.clone(), claim.clone(), times.clone(), events.clone());
        thread::spawn(move || {
            if let Some(why) = keep(&client, &claim, &times, said, &woken) {
                let _ = events.send(Event::LeaseLost { why });
            }
        });
        Self { wake, notes }
    }

    /// Tells the server at once where the run stands.
    pub fn wake(&self) {
        let _ = self.wake.send(());
    }

    /// A line for the log of the job.
    pub fn say(&self, text: &str) {
        {
            let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            if notes.len() >= NOTES {
                return;
            }
            let number = u32::try_from(notes.len()).unwrap_or(u32::MAX);
            notes.push(Note { number, text: machine::cut(text) });
        }
        self.wake();
    }
}

/// The lines of a job, and how many of them the server has.
struct Said {
    notes: Arc<Mutex<Vec<Note>>>,
    heard: usize,
}

impl Said {
    fn news(&self) -> Vec<Note> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.iter().skip(self.heard).take(limits::NOTES).cloned().collect()
    }
}

pub fn interval(lease_ms: u64) -> Duration {
    Duration::from_millis(lease_ms / 3).clamp(Duration::from_millis(100), LONGEST)
}

/// Why the lease is lost; `None` when no one needs it any more.
fn keep(client: &Client, claim: &Claim, times: &Times, mut said: Said, woken: &Receiver<()>) -> Option<String> {
    let mut wait = interval(claim.lease_ms);
    let mut backoff = Backoff::new(Duration::from_millis(250), wait);
    let mut ended = false;
    loop {
        match woken.recv_timeout(wait) {
            Ok(()) => while woken.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => ended = true,
        }
        let notes = said.news();
        // The run is over; its last words are told once, and nobody waits for the answer.
        if ended && notes.is_empty() {
            return None;
        }
        let count = notes.len();
        let heartbeat = Heartbeat { nonce: claim.nonce.clone(), stage: times.current(), times: times.all(), notes };
        match client.heartbeat(&claim.job_id, &heartbeat) {
            _ if ended => return None,
            Ok(lease) if lease.cancelled => return Some("the job was cancelled".to_owned()),
            Ok(lease) => {
                said.heard += count;
                wait = if said.news().is_empty() { interval(lease.lease_ms) } else { Duration::ZERO };
                backoff = Backoff::new(Duration::from_millis(250), interval(lease.lease_ms));
            }
            Err(error) if error.is_passing() => {
                tracing::warn!(job = %claim.job_id, %error, "heartbeat failed; trying again");
                wait = backoff.delay();
            }
            Err(error) => return Some(error.to_string()),
        }
    }
}
