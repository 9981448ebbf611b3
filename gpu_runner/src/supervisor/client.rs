//! Calls to the server. Each has an end in time and in size, follows no redirect, and tells apart what is worth another try.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, fs, io};

use protocol::{
    Claim, ClaimRequest, Failure, Heartbeat, Identity, JobId, Lease, Problem, Receipt, SignedReport, TOKEN_EXPIRED,
    limits, routes,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, http};

use super::address::ServerAddress;
use super::secret::Token;

const CONNECT: Duration = Duration::from_secs(5);
const CALL: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("the server cannot be reached: {why}")]
    Unreachable { why: String },
    #[error("the server is busy or broken (status {status})")]
    Busy { status: u16 },
    /// 404, 409 or 410: the lease is lost, the job withdrawn or done, the key bound otherwise.
    #[error("the server says no longer (status {status}): {detail}")]
    Gone { status: u16, detail: String },
    #[error("the server does not accept this runner's token (status {status}): {detail}")]
    Token { status: u16, detail: String },
    #[error("this runner's token has expired: {detail}")]
    Expired { detail: String },
    #[error("the server refuses the request (status {status}): {detail}")]
    Refused { status: u16, detail: String },
    #[error("the server's answer (status {status}) is not understood: {why}")]
    Answer { status: u16, why: String },
}

impl CallError {
    /// Whether the same call may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Busy { .. } | Self::Answer { .. })
    }

    /// Whether no call with this token can succeed any more.
    pub fn is_of_token(&self) -> bool {
        matches!(self, Self::Token { .. } | Self::Expired { .. })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ClientSetupError {
    #[error("{}: {}", path.display(), source)]
    CaFile { path: PathBuf, source: io::Error },
    #[error("{}: expected certificates in PEM", path.display())]
    CaForm { path: PathBuf },
}

#[derive(Clone)]
pub struct Client {
    agent: Agent,
    server: ServerAddress,
    token: Token,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Client {
    /// `ca_file` replaces the public certificate authorities by those in the file.
    pub fn new(server: ServerAddress, token: Token, ca_file: Option<&Path>) -> Result<Self, ClientSetupError> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would carry the token to wherever it points.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(CALL))
            .user_agent(concat!("vramlab-gpu-runner/", env!("CARGO_PKG_VERSION")));
        if server.is_loopback() {
            config = config.proxy(None);
        }
        if let Some(path) = ca_file {
            let roots = RootCerts::Specific(Arc::new(certificates(path)?));
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self { agent: config.build().new_agent(), server, token })
    }

    pub fn identify(&self, identity: &Identity) -> Result<(), CallError> {
        self.send(http::Method::PUT, routes::IDENTITY, identity).map(drop)
    }

    /// `None` when nothing is queued.
    pub fn claim(&self, request: &ClaimRequest) -> Result<Option<Claim>, CallError> {
        match self.send(http::Method::POST, routes::CLAIMS, request)? {
            (204, _) => Ok(None),
            (status, body) => parse(status, &body).map(Some),
        }
    }

    pub fn heartbeat(&self, job: &JobId, heartbeat: &Heartbeat) -> Result<Lease, CallError> {
        let (status, body) = self.send(http::Method::POST, &routes::heartbeats(job), heartbeat)?;
        parse(status, &body)
    }

    pub fn report(&self, job: &JobId, report: &SignedReport) -> Result<Receipt, CallError> {
        let (status, body) = self.send(http::Method::POST, &routes::reports(job), report)?;
        parse(status, &body)
    }

    pub fn failure(&self, job: &JobId, failure: &Failure) -> Result<(), CallError> {
        self.send(http::Method::POST, &routes::failures(job), failure).map(drop)
    }

    /// Status and body of a success.
    fn send<T: Serialize>(&self, method: http::Method, path: &str, message: &T) -> Result<(u16, Vec<u8>), CallError> {
        let body =
            serde_json::to_vec(message).map_err(|error| CallError::Refused { status: 0, detail: error.to_string() })?;
        let request = http::Request::builder()
            .method(method)
            .uri(self.server.url(path))
            .header(http::header::CONTENT_TYPE, "application/json")
            .header(http::header::ACCEPT, "application/json, application/problem+json")
            .header(http::header::AUTHORIZATION, self.token.header())
            .body(body)
            .map_err(|error| CallError::Refused { status: 0, detail: error.to_string() })?;
        let mut response = self.agent.run(request).map_err(|error| CallError::Unreachable { why: why(&error) })?;
        let status = response.status().as_u16();
        let body = response
            .body_mut()
            .with_config()
            .limit(limits::ANSWER_BYTES as u64)
            .read_to_vec()
            .map_err(|error| CallError::Unreachable { why: error.to_string() })?;
        match status {
            200..=299 => Ok((status, body)),
            408 | 425 | 429 | 500..=599 => Err(CallError::Busy { status }),
            401 if problem(&body).kind == TOKEN_EXPIRED => Err(CallError::Expired { detail: detail(&body) }),
            401 | 403 => Err(CallError::Token { status, detail: detail(&body) }),
            404 | 409 | 410 => Err(CallError::Gone { status, detail: detail(&body) }),
            _ => Err(CallError::Refused { status, detail: detail(&body) }),
        }
    }
}

fn why(error: &ureq::Error) -> String {
    let text = error.to_string();
    if text.contains("certificate") {
        text + " (a certificate of the course's own is trusted with --ca-file)"
    } else {
        text
    }
}

fn parse<T: DeserializeOwned>(status: u16, body: &[u8]) -> Result<T, CallError> {
    serde_json::from_slice(body).map_err(|error| CallError::Answer { status, why: error.to_string() })
}

fn problem(body: &[u8]) -> Problem {
    serde_json::from_slice(body).unwrap_or_default()
}

/// What a problem document says, in one short line.
fn detail(body: &[u8]) -> String {
    let problem = problem(body);
    let text = if problem.detail.is_empty() { problem.title } else { problem.detail };
    if text.is_empty() {
        "no reason given".to_owned()
    } else {
        text.chars().filter(|c| !c.is_control()).take(300).collect()
    }
}

fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, ClientSetupError> {
    let pem = fs::read(path).map_err(|source| ClientSetupError::CaFile { path: path.to_owned(), source })?;
    let found: Vec<_> = parse_pem(&pem)
        .filter_map(|item| if let Ok(PemItem::Certificate(certificate)) = item { Some(certificate) } else { None })
        .collect();
    if found.is_empty() { Err(ClientSetupError::CaForm { path: path.to_owned() }) } else { Ok(found) }
}
