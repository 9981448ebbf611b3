//! How often. Counted in memory, per process.

use std::{net::IpAddr, num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock, Reference},
    middleware::NoOpMiddleware,
    state::keyed::DashMapStateStore,
};

use super::ClientIp;
use crate::store::UserId;

mod tries;

use tries::Tries;

/// What is limited, with its rate and burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Wrong passwords for one login name from one network.
    SignIn,
    /// Wrong passwords for any login name from one network: a classroom behind one address must fit.
    SignInNetwork,
    /// Sign-ups, join codes, set-up and reset links from one network.
    Codes,
    /// Reports of one learner.
    Upload,
    /// Lab runs of one learner.
    Run,
    /// Wrong bearer tokens from one network.
    BadToken,
    /// Answers of the API that take a core for a while, from one network.
    Compute,
}

impl Limit {
    /// Those that count every request.
    const REQUESTS: [Self; 5] = [Self::Codes, Self::Upload, Self::Run, Self::BadToken, Self::Compute];

    /// So many at once, and one more every so often.
    pub const fn rate(self) -> (u32, Duration) {
        match self {
            Self::SignIn => (10, Duration::from_secs(30)),
            Self::SignInNetwork => (300, Duration::from_secs(1)),
            Self::Codes => (60, Duration::from_secs(5)),
            Self::Upload => (30, Duration::from_secs(10)),
            Self::Run => (20, Duration::from_secs(10)),
            Self::BadToken => (30, Duration::from_secs(5)),
            Self::Compute => (30, Duration::from_secs(2)),
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
    start: C::Instant,
    sign_in: Tries,
    sign_in_network: Tries,
    keyed: [(Limit, Keyed<C>); 5],
}

/// A sign-in whose password is about to be checked. It counts as a wrong one unless it is forgiven: so many at once
/// cannot slip by before the first is judged.
#[must_use = "a right password is forgiven"]
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt {
    network: String,
    name: String,
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
        let keyed = |limit: Limit| RateLimiter::new(limit.quota(), DashMapStateStore::default(), clock.clone());
        Self {
            start: clock.now(),
            sign_in: Tries::new(Limit::SignIn.rate()),
            sign_in_network: Tries::new(Limit::SignInNetwork.rate()),
            keyed: Limit::REQUESTS.map(|limit| (limit, keyed(limit))),
            clock,
        }
    }

    /// Ask before the password is looked at, and [`Limits::forgive`] when it was right.
    ///
    /// Only wrong passwords count, so a classroom behind one address signs in freely. What remains: ten wrong tries of
    /// a name close *that name*, for *that network*, for half a minute per try, to its owner as well; were the right
    /// password let in meanwhile, the guesser's would be too. Other names, and the same name from elsewhere, are not
    /// touched. Five minutes' worth of wrong tries over many names close the network, as guessing one common
    /// password for each name of a class must end somewhere. Tries that are refused here count in neither.
    pub fn sign_in(&self, from: ClientIp, login: &str) -> Result<Attempt, Limited> {
        let network = from.network().to_string();
        // Folded and cut, so that spellings of one name count together and a long one costs no memory.
        let login: String = login.trim().chars().take(64).collect::<String>().to_lowercase();
        let name = format!("{network} {login}");
        let now = self.clock.now().duration_since(self.start).as_u64();
        let limited = |limit| move |retry_after| Limited { limit, retry_after };
        // The network first: it bounds how many names are remembered.
        self.sign_in_network.take(&network, now).map_err(limited(Limit::SignInNetwork))?;
        self.sign_in.take(&name, now).map_err(|wait| {
            self.sign_in_network.give_back(&network);
            limited(Limit::SignIn)(wait)
        })?;
        Ok(Attempt { network, name })
    }

    /// The password was right, or was not looked at: the try does not count.
    pub fn forgive(&self, attempt: Attempt) {
        self.sign_in.give_back(&attempt.name);
        self.sign_in_network.give_back(&attempt.network);
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

    pub fn compute(&self, from: ClientIp) -> Result<(), Limited> {
        self.by_network(Limit::Compute, from.network())
    }

    fn by_network(&self, limit: Limit, network: IpAddr) -> Result<(), Limited> {
        self.check(limit, network.to_string())
    }

    fn check(&self, limit: Limit, key: String) -> Result<(), Limited> {
        let Some((_, keyed)) = self.keyed.iter().find(|(own, _)| *own == limit) else { return Ok(()) };
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
            assert!(limits.sign_in(ip("198.51.100.1"), "mei").is_ok());
        }
        let refused = limits.sign_in(ip("198.51.100.1"), " MEI ").map_err(|l| (l.limit, l.retry_after_s()));
        assert_eq!(refused, Err((Limit::SignIn, every.as_secs())));
        assert!(limits.sign_in(ip("198.51.100.1"), "lin").is_ok(), "another name");
        assert!(limits.sign_in(ip("198.51.100.2"), "mei").is_ok(), "another network");
        clock.advance(every);
        assert!(limits.sign_in(ip("198.51.100.1"), "mei").is_ok(), "later");
        assert!(limits.sign_in(ip("198.51.100.1"), "mei").is_err(), "one more each time");
    }

    #[test]
    fn right_passwords_cost_nothing() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        let (burst, _) = Limit::SignInNetwork.rate();
        for n in 0..burst * 2 {
            let attempt = limits.sign_in(ip("198.51.100.1"), &format!("name{}", n % 3)).expect("a try");
            limits.forgive(attempt);
        }
        // Nine wrong ones and a right one: the next wrong one is the tenth.
        for wrong in 0..Limit::SignIn.rate().0 {
            let right = limits.sign_in(ip("198.51.100.1"), "mei").unwrap_or_else(|_| panic!("after {wrong}"));
            limits.forgive(right);
            assert!(limits.sign_in(ip("198.51.100.1"), "mei").is_ok(), "{wrong}");
        }
        assert!(limits.sign_in(ip("198.51.100.1"), "mei").is_err());
    }

    /// Parallel tries count before the first is judged.
    #[test]
    fn tries_under_way_count() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        let (burst, _) = Limit::SignIn.rate();
        let under_way: Vec<_> = (0..burst * 2).filter_map(|_| limits.sign_in(ip("198.51.100.1"), "mei").ok()).collect();
        assert_eq!(under_way.len(), burst as usize);
    }

    #[test]
    fn a_network_that_tries_many_names_is_limited() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        let (burst, _) = Limit::SignInNetwork.rate();
        let refused = (0..=burst).find_map(|n| limits.sign_in(ip("2001:db8::1"), &format!("name{n}")).err());
        assert_eq!(refused.map(|l| l.limit), Some(Limit::SignInNetwork));
        assert!(limits.sign_in(ip("2001:db8::2"), "mei").is_err(), "the same /64");
    }

    /// Somebody hammers one name: the class behind the same address still signs in.
    #[test]
    fn a_closed_name_does_not_close_its_network() {
        let limits = Limits::with_clock(FakeRelativeClock::default());
        for _ in 0..Limit::SignInNetwork.rate().0 * 2 {
            let _counted = limits.sign_in(ip("198.51.100.1"), "mei");
        }
        assert!(limits.sign_in(ip("198.51.100.1"), "lin").is_ok());
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
