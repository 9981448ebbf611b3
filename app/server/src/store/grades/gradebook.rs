use crate::store::{ClassId, Store, StoreError, UserId, UtcMs, Viewer};

/// One learner and one lab. Points of the CPU-provable part and of the GPU part stand apart and are never added here.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct GradebookLine {
    pub user_id: UserId,
    pub login: String,
    pub display_name: String,
    /// `None`: the learner has no graded report yet; the points are then 0 of 0.
    pub lab: Option<String>,
    pub cpu_earned: i64,
    pub cpu_possible: i64,
    pub gpu_earned: i64,
    pub gpu_possible: i64,
    /// Graded reports of this lab by class.
    pub cpu_reports: i64,
    pub gpu_reports: i64,
    pub last_ms: Option<UtcMs>,
}

/// Every learner of a class that the viewer teaches, with the best counting grade per lab and column.
pub async fn gradebook(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<GradebookLine>, StoreError> {
    // MAX, not SUM: sums of BIGINT are NUMERIC on PostgreSQL; COUNT is BIGINT on both.
    let sql = concat!(
        "SELECT u.id AS user_id, u.login, u.display_name, x.lab, \
                 COALESCE(MAX(x.cpu_earned), 0) AS cpu_earned, COALESCE(MAX(x.cpu_possible), 0) AS cpu_possible, \
                 COALESCE(MAX(x.gpu_earned), 0) AS gpu_earned, COALESCE(MAX(x.gpu_possible), 0) AS gpu_possible, \
                 COUNT(CASE WHEN x.class = 'cpu' THEN 1 END) AS cpu_reports, \
                 COUNT(CASE WHEN x.class = 'gpu' THEN 1 END) AS gpu_reports, \
                 MAX(x.created_ms) AS last_ms \
               FROM memberships m JOIN users u ON u.id = m.user_id \
               LEFT JOIN (SELECT r.user_id, r.lab, r.class, r.created_ms, \
                   g.cpu_earned, g.cpu_possible, g.gpu_earned, g.gpu_possible \
                 FROM reports r JOIN grades g ON g.report_id = r.id AND g.outcome = 'graded' \
                 WHERE NOT EXISTS (SELECT 1 FROM grades n WHERE n.report_id = g.report_id \
                   AND (n.created_ms, n.id) > (g.created_ms, g.id))) x ON x.user_id = u.id \
               WHERE m.class_id = $3 AND m.role = 'learner' AND ",
        allowed!(may_grade, "$3"),
        " GROUP BY u.id, u.login, u.login_key, u.display_name, x.lab ORDER BY u.display_name, u.login_key, x.lab"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}
