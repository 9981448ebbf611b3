//! A standing of the store as pages show it.

use ui::pages::credit::{AttemptLine, CreditLine, HandLine, StepName};

use super::account::answer::iso;
use crate::credit::{Credited, Step, points};
use crate::store::UtcMs;
use crate::store::grades::Effective;
use crate::store::overrides::OverrideRow;

fn step(step: Step) -> StepName {
    match step {
        Step::BeforeOpening => StepName::BeforeOpening,
        Step::Early => StepName::Early,
        Step::OnTime => StepName::OnTime,
        Step::Late => StepName::Late,
        Step::Closed => StepName::Closed,
    }
}

/// `history`: what was set by hand in the class, newest first.
pub fn line(effective: &Effective, history: &[OverrideRow], now: UtcMs) -> CreditLine {
    let standing = &effective.standing;
    let report = |credited: Option<&Credited>| credited.map(|credited| credited.attempt.report);
    let (best, latest, counts) = (report(standing.best()), report(standing.latest()), report(standing.counts()));
    let attempts = standing
        .attempts
        .iter()
        .map(|credited| {
            let id = Some(credited.attempt.report);
            AttemptLine {
                report: credited.attempt.report.to_string(),
                at: iso(credited.attempt.submitted_ms),
                earned: credited.attempt.earned,
                step: step(credited.step),
                percent: credited.percent,
                credit: points(credited.credit),
                best: best == id,
                latest: latest == id,
                counts: counts == id && standing.by_hand.is_none(),
            }
        })
        .collect();
    let own = |set: &&OverrideRow| {
        set.user_id == effective.user_id && set.lab == effective.lab && *set.part == effective.part
    };
    let present = standing.timeline.step(now);
    CreditLine {
        part: effective.part,
        possible: effective.possible,
        credit: standing.credit().map(points),
        by_hand: standing.by_hand.is_some(),
        attempts,
        history: history.iter().filter(own).map(hand).collect(),
        now: (step(present), standing.timeline.percent_of(present)),
    }
}

fn hand(set: &OverrideRow) -> HandLine {
    HandLine {
        points: set.hundredths.map(points),
        reason: set.reason.clone(),
        author: set.author.clone(),
        at: iso(set.created_ms),
    }
}
