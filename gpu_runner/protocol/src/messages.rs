//! Bodies of requests and answers. Unknown fields are refused where a runner speaks, and ignored where a server answers, so that a
//! newer server can say more to an older runner.

use serde::{Deserialize, Serialize};

use crate::fields::{labels, labs, notes, report_bytes, runners_stage, stage_times, text, to_base64};
use crate::ids::{JobId, LabName, Nonce};
use crate::kernel::KernelSource;
use crate::key::{PublicKey, RunnerKey};
use crate::params::Params;
use crate::signature::{Signature, SignatureError, sign, verify};
use crate::stage::Stage;

/// `PUT /api/v1/runner/identity`. The first use binds the key to the token; another key under the same token is refused with 409.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub public_key: PublicKey,
    #[serde(deserialize_with = "text")]
    pub name: String,
    pub facts: RunnerFacts,
}

/// What the runner says about its machine. For people to read; evidence is judged by the device facts inside each report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerFacts {
    #[serde(deserialize_with = "text")]
    pub version: String,
    #[serde(deserialize_with = "text")]
    pub os: String,
    #[serde(deserialize_with = "text")]
    pub arch: String,
    #[serde(default, deserialize_with = "text")]
    pub cpu: String,
    #[serde(default)]
    pub cpu_threads: u32,
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// Backends this runner executes labs on: `cpu`, …
    #[serde(default, deserialize_with = "labs")]
    pub backends: Vec<LabName>,
}

/// `POST /api/v1/runner/claims`. Answered with [`Claim`], or 204 when nothing is queued for these labs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRequest {
    #[serde(deserialize_with = "labs")]
    pub labs: Vec<LabName>,
    #[serde(default, skip_serializing_if = "Offer::is_nothing")]
    pub offer: Offer,
    /// So long may the server leave the question open until there is a job; it may answer sooner.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
}

fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

/// What a runner has beside its labs, for jobs that need more than any runner. It places jobs; evidence is judged by the
/// device facts inside each report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// `cpu`, `wgpu`, …
    #[serde(default, deserialize_with = "labels")]
    pub backends: Vec<LabName>,
    #[serde(default)]
    pub device_class: Option<DeviceClass>,
    /// Of the device that measures.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// What the instructor calls this machine, for jobs that ask for it.
    #[serde(default, deserialize_with = "labels")]
    pub labels: Vec<LabName>,
}

impl Offer {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceClass {
    Cpu,
    Gpu,
}

impl DeviceClass {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub job_id: JobId,
    pub lab: LabName,
    #[serde(default)]
    pub params: Params,
    pub nonce: Nonce,
    /// The lease runs this long from now; every heartbeat renews it.
    pub lease_ms: u64,
    /// 1 for the first claim of the job.
    pub attempt: u32,
    /// A learner's own code for the kernel that the lab lets be replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelSource>,
}

/// `POST /api/v1/runner/jobs/{id}/heartbeats`. Answered with [`Lease`], or 409 when the lease is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    pub nonce: Nonce,
    #[serde(deserialize_with = "runners_stage")]
    pub stage: Stage,
    /// Every stage so far with its own time, the running one last.
    #[serde(default, deserialize_with = "stage_times")]
    pub times: Vec<StageTime>,
    /// What the lab's program said since the last heartbeat that was answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "notes")]
    pub notes: Vec<Note>,
}

/// One line for the log of a job. A line that is sent twice has the same number twice and is kept once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// 0 for the first of a claim.
    pub number: u32,
    #[serde(deserialize_with = "text")]
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageTime {
    #[serde(deserialize_with = "runners_stage")]
    pub stage: Stage,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub lease_ms: u64,
    /// The learner or an instructor withdrew the job: kill the child, send nothing more.
    #[serde(default)]
    pub cancelled: bool,
}

/// `POST /api/v1/runner/jobs/{id}/reports`. Answered with [`Receipt`]; 409 when the report is no longer wanted; sending the same
/// report again is answered like the first time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedReport {
    /// The exact bytes. Never parsed and written again on the way: the signature and the stored hash are over these.
    #[serde(rename = "report_base64", serialize_with = "to_base64", deserialize_with = "report_bytes")]
    pub report: Vec<u8>,
    #[serde(rename = "signature_base64")]
    pub signature: Signature,
    pub nonce: Nonce,
    #[serde(default, deserialize_with = "stage_times")]
    pub times: Vec<StageTime>,
}

impl SignedReport {
    pub fn sign(
        key: &RunnerKey,
        report: Vec<u8>,
        job: &JobId,
        nonce: &Nonce,
        times: Vec<StageTime>,
    ) -> Result<Self, SignatureError> {
        let signature = sign(key, &report, job, nonce)?;
        Ok(Self { report, signature, nonce: nonce.clone(), times })
    }

    /// `nonce` is the one the server drew for the claim; the one in the message must equal it.
    pub fn verify(&self, key: &PublicKey, job: &JobId, nonce: &Nonce) -> Result<(), SignatureError> {
        if self.nonce != *nonce {
            return Err(SignatureError::Mismatch);
        }
        verify(key, &self.signature, &self.report, job, nonce)
    }
}

impl std::fmt::Debug for SignedReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedReport")
            .field("report_bytes", &self.report.len())
            .field("signature", &self.signature)
            .field("nonce", &self.nonce)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub job_id: JobId,
    pub stage: Stage,
}

/// The type of the problem that answers a token whose time is over: another call will not be answered otherwise.
pub const TOKEN_EXPIRED: &str = "urn:vramlab:runner-token-expired";

/// RFC 9457, as far as a runner shows it to a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub detail: String,
}
