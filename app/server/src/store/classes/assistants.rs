use super::ClassError;
use crate::store::{
    ClassId, Membership, Store, StoreError, UserId, Viewer,
    audit::{AuditAction, note},
};

/// What an assistant may do: two rights apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Rights {
    /// Change what the class does: join code, dates, release, sets of the drill.
    pub may_edit: bool,
    /// See the learners' work and give points.
    pub may_grade: bool,
}

/// Somebody who teaches or assists.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Staff {
    pub user_id: UserId,
    pub login: String,
    pub display_name: String,
    pub role: Membership,
    pub may_edit: bool,
    pub may_grade: bool,
}

/// Who teaches and assists a class, for those who do.
pub async fn staff(store: &Store, viewer: Viewer, class: ClassId) -> Result<Vec<Staff>, StoreError> {
    let sql = concat!(
        "SELECT u.id AS user_id, u.login, u.display_name, m.role, m.may_edit, m.may_grade FROM users u \
         JOIN memberships m ON m.user_id = u.id AND m.role <> 'learner' WHERE m.class_id = $3 AND ",
        allowed!(help, "$3"),
        " ORDER BY m.role DESC, u.display_name, u.login_key"
    );
    Ok(read!(store, c => sqlx::query_as(sql)
        .bind(viewer.id()).bind(viewer.teaches()).bind(class).fetch_all(c).await)?)
}

/// Makes a member an assistant with these rights, or without any a learner again. For who teaches the class.
pub async fn set_rights(
    store: &Store,
    viewer: Viewer,
    class: ClassId,
    member: UserId,
    rights: Rights,
) -> Result<(), ClassError> {
    let now = store.now();
    let role = if rights == Rights::default() { Membership::Learner } else { Membership::Assistant };
    let sql = concat!(
        "UPDATE memberships SET role = $5, may_edit = $6, may_grade = $7 \
         WHERE class_id = $3 AND user_id = $4 AND role <> 'instructor' AND ",
        allowed!(teach, "$3")
    );
    in_tx!(store, tx => {
        let done = sqlx::query(sql)
            .bind(viewer.id()).bind(viewer.teaches()).bind(class).bind(member)
            .bind(role).bind(rights.may_edit).bind(rights.may_grade)
            .execute(&mut *tx).await?;
        if done.rows_affected() == 0 {
            return Err(ClassError::NotTaught);
        }
        note!(tx, now, viewer.id(), class, AuditAction::RightsSet, &member.to_string(), &rights);
        Ok(())
    })
}

/// Does this account assist any class?
pub async fn assists(store: &Store, user: UserId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM memberships WHERE user_id = $1 AND role = 'assistant')";
    let (assists,): (bool,) = read!(store, c => sqlx::query_as(sql).bind(user).fetch_one(c).await)?;
    Ok(assists)
}
