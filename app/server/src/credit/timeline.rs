use serde::Serialize;

use crate::store::UtcMs;

/// The dates of a lab, in chronological order. An absent date sets no limit; without any, all counts in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Timeline {
    /// What is handed in before counts nothing.
    pub open_ms: Option<UtcMs>,
    /// Up to and including this instant `early_percent` count.
    pub early_ms: Option<UtcMs>,
    /// 100 to 200.
    pub early_percent: Option<i64>,
    /// Up to and including this instant everything counts.
    pub due_ms: Option<UtcMs>,
    /// What counts after the due instant, 0 to 100; absent: nothing.
    pub late_percent: Option<i64>,
    /// The last instant at which anything counts.
    pub closed_ms: Option<UtcMs>,
}

/// Where on the timeline an instant lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    BeforeOpening,
    Early,
    OnTime,
    Late,
    Closed,
}

/// A date or percentage of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    Open,
    Early,
    EarlyPercent,
    Due,
    LatePercent,
    Closed,
}

/// Why dates make no timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimelineError {
    /// `later` must lie after `earlier`, and does not.
    #[error("{later:?} does not lie after {earlier:?}")]
    Order { earlier: Field, later: Field },
    #[error("{field:?} is not within {min} to {max}")]
    Percent { field: Field, min: i64, max: i64 },
    /// `field` says nothing without `needs`.
    #[error("{field:?} needs {needs:?}")]
    Needs { field: Field, needs: Field },
}

pub const EARLY: (i64, i64) = (100, 200);
pub const LATE: (i64, i64) = (0, 100);

impl Timeline {
    /// Whether the dates are in order and the percentages in range; the first thing that is wrong otherwise.
    pub fn check(&self) -> Result<(), TimelineError> {
        let pairs = [
            (Field::Early, self.early_ms.is_some(), Field::EarlyPercent, self.early_percent.is_some()),
            (Field::EarlyPercent, self.early_percent.is_some(), Field::Early, self.early_ms.is_some()),
            (Field::LatePercent, self.late_percent.is_some(), Field::Due, self.due_ms.is_some()),
            // After the due instant nothing would count anyway: a date of closing then tells a learner a wrong thing.
            (
                Field::Closed,
                self.closed_ms.is_some() && self.due_ms.is_some(),
                Field::LatePercent,
                self.late_percent.is_some(),
            ),
        ];
        if let Some((field, .., needs, _)) = pairs.into_iter().find(|(_, given, _, needed)| *given && !needed) {
            return Err(TimelineError::Needs { field, needs });
        }
        for (field, percent, (min, max)) in
            [(Field::EarlyPercent, self.early_percent, EARLY), (Field::LatePercent, self.late_percent, LATE)]
        {
            if percent.is_some_and(|percent| !(min..=max).contains(&percent)) {
                return Err(TimelineError::Percent { field, min, max });
            }
        }
        let mut last: Option<(Field, UtcMs)> = None;
        for (later, at) in [
            (Field::Open, self.open_ms),
            (Field::Early, self.early_ms),
            (Field::Due, self.due_ms),
            (Field::Closed, self.closed_ms),
        ] {
            let Some(at) = at else { continue };
            if let Some((earlier, before)) = last
                && at <= before
            {
                return Err(TimelineError::Order { earlier, later });
            }
            last = Some((later, at));
        }
        Ok(())
    }

    /// The step that an instant falls into. The limits belong to the better side: opened at its instant, due at its.
    pub fn step(&self, at: UtcMs) -> Step {
        let until = |limit: Option<UtcMs>| limit.is_none_or(|limit| at <= limit);
        if self.open_ms.is_some_and(|open| at < open) {
            Step::BeforeOpening
        } else if self.early_ms.is_some() && until(self.early_ms) {
            Step::Early
        } else if until(self.due_ms) && until(self.closed_ms) {
            Step::OnTime
        } else if self.due_ms.is_some() && self.late_percent.is_some() && until(self.closed_ms) {
            Step::Late
        } else {
            Step::Closed
        }
    }

    /// How much of its points something handed in at this instant counts, percent.
    pub fn percent(&self, at: UtcMs) -> i64 {
        self.percent_of(self.step(at))
    }

    pub fn percent_of(&self, step: Step) -> i64 {
        match step {
            Step::BeforeOpening | Step::Closed => 0,
            Step::Early => self.early_percent.unwrap_or(100),
            Step::OnTime => 100,
            Step::Late => self.late_percent.unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: Timeline = Timeline {
        open_ms: Some(UtcMs(1000)),
        early_ms: Some(UtcMs(2000)),
        early_percent: Some(110),
        due_ms: Some(UtcMs(3000)),
        late_percent: Some(60),
        closed_ms: Some(UtcMs(4000)),
    };

    #[test]
    fn limits_are_exact() {
        for (at, step, percent) in [
            (i64::MIN, Step::BeforeOpening, 0),
            (999, Step::BeforeOpening, 0),
            (1000, Step::Early, 110),
            (2000, Step::Early, 110),
            (2001, Step::OnTime, 100),
            (3000, Step::OnTime, 100),
            (3001, Step::Late, 60),
            (4000, Step::Late, 60),
            (4001, Step::Closed, 0),
            (i64::MAX, Step::Closed, 0),
        ] {
            assert_eq!((WHOLE.step(UtcMs(at)), WHOLE.percent(UtcMs(at))), (step, percent), "{at}");
        }
    }

    #[test]
    fn absent_dates_set_no_limit() {
        let none = Timeline::default();
        for at in [i64::MIN, 0, i64::MAX] {
            assert_eq!(none.percent(UtcMs(at)), 100);
        }
        let due_alone = Timeline { due_ms: Some(UtcMs(5)), ..none };
        assert_eq!((due_alone.percent(UtcMs(5)), due_alone.step(UtcMs(6))), (100, Step::Closed));
        let for_ever_late = Timeline { late_percent: Some(50), ..due_alone };
        assert_eq!(for_ever_late.percent(UtcMs(i64::MAX)), 50);
        let closed_alone = Timeline { closed_ms: Some(UtcMs(5)), ..none };
        assert_eq!((closed_alone.step(UtcMs(5)), closed_alone.step(UtcMs(6))), (Step::OnTime, Step::Closed));
    }

    #[test]
    fn dates_out_of_order_are_refused() {
        use {Field as F, TimelineError as E};
        let at = |ms| Some(UtcMs(ms));
        let cases = [
            (WHOLE, Ok(())),
            (Timeline::default(), Ok(())),
            (Timeline { open_ms: at(2000), ..WHOLE }, Err(E::Order { earlier: F::Open, later: F::Early })),
            (Timeline { due_ms: at(1999), ..WHOLE }, Err(E::Order { earlier: F::Early, later: F::Due })),
            (Timeline { closed_ms: at(3000), ..WHOLE }, Err(E::Order { earlier: F::Due, later: F::Closed })),
            (
                Timeline { early_ms: None, early_percent: None, due_ms: at(500), closed_ms: None, ..WHOLE },
                Err(E::Order { earlier: F::Open, later: F::Due }),
            ),
            (
                Timeline { early_percent: Some(99), ..WHOLE },
                Err(E::Percent { field: F::EarlyPercent, min: 100, max: 200 }),
            ),
            (
                Timeline { late_percent: Some(101), ..WHOLE },
                Err(E::Percent { field: F::LatePercent, min: 0, max: 100 }),
            ),
            (Timeline { late_percent: Some(-1), ..WHOLE }, Err(E::Percent { field: F::LatePercent, min: 0, max: 100 })),
            (Timeline { early_ms: None, ..WHOLE }, Err(E::Needs { field: F::EarlyPercent, needs: F::Early })),
            (Timeline { early_percent: None, ..WHOLE }, Err(E::Needs { field: F::Early, needs: F::EarlyPercent })),
            (Timeline { due_ms: None, ..WHOLE }, Err(E::Needs { field: F::LatePercent, needs: F::Due })),
            (Timeline { late_percent: None, ..WHOLE }, Err(E::Needs { field: F::Closed, needs: F::LatePercent })),
        ];
        for (timeline, expected) in cases {
            assert_eq!(timeline.check(), expected, "{timeline:?}");
        }
    }

    /// Any sound timeline: up to four dates in order, some of them absent.
    fn sound() -> impl Strategy<Value = Timeline> {
        let dates = proptest::collection::btree_set(-1000_i64..1000, 4);
        (dates, any::<[bool; 5]>(), 100_i64..=200, 0_i64..=100).prop_map(|(dates, has, early, late)| {
            let dates: Vec<i64> = dates.into_iter().collect();
            let at = |n: usize| has[n].then(|| UtcMs(dates[n]));
            let (due_ms, late_percent) = (at(2), (has[2] && has[4]).then_some(late));
            Timeline {
                open_ms: at(0),
                early_ms: at(1),
                early_percent: has[1].then_some(early),
                due_ms,
                late_percent,
                closed_ms: at(3).filter(|_| due_ms.is_none() || late_percent.is_some()),
            }
        })
    }

    proptest! {
        #[test]
        fn what_is_sound_is_accepted(timeline in sound()) {
            prop_assert_eq!(timeline.check(), Ok(()));
        }

        /// Once open, handing in later never counts more.
        #[test]
        fn later_never_counts_more(timeline in sound(), a in -1100_i64..1100, b in -1100_i64..1100) {
            let (earlier, later) = (UtcMs(a.min(b)), UtcMs(a.max(b)));
            prop_assume!(timeline.step(earlier) != Step::BeforeOpening);
            prop_assert!(timeline.percent(later) <= timeline.percent(earlier));
            prop_assert!(timeline.step(later) >= timeline.step(earlier));
        }

        /// A later due instant takes nothing from anybody.
        #[test]
        fn moving_the_due_instant_back_harms_nobody(timeline in sound(), at in -1100_i64..1100, by in 0_i64..500) {
            prop_assume!(timeline.due_ms.is_some());
            let later = |date: Option<UtcMs>| date.map(|date| UtcMs(date.0 + by));
            let moved =
                Timeline { due_ms: later(timeline.due_ms), closed_ms: later(timeline.closed_ms), ..timeline };
            prop_assert_eq!(moved.check(), Ok(()));
            prop_assert!(moved.percent(UtcMs(at)) >= timeline.percent(UtcMs(at)));
        }

        /// All dates moved together move the credit with them.
        #[test]
        fn moving_all_dates_moves_the_credit(timeline in sound(), at in -1100_i64..1100, by in -5000_i64..5000) {
            let shift = |date: Option<UtcMs>| date.map(|date| UtcMs(date.0 + by));
            let moved = Timeline {
                open_ms: shift(timeline.open_ms),
                early_ms: shift(timeline.early_ms),
                due_ms: shift(timeline.due_ms),
                closed_ms: shift(timeline.closed_ms),
                ..timeline
            };
            prop_assert_eq!(moved.step(UtcMs(at + by)), timeline.step(UtcMs(at)));
        }

        /// The credit changes at the dates alone.
        #[test]
        fn nothing_changes_between_dates(timeline in sound(), at in -1100_i64..1100) {
            let dates = [timeline.open_ms, timeline.early_ms, timeline.due_ms, timeline.closed_ms];
            // A date is the first instant of what it opens and the last of what it ends.
            let edge = dates.into_iter().flatten().any(|date| date.0 == at || date.0 == at + 1);
            prop_assume!(!edge);
            prop_assert_eq!(timeline.step(UtcMs(at)), timeline.step(UtcMs(at + 1)));
        }
    }
}
