//! Random secrets, shown once and stored as hashes.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::StoreError;

/// A value that must not reach a log: `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// `prefix` followed by 256 random bits in URL-safe base64.
    pub fn random(prefix: &str) -> Result<Self, StoreError> {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
        Ok(Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«hidden»")
    }
}

/// SHA-256 in hexadecimal. A plain hash is enough because what is hashed has at least 128 random bits.
/// Looking a hash up by index leaks no time that helps to guess its preimage.
#[derive(Clone, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct TokenHash(String);

impl TokenHash {
    pub fn of(token: &str) -> Self {
        Self(sha256_hex(token.as_bytes()))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«hidden»")
    }
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        use fmt::Write;
        // Writing to a String cannot fail.
        let _ = std::write!(text, "{byte:02x}");
    }
    text
}
