//! A server with one queue, real leases and a log of every call. It checks tokens, fences by nonce, and can go down.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use protocol::{
    Claim, ClaimRequest, Failure, Heartbeat, Identity, JobId, Lease, Nonce, Note, Offer, Params, PublicKey, Receipt,
    SignedReport, Stage, TOKEN_EXPIRED,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Nothing that works takes this long; a test that waits in vain ends.
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Up,
    /// Takes connections and closes them without a word.
    Down,
    /// Down from the moment a heartbeat says this stage.
    DownAt(Stage),
}

#[derive(Debug)]
pub enum JobState {
    Queued,
    Leased { token: String, until: Instant },
    Reported { report: SignedReport },
    Failed { failure: Failure },
}

#[derive(Debug)]
pub struct Job {
    pub id: JobId,
    pub params: Params,
    pub kernel: Option<protocol::KernelSource>,
    pub nonce: Nonce,
    pub attempt: u32,
    pub state: JobState,
    pub stages: Vec<Stage>,
    pub notes: Vec<Note>,
    pub cancelled: bool,
}

#[derive(Debug)]
pub struct Inner {
    pub mood: Mood,
    pub lease: Duration,
    pub jobs: Vec<Job>,
    /// Token to the key it was first used with.
    pub keys: HashMap<String, Option<PublicKey>>,
    pub identities: Vec<Identity>,
    /// What the last claim offered.
    pub offer: Offer,
    pub log: Vec<String>,
    /// Connections closed while down.
    pub dropped: usize,
    /// Of these, the ones that brought a report.
    pub dropped_reports: usize,
    pub redirect: Option<String>,
    /// The time of every token is over.
    pub expired: bool,
}

#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<(Mutex<Inner>, Condvar)>,
}

impl Server {
    pub fn start(tokens: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let inner = Inner {
            mood: Mood::Up,
            lease: Duration::from_secs(30),
            jobs: Vec::new(),
            keys: tokens.iter().map(|token| ((*token).to_owned(), None)).collect(),
            identities: Vec::new(),
            offer: Offer::default(),
            log: Vec::new(),
            dropped: 0,
            dropped_reports: 0,
            redirect: None,
            expired: false,
        };
        let server =
            Self { address: listener.local_addr().unwrap(), shared: Arc::new((Mutex::new(inner), Condvar::new())) };
        let handler = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let handler = handler.clone();
                thread::spawn(move || handler.answer(stream));
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.0.lock().unwrap()
    }

    pub fn queue(&self, id: &str, params: &[(&str, u64)]) {
        let mut all = Params::new();
        for (name, value) in params {
            all.insert(name, (*value).into()).unwrap();
        }
        self.lock().jobs.push(Job {
            id: id.parse().unwrap(),
            params: all,
            kernel: None,
            nonce: Nonce::from_bytes([0; 32]),
            attempt: 0,
            state: JobState::Queued,
            stages: Vec::new(),
            notes: Vec::new(),
            cancelled: false,
        });
    }

    /// Waits for a condition, and shows the log when it never holds.
    pub fn wait(&self, what: &str, mut holds: impl FnMut(&Inner) -> bool) -> MutexGuard<'_, Inner> {
        let (mutex, changed) = &*self.shared;
        let (guard, timeout) =
            changed.wait_timeout_while(mutex.lock().unwrap(), DEADLINE, |inner| !holds(inner)).unwrap();
        assert!(!timeout.timed_out(), "{what}: never; {:#?}", *guard);
        guard
    }

    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let (request, headers, body) = read(&mut stream)?;
        let token =
            headers.get("authorization").and_then(|value| value.strip_prefix("Bearer ")).unwrap_or("").to_owned();
        let mut inner = self.lock();
        if inner.mood == Mood::Down {
            inner.dropped += 1;
            inner.dropped_reports += usize::from(request.ends_with("/reports"));
            self.shared.1.notify_all();
            return None;
        }
        let (status, answer) = match inner.redirect.clone() {
            Some(_) => (307, Value::Null),
            None => inner.route(&request, &token, &body),
        };
        inner.log.push(format!("{request} {status}"));
        let mut head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n");
        if let Some(to) = &inner.redirect {
            head += &format!("location: {to}\r\n");
        }
        if inner.mood == Mood::Down {
            // Went down by this very call: the answer is lost.
            self.shared.1.notify_all();
            return None;
        }
        drop(inner);
        let body = if answer.is_null() { String::new() } else { answer.to_string() };
        let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
        // Waiters see the call when its answer is on its way.
        let _inner = self.lock();
        self.shared.1.notify_all();
        Some(())
    }
}

type Request = (String, HashMap<String, String>, Vec<u8>);

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut input = BufReader::new(stream);
    let mut line = String::new();
    input.read_line(&mut line).ok()?;
    let request = line.rsplit_once(' ')?.0.to_owned();
    let mut headers = HashMap::new();
    loop {
        line.clear();
        input.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    Some((request, headers, body))
}

fn problem(status: u16, detail: &str) -> (u16, Value) {
    (status, json!({"title": "problem", "status": status, "detail": detail}))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, (u16, Value)> {
    serde_json::from_slice(body).map_err(|error| problem(422, &error.to_string()))
}

impl Inner {
    pub fn job(&self, id: &str) -> &Job {
        self.jobs.iter().find(|job| job.id.as_str() == id).unwrap()
    }

    pub fn job_mut(&mut self, id: &str) -> &mut Job {
        self.jobs.iter_mut().find(|job| job.id.as_str() == id).unwrap()
    }

    pub fn calls(&self, part: &str) -> usize {
        self.log.iter().filter(|line| line.contains(part)).count()
    }

    fn route(&mut self, request: &str, token: &str, body: &[u8]) -> (u16, Value) {
        if !self.keys.contains_key(token) {
            return problem(401, "unknown token");
        }
        if self.expired {
            let detail = "this runner's token ended at 2026-08-28T00:00:00Z; register the runner again";
            return (401, json!({"type": TOKEN_EXPIRED, "status": 401, "detail": detail}));
        }
        let result = match request {
            "PUT /api/v1/runner/identity" => self.identify(token, body),
            "POST /api/v1/runner/claims" => self.claim(token, body),
            _ => self.about_job(request, token, body),
        };
        result.unwrap_or_else(|refused| refused)
    }

    fn identify(&mut self, token: &str, body: &[u8]) -> Result<(u16, Value), (u16, Value)> {
        let identity: Identity = parse(body)?;
        let bound = self.keys.get_mut(token).unwrap();
        if bound.is_some_and(|key| key != identity.public_key) {
            return Err(problem(409, "another key is bound to this token"));
        }
        *bound = Some(identity.public_key);
        self.identities.push(identity);
        Ok((200, json!({})))
    }

    fn claim(&mut self, token: &str, body: &[u8]) -> Result<(u16, Value), (u16, Value)> {
        let wanted: ClaimRequest = parse(body)?;
        self.offer = wanted.offer.clone();
        let (now, lease) = (Instant::now(), self.lease);
        let free = |job: &&mut Job| match job.state {
            JobState::Queued => true,
            JobState::Leased { until, .. } => until <= now,
            _ => false,
        };
        let Some(job) =
            self.jobs.iter_mut().find(free).filter(|_| wanted.labs.iter().any(|lab| lab.as_str() == "rmsnorm"))
        else {
            return Ok((204, Value::Null));
        };
        job.attempt += 1;
        job.nonce = Nonce::from_bytes([u8::try_from(job.attempt).unwrap(); 32]);
        job.state = JobState::Leased { token: token.to_owned(), until: now + lease };
        let claim = Claim {
            job_id: job.id.clone(),
            lab: "rmsnorm".parse().unwrap(),
            params: job.params.clone(),
            nonce: job.nonce.clone(),
            lease_ms: u64::try_from(lease.as_millis()).unwrap(),
            attempt: job.attempt,
            kernel: job.kernel.clone(),
        };
        Ok((200, serde_json::to_value(claim).unwrap()))
    }

    fn about_job(&mut self, request: &str, token: &str, body: &[u8]) -> Result<(u16, Value), (u16, Value)> {
        let path = request.strip_prefix("POST /api/v1/runner/jobs/").ok_or_else(|| problem(404, "no such route"))?;
        let (id, what) = path.split_once('/').ok_or_else(|| problem(404, "no such route"))?;
        let (lease, key) = (self.lease, self.keys[token]);
        let mood = self.mood;
        let job = self.jobs.iter_mut().find(|job| job.id.as_str() == id).ok_or_else(|| problem(404, "no such job"))?;
        let nonce: Value = parse(body)?;
        let fits = nonce["nonce"] == job.nonce.to_string();
        let held = matches!(&job.state, JobState::Leased { token: holder, .. } if holder == token);
        if !(fits && held) {
            return Err(problem(409, "lease lost"));
        }
        match what {
            "heartbeats" => {
                let heartbeat: Heartbeat = parse(body)?;
                job.state = JobState::Leased { token: token.to_owned(), until: Instant::now() + lease };
                job.stages.push(heartbeat.stage);
                job.notes.extend(heartbeat.notes);
                let cancelled = job.cancelled;
                if mood == Mood::DownAt(heartbeat.stage) {
                    self.mood = Mood::Down;
                }
                let lease_ms = u64::try_from(lease.as_millis()).unwrap();
                Ok((200, serde_json::to_value(Lease { lease_ms, cancelled }).unwrap()))
            }
            "reports" => {
                let report: SignedReport = parse(body)?;
                let key = key.ok_or_else(|| problem(403, "no key yet"))?;
                report.verify(&key, &job.id, &job.nonce).map_err(|error| problem(422, &error.to_string()))?;
                job.state = JobState::Reported { report };
                Ok((200, serde_json::to_value(Receipt { job_id: job.id.clone(), stage: Stage::Grading }).unwrap()))
            }
            "failures" => {
                job.state = JobState::Failed { failure: parse(body)? };
                Ok((200, json!({})))
            }
            _ => Err(problem(404, "no such route")),
        }
    }
}
