//! From start to stop: sign in, then one job after the other.

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use protocol::{Claim, ClaimRequest, Failure, FailureKind, Identity, LabName, Offer, RunnerKey, SignedReport, Stage};

use super::address::{AddressError, ServerAddress};
use super::backoff::Backoff;
use super::client::{CallError, Client, ClientSetupError};
use super::deliver::{Patience, deliver};
use super::ending::Ending;
use super::job::Run;
use super::keeper::{Keeper, interval};
use super::process::ChildProgram;
use super::secret::{SecretError, Token, load_or_create_key};
use super::stop::Stop;
use super::times::Times;
use super::{ending, folder, machine};
use crate::backend::{BackendName, labs_for};
use crate::child::resources::Library;
use crate::child::{Line, Spec};

#[derive(Debug, Clone)]
pub struct Options {
    pub server: String,
    pub insecure_http: bool,
    pub ca_file: Option<PathBuf>,
    pub token_file: PathBuf,
    pub key_file: PathBuf,
    pub name: String,
    pub backend: BackendName,
    /// What jobs may ask of this machine.
    pub offer: Offer,
    /// Ends after one job.
    pub once: bool,
    pub poll: Duration,
    /// Shortens the limits of the labs.
    pub timeout: Option<Duration>,
    pub memory_bytes: Option<u64>,
    pub child: ChildProgram,
    /// NVIDIA's compiler, where this machine has it.
    pub nvrtc: Option<Library>,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Setup(#[from] ClientSetupError),
    #[error("no lab of this build runs on the backend {backend}")]
    NoLabs { backend: &'static str },
    #[error("{0}")]
    Expired(CallError),
    #[error("{0}. Ask the instructor for a new runner token")]
    Token(CallError),
    #[error("{0}. The token was first used with another key: give this runner its own token, or its old key file")]
    OtherKey(CallError),
    #[error("the server does not take this runner: {0}")]
    Refused(CallError),
}

impl ServeError {
    fn token(error: CallError) -> Self {
        if matches!(error, CallError::Expired { .. }) { Self::Expired(error) } else { Self::Token(error) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Asked to stop.
    Stopped,
    /// The one job asked for: whether its report was delivered.
    Once { delivered: bool },
}

struct Service<'a> {
    options: &'a Options,
    client: Client,
    key: RunnerKey,
    stop: &'a Stop,
}

pub fn serve(options: &Options, stop: &Stop) -> Result<Served, ServeError> {
    let address = ServerAddress::parse(&options.server, options.insecure_http)?;
    let token = Token::read(&options.token_file)?;
    let key = load_or_create_key(&options.key_file)?;
    let client = Client::new(address.clone(), token, options.ca_file.as_deref())?;
    let labs: Vec<LabName> = labs_for(options.backend).iter().filter_map(|lab| lab.id.parse().ok()).collect();
    if labs.is_empty() {
        return Err(ServeError::NoLabs { backend: options.backend.id() });
    }
    folder::sweep();
    let service = Service { options, client, key, stop };
    if !service.sign_in()? {
        return Ok(Served::Stopped);
    }
    match crate::child::sandbox::probe() {
        Ok(()) => tracing::info!("children are shut in; learner code is taken"),
        Err(error) => tracing::warn!(%error, "children are not shut in; jobs with learner code are refused"),
    }
    match &options.nvrtc {
        Some(library) => tracing::info!(nvrtc = %library.file.display(), "kernels are compiled for cards too"),
        None => tracing::info!(
            "no NVRTC: reports do not say what a kernel takes of a card (pip install nvidia-cuda-nvrtc-cu12, --nvrtc FOLDER)"
        ),
    }
    let names: Vec<&str> = labs.iter().map(LabName::as_str).collect();
    tracing::info!(server = %address, labs = ?names, key = %service.key.public(), "waiting for jobs");
    let wait_ms = u64::try_from(options.poll.as_millis()).unwrap_or(u64::MAX);
    service.claim_forever(&ClaimRequest { labs, offer: options.offer.clone(), wait_ms })
}

impl Service<'_> {
    /// False when asked to stop before the server answered.
    fn sign_in(&self) -> Result<bool, ServeError> {
        let identity = Identity {
            public_key: self.key.public(),
            name: machine::cut(&self.options.name),
            facts: machine::facts(self.options.backend),
        };
        let patience = Patience { most_wait: Duration::from_secs(30), give_up_after: None, last_try: false };
        match deliver("signing in", &patience, self.stop, || self.client.identify(&identity)) {
            Ok(()) => Ok(true),
            Err(error) if error.is_passing() => Ok(false),
            Err(error) if error.is_of_token() => Err(ServeError::token(error)),
            Err(error @ CallError::Gone { status: 409, .. }) => Err(ServeError::OtherKey(error)),
            Err(error) => Err(ServeError::Refused(error)),
        }
    }

    fn claim_forever(&self, request: &ClaimRequest) -> Result<Served, ServeError> {
        let mut backoff = Backoff::new(self.options.poll.max(Duration::from_millis(250)), Duration::from_secs(30));
        loop {
            if self.stop.is_set() {
                return Ok(Served::Stopped);
            }
            let asked = Instant::now();
            let wait = match self.client.claim(request) {
                Ok(Some(claim)) => {
                    backoff.reset();
                    let delivered = self.work(&claim)?;
                    if self.options.once {
                        return Ok(Served::Once { delivered });
                    }
                    continue;
                }
                Ok(None) => {
                    backoff.reset();
                    // The server kept the question open for a while, or for as long as it was allowed to.
                    self.options.poll.saturating_sub(asked.elapsed())
                }
                Err(error) if error.is_of_token() => return Err(ServeError::token(error)),
                Err(error) => {
                    let delay = backoff.delay();
                    tracing::warn!(%error, retry_in_ms = delay.as_millis(), "no claim");
                    delay
                }
            };
            self.stop.wait(wait);
        }
    }

    /// One job, from claim to receipt. True when its report was delivered.
    fn work(&self, claim: &Claim) -> Result<bool, ServeError> {
        tracing::info!(job = %claim.job_id, lab = %claim.lab, attempt = claim.attempt, "claimed");
        let times = Times::start(Stage::Claimed);
        let ending = match self.spec(claim) {
            Ok((spec, timeout)) => self.run(claim, &spec, timeout, &times),
            Err(ending) => ending,
        };
        let (kind, message) = match ending {
            Ending::Report(bytes) => return self.hand_in(claim, bytes, &times),
            Ending::Withdrawn { why } => {
                tracing::warn!(job = %claim.job_id, %why, "run ended: the job is no longer ours");
                return Ok(false);
            }
            Ending::Failed { kind, message } => (kind, message),
            Ending::Stopped => (FailureKind::RunnerStopped, "the runner was asked to stop".to_owned()),
        };
        tracing::warn!(job = %claim.job_id, %kind, %message, "no report");
        self.hand_in_failure(claim, &Failure::new(claim.nonce.clone(), kind, &message))
    }

    fn spec(&self, claim: &Claim) -> Result<(Spec, Duration), Ending> {
        let backend = self.options.backend;
        let lab = labs_for(backend).into_iter().find(|lab| lab.id == claim.lab.as_str());
        let lab = lab.ok_or_else(|| {
            Ending::failed(
                FailureKind::UnknownLab,
                format!("this runner has no lab {} for the backend {}", claim.lab, backend.id()),
            )
        })?;
        let limit = Duration::from_secs(lab.timeout_s);
        let timeout = self.options.timeout.map_or(limit, |shorter| shorter.min(limit));
        let spec = Spec {
            lab: lab.id.clone(),
            params: crate::cli::params(claim.params.iter()),
            backend,
            cpu_seconds: crate::backend::cpu_seconds(timeout),
            memory_bytes: self.options.memory_bytes,
            replaced: None,
        };
        Ok((spec, timeout))
    }

    fn run(&self, claim: &Claim, spec: &Spec, timeout: Duration, times: &Times) -> ending::Ending {
        let (sender, events) = mpsc::channel();
        let keeper = Keeper::start(&self.client, claim, times, &sender);
        let kernel = claim.kernel.as_ref();
        let nvrtc = self.options.nvrtc.as_ref();
        let run = Run { program: &self.options.child, spec, kernel, nvrtc, timeout, stop: self.stop };
        run.watch(&sender, &events, &mut |line| match line {
            Line::Stage(stage) => {
                tracing::info!(job = %claim.job_id, stage = stage.id(), "stage");
                times.enter(stage_of(*stage));
                keeper.wake();
            }
            Line::Note(text) => {
                tracing::info!(job = %claim.job_id, note = %text, "note");
                keeper.say(text);
            }
            Line::Failed { .. } | Line::Resources(_) | Line::Finished => {}
        })
    }

    /// Keeps the report until the server took it or does not want it. No heartbeats meanwhile: the answer to the report tells all.
    fn hand_in(&self, claim: &Claim, bytes: Vec<u8>, times: &Times) -> Result<bool, ServeError> {
        times.enter(Stage::Reporting);
        let report = match SignedReport::sign(&self.key, bytes, &claim.job_id, &claim.nonce, times.all()) {
            Ok(report) => report,
            Err(error) => {
                let failure = Failure::new(claim.nonce.clone(), FailureKind::BadReport, &error.to_string());
                return self.hand_in_failure(claim, &failure);
            }
        };
        let patience = Patience { most_wait: interval(claim.lease_ms), give_up_after: None, last_try: true };
        match deliver("report", &patience, self.stop, || self.client.report(&claim.job_id, &report)) {
            Ok(receipt) => {
                tracing::info!(job = %claim.job_id, stage = %receipt.stage, "report delivered");
                Ok(true)
            }
            Err(error) if error.is_of_token() => Err(ServeError::token(error)),
            Err(error) => {
                tracing::warn!(job = %claim.job_id, %error, "report dropped");
                Ok(false)
            }
        }
    }

    /// A failure that is not heard costs nothing: the lease runs out.
    fn hand_in_failure(&self, claim: &Claim, failure: &Failure) -> Result<bool, ServeError> {
        let lease = Duration::from_millis(claim.lease_ms);
        let patience = Patience { most_wait: interval(claim.lease_ms), give_up_after: Some(lease), last_try: true };
        match deliver("failure", &patience, self.stop, || self.client.failure(&claim.job_id, failure)) {
            Err(error) if error.is_of_token() => return Err(ServeError::token(error)),
            Err(error) => tracing::warn!(job = %claim.job_id, %error, "failure not delivered"),
            Ok(()) => {}
        }
        Ok(false)
    }
}

fn stage_of(stage: labs::run::Stage) -> Stage {
    match stage {
        labs::run::Stage::Compiling => Stage::Compiling,
        labs::run::Stage::Checking => Stage::Checking,
        labs::run::Stage::Measuring => Stage::Measuring,
    }
}
