use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version, password_hash::PasswordHasher as _};
use tokio::sync::Semaphore;

use super::{MAX_BYTES, Password};

/// OWASP's smallest recommended cost: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// A second's worth of hashes may wait; more are turned away, so that a flood neither fills the memory nor queues
/// honest sign-ins for minutes.
const WAITING: usize = 64;

#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many are waiting. Try again in a moment.
    #[error("too many passwords are being checked")]
    Busy,
    #[error("argon2: {0}")]
    Argon2(String),
}

/// argon2id with a bound on how many hashes run and wait at once. Cheap to clone.
#[derive(Clone)]
pub struct PasswordHasher {
    argon2: Argon2<'static>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Hash of nothing anybody knows: checked when the login does not exist, so that both answers take as long.
    dummy: Arc<str>,
}

impl std::fmt::Debug for PasswordHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordHasher").field("running", &self.running).finish_non_exhaustive()
    }
}

impl PasswordHasher {
    /// `parallel` hashes run at once; the number of processors is a good choice. Takes one hash's time.
    pub fn new(parallel: usize) -> Result<Self, HashError> {
        Self::with_cost(parallel, MEMORY_KIB, PASSES)
    }

    /// A cost that only tests should lower.
    pub fn with_cost(parallel: usize, memory_kib: u32, passes: u32) -> Result<Self, HashError> {
        let params = Params::new(memory_kib, passes, LANES, None).map_err(error)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut nobody = [0u8; 32];
        getrandom::fill(&mut nobody).map_err(error)?;
        let dummy = argon2.hash_password(&nobody).map_err(error)?.to_string().into();
        let parallel = parallel.max(1);
        Ok(Self {
            argon2,
            running: Arc::new(Semaphore::new(parallel)),
            waiting: Arc::new(Semaphore::new(parallel.saturating_add(WAITING))),
            dummy,
        })
    }

    /// The PHC string to store.
    pub async fn hash(&self, password: &Password) -> Result<String, HashError> {
        let bytes = password.as_bytes().to_vec();
        self.run(move |argon2| Ok(argon2.hash_password(&bytes).map_err(error)?.to_string())).await
    }

    /// Does `attempt` open `stored`? With `None` (no such account) it takes as long and says no.
    pub async fn verify(&self, attempt: &str, stored: Option<&str>) -> Result<bool, HashError> {
        // No longer password was ever accepted; the dummy keeps the time alike.
        let (attempt, stored) = match stored {
            Some(stored) if attempt.len() <= MAX_BYTES => (attempt, Some(stored)),
            _ => ("", None),
        };
        let known = stored.is_some();
        let stored: Arc<str> = stored.map_or_else(|| self.dummy.clone(), Into::into);
        let attempt = attempt.as_bytes().to_vec();
        self.run(move |argon2| {
            let hash = PasswordHash::new(&stored).map_err(error)?;
            Ok(argon2.verify_password(&attempt, &hash).is_ok() && known)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Argon2<'static>) -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let place = self.waiting.clone().try_acquire_owned().map_err(|_| HashError::Busy)?;
        let turn = self.running.clone().acquire_owned().await.map_err(error)?;
        let argon2 = self.argon2.clone();
        // The permits move into the work: a request that goes away while its hash runs still counts until it ends.
        tokio::task::spawn_blocking(move || {
            let _held = (place, turn);
            work(&argon2)
        })
        .await
        .map_err(error)?
    }
}

fn error(err: impl std::fmt::Display) -> HashError {
    HashError::Argon2(err.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheap() -> PasswordHasher {
        PasswordHasher::with_cost(2, 64, 1).expect("a valid cost")
    }

    #[tokio::test]
    async fn only_the_right_password_opens() {
        let hasher = cheap();
        let password = Password::choose("correct horse", "mei").expect("within the rules");
        let stored = hasher.hash(&password).await.expect("hashed");
        let long = "x".repeat(MAX_BYTES + 1);
        for (attempt, stored, opens) in [
            ("correct horse", Some(stored.as_str()), true),
            ("correct horsE", Some(stored.as_str()), false),
            ("", Some(stored.as_str()), false),
            (long.as_str(), Some(stored.as_str()), false),
            ("correct horse", None, false),
            ("", None, false),
        ] {
            assert_eq!(hasher.verify(attempt, stored).await.expect("verified"), opens, "{attempt:.20}");
        }
    }

    #[tokio::test]
    async fn the_default_cost_is_the_recommended_one() {
        let hasher = PasswordHasher::new(1).expect("a valid cost");
        assert!(hasher.dummy.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hasher.dummy);
    }

    #[tokio::test]
    async fn a_flood_is_turned_away() {
        let hasher = cheap();
        let held = hasher.waiting.clone().try_acquire_many_owned(2 + WAITING as u32).expect("all places");
        assert!(matches!(hasher.verify("x", None).await, Err(HashError::Busy)));
        drop(held);
        assert!(matches!(hasher.verify("x", None).await, Ok(false)));
    }
}
