//! Keeps the lease of a job: a heartbeat at every stage and three times per lease, from a thread of its own, so that a slow server
//! never delays the end of a child.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use protocol::{Claim, Heartbeat};

use super::backoff::Backoff;
use super::client::Client;
use super::process::Event;
use super::times::Times;

/// Dropping it ends the heartbeats.
pub struct Keeper {
    wake: Sender<()>,
}

impl Keeper {
    pub fn start(client: &Client, claim: &Claim, times: &Times, events: &Sender<Event>) -> Self {
        let (wake, woken) = mpsc::channel();
        let (client, claim, times, events) = (client.clone(), claim.clone(), times.clone(), events.clone());
        thread::spawn(move || {
            if let Some(why) = keep(&client, &claim, &times, &woken) {
                let _ = events.send(Event::LeaseLost { why });
            }
        });
        Self { wake }
    }

    /// Says the new stage at once.
    pub fn stage_changed(&self) {
        let _ = self.wake.send(());
    }
}

pub fn interval(lease_ms: u64) -> Duration {
    Duration::from_millis((lease_ms / 3).clamp(100, 30_000))
}

/// Why the lease is lost; `None` when no one needs it any more.
fn keep(client: &Client, claim: &Claim, times: &Times, woken: &Receiver<()>) -> Option<String> {
    let mut wait = interval(claim.lease_ms);
    let mut backoff = Backoff::new(Duration::from_millis(250), wait);
    loop {
        match woken.recv_timeout(wait) {
            Ok(()) => while woken.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        let heartbeat = Heartbeat { nonce: claim.nonce.clone(), stage: times.current(), times: times.all() };
        match client.heartbeat(&claim.job_id, &heartbeat) {
            Ok(lease) if lease.cancelled => return Some("the job was cancelled".to_owned()),
            Ok(lease) => {
                wait = interval(lease.lease_ms);
                backoff = Backoff::new(Duration::from_millis(250), wait);
            }
            Err(error) if error.is_passing() => {
                tracing::warn!(job = %claim.job_id, %error, "heartbeat failed; trying again");
                wait = backoff.delay();
            }
            Err(error) => return Some(error.to_string()),
        }
    }
}
