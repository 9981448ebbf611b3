//! The signature over a report: Ed25519 over a message that no other use of the key can produce.
//!
//! The message is the sequence domain, job id, nonce, report; each part is preceded by its length as eight bytes, little-endian.
//! With the lengths in front, no two different triples give the same message.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::Signer as _;
use serde::{Deserialize, Serialize};

use crate::encoding::{decode_exact, encode};
use crate::ids::{JobId, Nonce};
use crate::key::{PublicKey, RunnerKey};
use crate::limits::REPORT_BYTES;

const DOMAIN: &[u8] = b"vramlab runner report v1";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the report has {found} bytes; expected at most {REPORT_BYTES}")]
    ReportTooLarge { found: usize },
    #[error("a signature must be 64 bytes in base64 (88 characters)")]
    Encoding,
    #[error("the signature does not fit this report, job, nonce and key")]
    Mismatch,
}

/// 64 bytes, as base64.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature([u8; 64]);

impl Signature {
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

fn message(report: &[u8], job: &JobId, nonce: &Nonce) -> Result<Vec<u8>, SignatureError> {
    if report.len() > REPORT_BYTES {
        return Err(SignatureError::ReportTooLarge { found: report.len() });
    }
    let mut message = Vec::with_capacity(report.len() + 256);
    for part in [DOMAIN, job.as_str().as_bytes(), nonce.as_bytes(), report] {
        message.extend_from_slice(&(part.len() as u64).to_le_bytes());
        message.extend_from_slice(part);
    }
    Ok(message)
}

/// Signs the exact bytes of a report for one claim of one job.
pub fn sign(key: &RunnerKey, report: &[u8], job: &JobId, nonce: &Nonce) -> Result<Signature, SignatureError> {
    let message = message(report, job, nonce)?;
    Ok(Signature(key.signing().sign(&message).to_bytes()))
}

/// Checks with the strict rules of RFC 8032: a malleable signature is refused.
pub fn verify(
    key: &PublicKey,
    signature: &Signature,
    report: &[u8],
    job: &JobId,
    nonce: &Nonce,
) -> Result<(), SignatureError> {
    let message = message(report, job, nonce)?;
    let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
    key.verifying().verify_strict(&message, &signature).map_err(|_| SignatureError::Mismatch)
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        decode_exact(text).map(Self).ok_or(SignatureError::Encoding)
    }
}

impl TryFrom<String> for Signature {
    type Error = SignatureError;

    fn try_from(text: String) -> Result<Self, SignatureError> {
        text.parse()
    }
}

impl From<Signature> for String {
    fn from(signature: Signature) -> String {
        signature.to_string()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.0))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}
