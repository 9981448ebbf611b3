use evidence::EvidenceClass;

use crate::store::{
    ClassId, GradeOutcome, JsonText, ReportId, ReportOrigin, Store, StoreError, UserId, UtcMs, Viewer, Word,
};

/// A graded hand-in of a learner, with the grade that counts.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct AttemptLine {
    pub report_id: ReportId,
    pub user_id: UserId,
    pub login: String,
    pub display_name: String,
    pub lab: String,
    pub created_ms: UtcMs,
    pub provenance: ReportOrigin,
    pub class: Word<EvidenceClass>,
    pub outcome: GradeOutcome,
    pub grader_version: String,
    pub cpu_earned: i64,
    pub cpu_possible: i64,
    pub gpu_earned: i64,
    pub gpu_possible: i64,
}

/// Every attempt at every lab of a class whose learners the viewer may grade: by learner, lab and time.
pub async fn attempts(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<AttemptLine>, StoreError> {
    let sql = concat!(
        "SELECT r.id AS report_id, u.id AS user_id, u.login, u.display_name, r.lab, r.created_ms, r.provenance, \
           r.class, g.outcome, g.grader_version, g.cpu_earned, g.cpu_possible, g.gpu_earned, g.gpu_possible \
         FROM memberships m JOIN users u ON u.id = m.user_id JOIN reports r ON r.user_id = u.id \
           JOIN grades g ON g.report_id = r.id \
         WHERE m.class_id = $3 AND m.role = 'learner' AND r.lab IS NOT NULL AND ",
        allowed!(may_grade, "$3"),
        " AND NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = g.report_id \
             AND (n.created_ms, n.id) > (g.created_ms, g.id)) \
         ORDER BY u.display_name, u.login_key, r.lab, r.created_ms, r.id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

/// The counting grade of a learner's newest graded report of a lab.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct NewestGrade {
    pub user_id: UserId,
    pub grade: JsonText,
}

/// One grade for each learner of a class who handed in something for a lab.
pub async fn newest(store: &Store, viewer: Viewer, class: ClassId, lab: &str) -> Result<Vec<NewestGrade>, StoreError> {
    let sql = concat!(
        "SELECT x.user_id, x.grade FROM (SELECT r.user_id, g.grade, ROW_NUMBER() OVER (PARTITION BY r.user_id \
             ORDER BY r.created_ms DESC, r.id DESC, g.created_ms DESC, g.id DESC) AS place \
           FROM memberships m JOIN reports r ON r.user_id = m.user_id AND r.lab = $4 \
             JOIN grades g ON g.report_id = r.id AND g.outcome = 'graded' \
           WHERE m.class_id = $3 AND m.role = 'learner' AND ",
        allowed!(may_grade, "$3"),
        ") x WHERE x.place = 1 ORDER BY x.user_id"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(lab).fetch_all(c).await)?)
}
