//! Which topic comes next: a small Leitner scheme.
//!
//! Five boxes with rising intervals. A topic enters the first box when it is first tried; a right answer moves it one
//! box up, a wrong one back to the first. A right answer before the topic is due proves nothing new: the box and the
//! day stay. Pure functions of a history: the caller says what time it is.

use serde::{Deserialize, Serialize};

use super::Topic;

/// Milliseconds until a topic in each box is due again: 1 minute, 10 minutes, 1 day, 3 days, 7 days.
pub const INTERVALS_MS: [u64; 5] = [60_000, 600_000, 86_400_000, 3 * 86_400_000, 7 * 86_400_000];

/// One answer of a learner.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillAttempt))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub topic: Topic,
    pub passed: bool,
    /// Milliseconds since 1970-01-01 UTC.
    pub at: u64,
}

/// Where a topic stands.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillStanding))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub topic: Topic,
    /// 1 to 5; 0 before the first answer.
    pub level: u8,
    /// Unix milliseconds from which it is due; 0 before the first answer.
    pub due_at: u64,
    pub attempts: u32,
    pub passed: u32,
}

impl Standing {
    const fn new(topic: Topic) -> Self {
        Self { topic, level: 0, due_at: 0, attempts: 0, passed: 0 }
    }

    const fn is_new(&self) -> bool {
        self.level == 0
    }

    fn answer(&mut self, attempt: &Attempt) {
        self.attempts = self.attempts.saturating_add(1);
        self.passed = self.passed.saturating_add(u32::from(attempt.passed));
        if attempt.passed && attempt.at < self.due_at {
            return;
        }
        // A first right answer counts as one in the first box.
        let last = INTERVALS_MS.len() as u8;
        self.level = if attempt.passed { (self.level.max(1) + 1).min(last) } else { 1 };
        let wait = INTERVALS_MS.get(usize::from(self.level) - 1).copied().unwrap_or_default();
        self.due_at = attempt.at.saturating_add(wait);
    }
}

/// Why a topic is proposed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillReason))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its time has come.
    Due,
    /// It was never tried, and nothing is due.
    New,
    /// Nothing is due or new: it is the first that will be.
    Early,
}

/// What to ask next.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillNext))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Next {
    pub topic: Topic,
    pub reason: Reason,
    /// As in [`Standing`].
    pub due_at: u64,
}

/// Every topic's standing, in the order of [`Topic::ALL`]. The history may be in any order; answers of the same
/// millisecond count in the order given.
///
/// ```
/// use ledger::drill::{Attempt, Topic, schedule};
/// let history = [
///     Attempt { topic: Topic::Weights, passed: true, at: 1_000 },
///     Attempt { topic: Topic::Logits, passed: false, at: 1_000 },
/// ];
/// let standings = schedule::standings(&history);
/// let of = |topic| standings.iter().find(|standing| standing.topic == topic).expect("all topics");
/// assert_eq!((of(Topic::Weights).level, of(Topic::Weights).due_at), (2, 601_000));
/// assert_eq!((of(Topic::Logits).level, of(Topic::Logits).due_at), (1, 61_000));
/// ```
pub fn standings(history: &[Attempt]) -> [Standing; Topic::ALL.len()] {
    let mut sorted: Vec<&Attempt> = history.iter().collect();
    sorted.sort_by_key(|attempt| attempt.at);
    let mut standings = Topic::ALL.map(Standing::new);
    for attempt in sorted {
        if let Some(standing) = standings.iter_mut().find(|standing| standing.topic == attempt.topic) {
            standing.answer(attempt);
        }
    }
    standings
}

/// The topic to ask at `now`, unix milliseconds: of those that are due the one in the lowest box, then the one that
/// waits longest; else the first new one; else the one that is due first.
///
/// ```
/// use ledger::drill::{Attempt, Reason, Topic, schedule};
/// let history = [Attempt { topic: Topic::Logits, passed: false, at: 0 }];
/// // Before its minute is over, something new; then the one that went wrong.
/// assert_eq!(schedule::next(&history, 59_999).topic, Topic::Weights);
/// let next = schedule::next(&history, 60_000);
/// assert_eq!((next.topic, next.reason), (Topic::Logits, Reason::Due));
/// ```
pub fn next(history: &[Attempt], now: u64) -> Next {
    let standings = standings(history);
    let rank = |standing: &Standing| match standing {
        due if !due.is_new() && due.due_at <= now => (Reason::Due, u64::from(due.level), due.due_at),
        new if new.is_new() => (Reason::New, 0, 0),
        early => (Reason::Early, early.due_at, 0),
    };
    let order = |standing: &Standing| {
        let (reason, first, second) = rank(standing);
        (reason as u8, first, second, standing.topic)
    };
    let first = standings.iter().min_by_key(|standing| order(standing)).copied();
    // There is always a topic.
    let standing = first.unwrap_or(Standing::new(Topic::Weights));
    Next { topic: standing.topic, reason: rank(&standing).0, due_at: standing.due_at }
}
