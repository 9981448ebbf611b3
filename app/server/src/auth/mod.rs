//! Who is asking: passwords, sessions, tokens, and the guards in front of routes.
//!
//! Functions here decide and give typed answers; forms, pages and texts are the caller's.

pub mod accounts;
pub mod client;
pub mod csrf;
pub mod extract;
pub mod limits;
pub mod password;
pub mod session;

use std::sync::Arc;

use crate::store::Store;

pub use client::{ClientIp, TrustedProxies};
pub use extract::{AuthRejection, CurrentUser, Instructor, MaybeUser, RunnerAuth, Staff, TokenUser};
pub use limits::{Attempt, Limited, Limits};

/// What signing in needs, shared by every request. The application's state gives it by `FromRef`.
#[derive(Clone, Debug)]
pub struct Auth {
    pub store: Store,
    pub hasher: password::PasswordHasher,
    pub limits: Arc<Limits>,
    pub proxies: TrustedProxies,
}

impl Auth {
    /// `proxies` is empty unless the operator named the proxies whose forwarding header is believed.
    pub fn new(store: Store, proxies: TrustedProxies) -> Result<Self, password::HashError> {
        // Two at once even on one processor, so that one slow hash does not stop all sign-ins.
        let parallel = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8));
        let hasher = password::PasswordHasher::new(parallel)?;
        Ok(Self { store, hasher, limits: Arc::new(Limits::default()), proxies })
    }
}
