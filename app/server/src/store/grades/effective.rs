//! The credit that stands: attempts, dates and points by hand brought together, at reading.

use std::collections::BTreeMap;

use evidence::{EvidenceClass, Part};

use crate::credit::{Attempt, SetByHand, Standing, Timeline};
use crate::store::{
    ClassId, Counting, Release, ReportId, Store, StoreError, UserId, UtcMs, Viewer, Word, overrides, terms,
};

/// How a learner stands in one part of a lab of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    pub user_id: UserId,
    pub lab: String,
    pub part: Part,
    /// Points that can be earned: as the attempts were graded, by the rubric of today where there is none.
    pub possible: i64,
    pub standing: Standing,
}

/// The credits of a class, ordered by learner, lab and part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    pub counting: Counting,
    pub lines: Vec<Effective>,
}

impl Sheet {
    pub fn line(&self, user: UserId, lab: &str, part: Part) -> Option<&Effective> {
        self.lines.iter().find(|line| line.user_id == user && line.lab == lab && line.part == part)
    }
}

/// A graded report of a learner of the class.
#[derive(sqlx::FromRow)]
struct Row {
    report_id: ReportId,
    user_id: UserId,
    lab: String,
    class: Word<EvidenceClass>,
    submitted_ms: UtcMs,
    cpu_earned: i64,
    cpu_possible: i64,
    gpu_earned: i64,
    gpu_possible: i64,
}

impl Row {
    /// What it is for a part; `None` where it is no attempt at it. Only a report of class `gpu` tries the GPU part, so
    /// that a later run on a processor does not stand before it.
    fn attempt(&self, part: Part) -> Option<Attempt> {
        let (earned, possible) = match part {
            Part::Cpu => (self.cpu_earned, self.cpu_possible),
            Part::Gpu if *self.class == EvidenceClass::Gpu => (self.gpu_earned, self.gpu_possible),
            Part::Gpu => return None,
        };
        let attempt =
            Attempt { report: self.report_id, class: *self.class, submitted_ms: self.submitted_ms, earned, possible };
        (possible > 0).then_some(attempt)
    }

    fn possible(&self, part: Part) -> i64 {
        match part {
            Part::Cpu => self.cpu_possible,
            Part::Gpu => self.gpu_possible,
        }
    }
}

/// Both parts, as the columns stand.
const PARTS: [Part; 2] = [Part::Cpu, Part::Gpu];

/// The effective credit of one cell: what pages show and files carry. `None` where the viewer is not shown it, or the
/// learner is not in the class.
pub async fn effective(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    learner: UserId,
    lab: &str,
    part: Part,
) -> Result<Option<Effective>, StoreError> {
    if !is_shown(store, viewer, class, learner, lab).await? {
        return Ok(None);
    }
    let parts = Parts::read(store, viewer, class, Some(learner)).await?;
    let rows = rows(store, viewer, class, Some(learner)).await?;
    let rows = rows.iter().filter(|row| row.lab == lab).collect::<Vec<_>>();
    Ok(Some(parts.line(learner, lab, part, &rows)))
}

/// Every cell of a class that holds something, of all learners or of one; what the viewer is not shown is not in it.
pub async fn sheet(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    learner: Option<UserId>,
) -> Result<Sheet, StoreError> {
    let parts = Parts::read(store, viewer, class, learner).await?;
    let rows = rows(store, viewer, class, learner).await?;
    let mut cells: BTreeMap<(UserId, &str), Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        cells.entry((row.user_id, row.lab.as_str())).or_default().push(row);
    }
    for set in &parts.by_hand {
        cells.entry((set.user_id, set.lab.as_str())).or_default();
    }
    let mut lines = Vec::new();
    for ((user, lab), rows) in &cells {
        for part in PARTS {
            let line = parts.line(*user, lab, part, rows);
            if line.possible > 0 || line.standing.by_hand.is_some() {
                lines.push(line);
            }
        }
    }
    Ok(Sheet { counting: parts.counting, lines })
}

/// What a class sets, beside the attempts.
struct Parts {
    counting: Counting,
    terms: Vec<terms::Terms>,
    extensions: Vec<terms::Extension>,
    /// Newest first.
    by_hand: Vec<overrides::OverrideRow>,
}

impl Parts {
    async fn read(store: &Store, viewer: Viewer, class: ClassId, learner: Option<UserId>) -> Result<Self, StoreError> {
        let sql = "SELECT counting FROM classes WHERE id = $1";
        let counting: Option<(Counting,)> = read!(store, c => sqlx::query_as(sql).bind(class).fetch_optional(c).await)?;
        Ok(Self {
            counting: counting.map_or(Counting::Best, |(counting,)| counting),
            terms: terms::of_class(store, viewer, class).await?,
            extensions: terms::extensions(store, viewer, class).await?,
            by_hand: overrides::history(store, viewer, class, learner).await?,
        })
    }

    fn line(&self, user: UserId, lab: &str, part: Part, rows: &[&Row]) -> Effective {
        let own = self.extensions.iter().find(|own| own.user_id == user && own.lab == lab);
        let timeline = match own {
            Some(own) => own.timeline,
            None => self.terms.iter().find(|terms| terms.lab == lab).map_or_else(Timeline::default, |t| t.timeline),
        };
        let newest = self.by_hand.iter().find(|set| set.user_id == user && set.lab == lab && *set.part == part);
        let by_hand = newest.and_then(|set| {
            Some(SetByHand {
                id: set.id,
                hundredths: set.hundredths?,
                reason: set.reason.clone(),
                author_id: set.author_id,
                author: set.author.clone(),
                created_ms: set.created_ms,
            })
        });
        let graded = rows.iter().map(|row| row.possible(part)).max();
        let attempts = rows.iter().filter_map(|row| row.attempt(part)).collect();
        Effective {
            user_id: user,
            lab: lab.to_owned(),
            part,
            possible: graded.unwrap_or_else(|| labs::lab(lab).map_or(0, |lab| i64::from(lab.rubric.possible(part)))),
            standing: Standing::new(self.counting, timeline, own.is_some(), attempts, by_hand),
        }
    }
}

async fn rows(store: &Store, viewer: Viewer, class: ClassId, learner: Option<UserId>) -> Result<Vec<Row>, StoreError> {
    let sql = concat!(
        "SELECT r.id AS report_id, r.user_id, r.lab, r.class, COALESCE(j.created_ms, r.created_ms) AS submitted_ms, \
           g.cpu_earned, g.cpu_possible, g.gpu_earned, g.gpu_possible \
         FROM memberships m JOIN reports r ON r.user_id = m.user_id \
         JOIN grades g ON g.report_id = r.id AND g.outcome = 'graded' LEFT JOIN jobs j ON j.id = r.job_id \
         WHERE m.class_id = $3 AND m.role = 'learner' AND r.lab IS NOT NULL AND ($4 IS NULL OR m.user_id = $4) \
           AND NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = g.report_id \
             AND (n.created_ms, n.id) > (g.created_ms, g.id)) AND (",
        allowed!(may_grade, "$3"),
        " OR (m.user_id = $1 AND NOT ",
        held!("m.user_id", "r.lab", "$5"),
        "))"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(learner).bind(store.now())
        .fetch_all(c).await)?)
}

async fn is_shown(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    learner: UserId,
    lab: &str,
) -> Result<bool, StoreError> {
    let sql = concat!(
        "SELECT EXISTS (SELECT 1 FROM memberships m WHERE m.class_id = $3 AND m.user_id = $4 AND m.role = 'learner' \
         AND (",
        allowed!(may_grade, "$3"),
        " OR (m.user_id = $1 AND NOT ",
        held!("m.user_id", "$5", "$6"),
        ")))"
    );
    let (shown,): (bool,) = read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(learner).bind(lab).bind(store.now())
        .fetch_one(c).await)?;
    Ok(shown)
}

/// A lab whose points a class holds back from a learner.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct HeldLab {
    pub class_id: ClassId,
    pub lab: String,
    release: Release,
    release_ms: Option<UtcMs>,
}

impl HeldLab {
    /// When it is shown, where that is settled.
    pub fn until(&self) -> Option<UtcMs> {
        self.release_ms.filter(|_| self.release == Release::At)
    }
}

/// The labs that some class of this learner holds back now, by lab.
pub async fn held_labs(store: &Store, learner: UserId) -> Result<Vec<HeldLab>, StoreError> {
    let sql = "SELECT h.class_id, h.lab, h.release, h.release_ms FROM lab_terms h JOIN memberships m ON m.class_id = h.class_id \
               WHERE m.user_id = $1 AND m.role = 'learner' \
               AND (h.release = 'held' OR (h.release = 'at' AND h.release_ms > $2)) ORDER BY h.lab, h.release DESC, h.release_ms DESC";
    Ok(read!(store, c => sqlx::query_as(sql).bind(learner).bind(store.now()).fetch_all(c).await)?)
}
