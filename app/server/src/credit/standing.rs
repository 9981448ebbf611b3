use evidence::EvidenceClass;

use super::{Step, Timeline};
use crate::store::{Counting, OverrideId, ReportId, UserId, UtcMs};

/// A graded report, seen from one part of its lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub report: ReportId,
    pub class: EvidenceClass,
    /// When the learner acted: an upload when it arrived, a run of a runner when it was asked for. Waiting for a
    /// machine makes nobody late.
    pub submitted_ms: UtcMs,
    pub earned: i64,
    pub possible: i64,
}

/// An attempt with what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credited {
    pub attempt: Attempt,
    pub step: Step,
    pub percent: i64,
    /// Hundredths of a point.
    pub credit: i64,
}

/// Points that somebody set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetByHand {
    pub id: OverrideId,
    /// Hundredths of a point.
    pub hundredths: i64,
    pub reason: String,
    pub author_id: UserId,
    pub author: String,
    pub created_ms: UtcMs,
}

/// What the credit of a part rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    Hand,
    Attempt(Credited),
    Nothing,
}

/// How a learner stands in one part of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub counting: Counting,
    /// The dates that hold for this learner.
    pub timeline: Timeline,
    /// Whether they are the learner's own.
    pub extended: bool,
    /// In order of time.
    pub attempts: Vec<Credited>,
    pub by_hand: Option<SetByHand>,
}

impl Standing {
    pub fn new(
        counting: Counting,
        timeline: Timeline,
        extended: bool,
        mut attempts: Vec<Attempt>,
        by_hand: Option<SetByHand>,
    ) -> Self {
        attempts.sort_by_key(|attempt| (attempt.submitted_ms, attempt.report));
        let credited = |attempt: Attempt| {
            let step = timeline.step(attempt.submitted_ms);
            let percent = timeline.percent_of(step);
            Credited { attempt, step, percent, credit: attempt.earned.saturating_mul(percent) }
        };
        Self { counting, timeline, extended, attempts: attempts.into_iter().map(credited).collect(), by_hand }
    }

    /// The attempt with the most credit; among equals the one with more points, and then the first.
    pub fn best(&self) -> Option<&Credited> {
        // `max_by_key` takes the last of equals.
        self.attempts.iter().rev().max_by_key(|credited| (credited.credit, credited.attempt.earned))
    }

    pub fn latest(&self) -> Option<&Credited> {
        self.attempts.last()
    }

    /// The attempt that counts by the rule of the class.
    pub fn counts(&self) -> Option<&Credited> {
        match self.counting {
            Counting::Best => self.best(),
            Counting::Latest => self.latest(),
        }
    }

    pub fn chosen(&self) -> Chosen {
        match (&self.by_hand, self.counts()) {
            (Some(_), _) => Chosen::Hand,
            (None, Some(credited)) => Chosen::Attempt(*credited),
            (None, None) => Chosen::Nothing,
        }
    }

    /// The credit that stands, hundredths of a point; `None` where there is neither an attempt nor points by hand.
    pub fn credit(&self) -> Option<i64> {
        match &self.by_hand {
            Some(set) => Some(set.hundredths),
            None => self.counts().map(|credited| credited.credit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(submitted: i64, earned: i64) -> Attempt {
        let submitted_ms = UtcMs(submitted);
        Attempt { report: ReportId::new(), class: EvidenceClass::Cpu, submitted_ms, earned, possible: 8 }
    }

    fn by_hand(hundredths: i64) -> SetByHand {
        SetByHand {
            id: OverrideId::new(),
            hundredths,
            reason: "seen".to_owned(),
            author_id: UserId::new(),
            author: "Mei".to_owned(),
            created_ms: UtcMs(0),
        }
    }

    /// Due at 100, half after it.
    const HALF_LATE: Timeline = Timeline {
        open_ms: None,
        early_ms: None,
        early_percent: None,
        due_ms: Some(UtcMs(100)),
        late_percent: Some(50),
        closed_ms: None,
    };

    #[test]
    fn what_counts() {
        type Case<'a> = (&'a str, Counting, &'a [(i64, i64)], Option<i64>);
        let cases: [Case<'_>; 8] = [
            ("nothing", Counting::Best, &[], None),
            ("nothing", Counting::Latest, &[], None),
            ("one", Counting::Best, &[(1, 5)], Some(500)),
            ("more points too late are less", Counting::Best, &[(1, 5), (101, 8)], Some(500)),
            ("latest is latest", Counting::Latest, &[(1, 5), (101, 8)], Some(400)),
            ("enough more points are worth the delay", Counting::Best, &[(1, 3), (101, 8)], Some(400)),
            ("order of arrival does not matter", Counting::Latest, &[(101, 8), (1, 5)], Some(400)),
            ("zero is a credit", Counting::Best, &[(1, 0)], Some(0)),
        ];
        for (why, counting, attempts, credit) in cases {
            let attempts: Vec<_> = attempts.iter().map(|(at, earned)| attempt(*at, *earned)).collect();
            let standing = Standing::new(counting, HALF_LATE, false, attempts.clone(), None);
            assert_eq!(standing.credit(), credit, "{why}");
            // What is set by hand stands whatever was handed in.
            let set = Standing::new(counting, HALF_LATE, false, attempts, Some(by_hand(725)));
            assert_eq!((set.credit(), set.chosen()), (Some(725), Chosen::Hand), "{why}");
        }
    }

    #[test]
    fn among_equals_the_first_counts() {
        let (first, second) = (attempt(1, 5), attempt(2, 5));
        let standing = Standing::new(Counting::Best, HALF_LATE, false, vec![second, first], None);
        assert_eq!(standing.best().map(|best| best.attempt.report), Some(first.report));
        assert_eq!(standing.latest().map(|latest| latest.attempt.report), Some(second.report));
        // At no credit, more points are still the better attempt.
        let closed = Timeline { late_percent: None, ..HALF_LATE };
        let standing =
            Standing::new(Counting::Best, closed, false, vec![attempt(101, 1), attempt(102, 7), attempt(103, 2)], None);
        assert_eq!(standing.best().map(|best| (best.attempt.earned, best.credit)), Some((7, 0)));
    }
}
