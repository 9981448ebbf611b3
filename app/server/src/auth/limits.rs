//! How often. Counted in memory, per process.

use std::{net::IpAddr, num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::NoOpMiddleware,
    state::keyed::DashMapStateStore,
};

use super::ClientIp;
use crate::store::UserId;

/// What is limited, with its rate and burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Tries of one login name from one network.
    SignIn,
    /// Tries of any login name from one network: a classroom behind one address must fit.
    SignInNetwork,
    /// Sign-ups, join codes, set-up and reset links from one network.
    Codes,
    /// Reports of one learner.
    Upload,
    /// Lab runs of one learner.
    Run,
    /// Wrong bearer tokens from one network.
    BadToken,
}

impl Limit {
    const ALL: [Self; 6] = [Self::SignIn, Self::SignInNetwork, Self::Codes, Self::Upload, Self::Run, Self::BadToken];

    /// So many at once, and one more every so often.
    pub const fn rate(self) -> (u32, Duration) {
        match self {
            Self::SignIn => (10, Duration::from_secs(30)),
            Self::SignInNetwork => (120, Duration::from_secs(1)),
            Self::Codes => (60, Duration::from_secs(5)),
            Self::Upload => (30, Duration::from_secs(10)),
            Self::Run => (20, Duration::from_secs(10)),
            Self::BadToken => (30, Duration::from_secs(5)),
        }
    }

    fn quota(self) -> Quota {
        let (burst, every) = self.rate();
        // Both are constants above zero; `None` cannot come, and one a second would be the answer.
        let one = Quota::with_period(every).unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN));
        one.allow_burst(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN))
    }
}

/// Too many: try again after this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests; the next one may come in {retry_after:?}")]
pub struct Limited {
    pub limit: Limit,
    pub retry_after: Duration,
}

impl Limited {
    /// For the header `Retry-After`: whole seconds, at least one.
    pub fn retry_after_s(&self) -> u64 {
        self.retry_after.as_millis().div_ceil(1000).max(1).try_into().unwrap_or(u64::MAX)
    }
}

type Keyed<C> = RateLimiter<String, DashMapStateStore<String>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// When so many keys are remembered, those that are full again are forgotten.
const KEYS: usize = 20_000;

pub struct Limits<C: Clock = DefaultClock> {
    clock: C,
    keyed: [Keyed<C>; 6],
}

impl<C: Clock> std::fmt::Debug for Limits<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limits").finish_non_exhaustive()
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::with_clock(DefaultClock::default())
    }
}

impl<C: Clock + Clone> Limits<C> {
    pub fn with_clock(clock: C) -> Self {
        let keyed =
            Limit::ALL.map(|limit| RateLimiter::new(limit.quota(), DashMapStateStore::default(), clock.clone()));
        Self { clock, keyed }
    }

    /// Counts a sign-in, right or wrong. Ask before the password is looked at.
    pub fn sign_in(&self, from: ClientIp, login: &str) -> Result<(), Limited> {
        let network = from.network();
        // Folded and cut, so that spellings of one name count together and a long one costs no memory.
        let login: String = login.trim().chars().take(64).collect::<String>().to_lowercase();
        self.check(Limit::SignInNetwork, network.to_string())?;
        self.check(Limit::SignIn, format!("{network} {login}"))
    }

    pub fn codes(&self, from: ClientIp) -> Result<(), Limited> {
        self.by_network(Limit::Codes, from.network())
    }

    pub fn upload(&self, user: UserId) -> Result<(), Limited> {
        self.check(Limit::Upload, user.to_string())
    }

    pub fn run(&self, user: UserId) -> Result<(), Limited> {
        self.check(Limit::Run, user.to_string())
    }

    pub fn bad_token(&self, from: ClientIp) -> Result<(), Limited> {
        self.by_network(Limit::BadToken, from.network())
    }

    fn by_network(&self, limit: Limit, network: IpAddr) -> Result<(), Limited> {
        self.check(limit, network.to_string())
    }

    fn check(&self, limit: Limit, key: String) -> Result<(), Limited> {
        let keyed = &self.keyed[limit as usize];
        if keyed.len() > KEYS {
            keyed.retain_recent();
        }
        keyed
            .check_key(&key)
            .map_err(|not_until| Limited { limit, retry_after: not_until.wait_time_from(self.clock.now()) })
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn ip(text: &str) -> ClientIp {
        ClientIp(text.parse().expect("an address"))
    }

    #[test]
    fn a_name_is_limited_per_network_and_recovers() {
        let clock = FakeRelativeClock::default();
        let limits = Limits::with_clock(clock.clone());
        let (burst, every) = Limit::SignIn.rate();
        for _ in 0..burst {
            assert_eq!(limits.sign_in(ip("198.51.100.1"), "mei"), Ok(()));
        }
        let refused = limits.sign_in(ip("198.51.100.1"), " MEI ").map_err(|l| (l.limit, l.retry_after_s()));
        assert_eq!(refused, Err((Limit::SignIn, every.as_secs())));
        assert_eq!(limits.sign_in(ip("198.51.100.1"), "lin"), Ok(()), "another name");
        assert_eq!(limits.sign_in(ip("198.51.100.2"), "mei"), Ok(()), "another network");
        clock.advance(every);
        assert_eq!(limits.sign_in(ip("198.51.100.1"), "mei"), Ok(()), "later");
    }

    #[test]
    fn a_network_that_tries_many_names_is_limited() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        let (burst, _) = Limit::SignInNetwork.rate();
        let refused = (0..=burst).find_map(|n| limits.sign_in(ip("2001:db8::1"), &format!("name{n}")).err());
        assert_eq!(refused.map(|l| l.limit), Some(Limit::SignInNetwork));
        assert!(limits.sign_in(ip("2001:db8::2"), "mei").is_err(), "the same /64");
    }

    #[test]
    fn uploads_are_limited_per_learner() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        let (mei, lin) = (UserId::new(), UserId::new());
        let (burst, _) = Limit::Upload.rate();
        let passed = (0..burst * 2).filter(|_| limits.upload(mei).is_ok()).count();
        assert_eq!(passed, burst as usize);
        assert_eq!(limits.upload(lin), Ok(()));
    }

    #[test]
    fn retry_after_is_rounded_up() {
        for (ms, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (29_500, 30)] {
            let limited = Limited { limit: Limit::Upload, retry_after: Duration::from_millis(ms) };
            assert_eq!(limited.retry_after_s(), seconds, "{ms} ms");
        }
    }
}
