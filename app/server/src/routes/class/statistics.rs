//! How a class stands in one lab.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Path, State};
use evidence::{EvidenceClass, Grade, Lang, Part, check};
use leptos::prelude::*;
use ui::pages::class::{Coverage, FailedCheck, LabStatistics, PointSpread, StatisticsPage};

use super::Grader;
use super::flows::graded;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble};
use crate::store::grades::{self, AttemptLine, Sheet};
use crate::store::{UserId, classes};

/// Checks that are shown.
const SHOWN: usize = 10;
/// Up to so many points every point has a column; beyond, ranges share one.
const COLUMNS: i64 = 12;

pub async fn show(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, lab)): Path<(String, String, String)>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let known = labs::lab(&lab).ok_or(Failure::NotFound)?;
    let (store, viewer, lang) = (&app.store, user.viewer(), reader.lang);
    let members = classes::members(store, viewer, class.id).await?;
    let sheet = grades::sheet(store, viewer, class.id, None).await?;
    let attempts = grades::attempts(store, viewer, class.id).await?;
    let newest = grades::newest(store, viewer, class.id, &lab).await?;
    // Parsing grades is work for a processor.
    let failed = tokio::task::spawn_blocking(move || {
        let grades = newest.iter().filter_map(|newest| newest.grade.parse::<Grade>().ok());
        most_failed(grades, lang)
    });
    let failed = failed.await.map_err(|_| Failure::Unavailable)?;
    let attempts = attempts.iter().filter(|attempt| attempt.lab == lab);
    let title = known.title(lang).to_owned();
    let page = LabStatistics {
        class: class.id.to_string(),
        class_name: class.name,
        title: title.clone(),
        learners: members.len() as u64,
        cpu: spread(&sheet, &lab, Part::Cpu),
        gpu: spread(&sheet, &lab, Part::Gpu),
        failed,
        coverage: coverage(members.len(), attempts),
        lab,
    };
    Ok(Trouble::none().page(&app, &reader, &title, move || view! { <StatisticsPage lang lab=page /> }))
}

/// Learners by the credit that stands for a part, each counted in the column of the whole points below it.
fn spread(sheet: &Sheet, lab: &str, part: Part) -> PointSpread {
    let lines = sheet.lines.iter().filter(|line| line.lab == lab && line.part == part);
    let credits: Vec<(i64, i64)> = lines.filter_map(|line| Some((line.standing.credit()?, line.possible))).collect();
    let possible = credits.iter().map(|(_, possible)| *possible).max().unwrap_or(0);
    let mut points: Vec<i64> = credits.iter().map(|(credit, _)| *credit).collect();
    points.sort_unstable();
    let width = (possible / COLUMNS + i64::from(possible % COLUMNS != 0)).max(1);
    let columns = (0..=possible / width).map(|at| {
        let (low, high) = (at * width, (at * width + width - 1).min(possible));
        // Extra credit stands in the last column.
        let last = high == possible;
        let within = |credit: &&i64| **credit >= low * 100 && (last || **credit < (high + 1) * 100);
        let name = if low == high { low.to_string() } else { format!("{low}–{high}") };
        (name, points.iter().filter(within).count() as u64)
    });
    PointSpread { possible, columns: columns.collect(), learners: points.len() as u64, median: median(&points) }
}

/// Of sorted numbers; the mean of the two in the middle is rounded down.
fn median(sorted: &[i64]) -> Option<i64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 { Some(upper) } else { Some((sorted.get(sorted.len() / 2 - 1)? + upper) / 2) }
}

/// Checks by the number of grades in which they failed at least once; notes are not failures.
fn most_failed(grades: impl Iterator<Item = Grade>, lang: Lang) -> Vec<FailedCheck> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for grade in grades {
        let wrong = grade.checks.iter().filter(|check| check.failed() && check.severity > evidence::Severity::Note);
        let ids: BTreeSet<&str> = wrong.map(|check| check.id.as_str()).collect();
        for id in ids {
            *counts.entry(id.to_owned()).or_default() += 1;
        }
    }
    let mut failed: Vec<(String, u64)> = counts.into_iter().collect();
    failed.sort_by_key(|(_, learners)| std::cmp::Reverse(*learners));
    let line = |(id, learners): (String, u64)| FailedCheck {
        title: check::rule(&id).map_or_else(|| id.clone(), |rule| rule.about(lang).to_owned()),
        id,
        learners,
    };
    failed.into_iter().take(SHOWN).map(line).collect()
}

fn coverage<'a>(learners: usize, attempts: impl Iterator<Item = &'a AttemptLine>) -> Coverage {
    let mut best: BTreeMap<UserId, EvidenceClass> = BTreeMap::new();
    let rank = |class: EvidenceClass| match class {
        EvidenceClass::Gpu => 2,
        EvidenceClass::Cpu => 1,
        EvidenceClass::Theory | EvidenceClass::Unproven => 0,
    };
    for attempt in attempts {
        let class = best.entry(attempt.user_id).or_insert(*attempt.class);
        if rank(*attempt.class) > rank(*class) {
            *class = *attempt.class;
        }
    }
    let count = |of: i32| best.values().filter(|class| rank(**class) == of).count() as u64;
    Coverage { gpu: count(2), cpu: count(1), other: count(0), nothing: (learners - best.len().min(learners)) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credit::{SetByHand, Standing, Timeline};
    use crate::store::grades::Effective;
    use crate::store::{Counting, OverrideId, UtcMs};

    fn sheet(possible: i64, credits: &[i64]) -> Sheet {
        let line = |hundredths: &i64| Effective {
            user_id: UserId::new(),
            lab: "76".to_owned(),
            part: Part::Cpu,
            possible,
            standing: Standing::new(
                Counting::Best,
                Timeline::default(),
                false,
                vec![],
                Some(SetByHand {
                    id: OverrideId::new(),
                    hundredths: *hundredths,
                    reason: "x".to_owned(),
                    author_id: UserId::new(),
                    author: "x".to_owned(),
                    created_ms: UtcMs(0),
                }),
            ),
        };
        Sheet { counting: Counting::Best, lines: credits.iter().map(line).collect() }
    }

    #[test]
    fn every_learner_stands_in_one_column() {
        for (possible, credits, expected) in [
            (2, vec![0, 50, 100, 200, 250], "0:2 1:1 2:2"),
            (20, vec![0, 199, 200, 2000], "0–1:2 2–3:1 4–5:0 6–7:0 8–9:0 10–11:0 12–13:0 14–15:0 16–17:0 18–19:0 20:1"),
            (0, vec![], "0:0"),
        ] {
            let spread = spread(&sheet(possible, &credits), "76", Part::Cpu);
            let shown: Vec<String> = spread.columns.iter().map(|(name, count)| format!("{name}:{count}")).collect();
            assert_eq!(shown.join(" "), expected, "{possible}");
            assert_eq!(spread.columns.iter().map(|(_, count)| count).sum::<u64>(), spread.learners);
        }
        assert_eq!(super::spread(&sheet(2, &[100]), "76", Part::Gpu).learners, 0, "the other part is apart");
    }

    #[test]
    fn medians() {
        for (sorted, expected) in [(vec![], None), (vec![3], Some(3)), (vec![1, 2, 9], Some(2)), (vec![1, 4], Some(2))]
        {
            assert_eq!(median(&sorted), expected, "{sorted:?}");
        }
    }
}
