//! Ed25519 keys. The secret half stays in the runner's supervisor.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, spki::der::pem::LineEnding};
use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::encoding::{decode_exact, encode};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("a public key must be 32 bytes in base64 (44 characters)")]
    Encoding,
    #[error("the 32 bytes are no Ed25519 public key")]
    NotAPoint,
    #[error("the public key has a small order: any signature would pass under it")]
    Weak,
    #[error("the file is no Ed25519 private key in PKCS#8 PEM")]
    Pem,
    #[error("the private key could not be written as PKCS#8 PEM")]
    Write,
}

/// A runner's private key. `Debug` shows the public half only; memory is wiped on drop.
pub struct RunnerKey(SigningKey);

impl RunnerKey {
    /// `seed` must come from the operating system's random source.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        SigningKey::from_pkcs8_pem(pem).map(Self).map_err(|_| KeyError::Pem)
    }

    /// PKCS#8 PEM. The caller wipes or drops it soon and writes it only to a file that no one else can read.
    pub fn to_pem(&self) -> Result<impl AsRef<[u8]> + use<>, KeyError> {
        let pem = self.0.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Write)?;
        Ok(Wiped(pem))
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(crate) fn signing(&self) -> &SigningKey {
        &self.0
    }
}

impl fmt::Debug for RunnerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunnerKey(secret, public {})", self.public())
    }
}

struct Wiped<T>(T);

impl<T: std::ops::Deref<Target = String>> AsRef<[u8]> for Wiped<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A runner's public key, as base64 of its 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::NotAPoint)?;
        if key.is_weak() {
            return Err(KeyError::Weak);
        }
        Ok(Self(key))
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub(crate) fn verifying(&self) -> &VerifyingKey {
        &self.0
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&decode_exact(text).ok_or(KeyError::Encoding)?)
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> String {
        key.to_string()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(self.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}
