//! Members of a class: reset links, leaving, and who assists with which rights.

use axum::Form;
use axum::extract::{Path, State};
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{MemberLine, ResetLinkPage, StaffLine};

use super::one::{done, taught};
use crate::auth::{CurrentUser, Instructor};
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso, unstored};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Member, Rights};
use crate::store::links::{self, LinkError};
use crate::store::{ClassId, Membership, StoreError, UserId};

pub fn lines(members: Vec<Member>) -> Vec<MemberLine> {
    let line = |member: Member| MemberLine {
        user: member.user_id.to_string(),
        login: member.login,
        display_name: member.display_name,
        joined: iso(member.joined_ms),
    };
    members.into_iter().map(line).collect()
}

/// Who teaches and assists.
pub async fn staff(app: &AppState, user: &CurrentUser, class: ClassId) -> Result<Vec<StaffLine>, StoreError> {
    let line = |member: classes::Staff| StaffLine {
        user: member.user_id.to_string(),
        login: member.login,
        display_name: member.display_name,
        instructor: member.role == Membership::Instructor,
        may_edit: member.may_edit,
        may_grade: member.may_grade,
    };
    Ok(classes::staff(&app.store, user.viewer(), class).await?.into_iter().map(line).collect())
}

#[derive(Deserialize)]
pub struct Given {
    user: String,
    #[serde(default)]
    may_edit: bool,
    #[serde(default)]
    may_grade: bool,
}

/// Makes a member an assistant, changes an assistant's rights, or makes them a learner again.
pub async fn rights(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(given): Form<Given>,
) -> Answer {
    let class = taught(&app, &user, &id).await?.id;
    let member: UserId = given.user.parse().map_err(|_| Failure::NotFound)?;
    let rights = Rights { may_edit: given.may_edit, may_grade: given.may_grade };
    classes::set_rights(&app.store, user.viewer(), class, member, rights).await?;
    Ok(done(&reader, class, "rights"))
}

#[derive(Deserialize)]
pub struct Whom {
    user: String,
}

/// The member of this class that a form names.
async fn member(app: &AppState, user: &Instructor, class: ClassId, whom: &Whom) -> Result<Member, Failure> {
    let id: UserId = whom.user.parse().map_err(|_| Failure::NotFound)?;
    let members = classes::members(&app.store, user.viewer(), class).await?;
    members.into_iter().find(|member| member.user_id == id).ok_or(Failure::NotFound)
}

/// Issues a reset link and shows it, this once.
pub async fn reset(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(whom): Form<Whom>,
) -> Answer {
    let class = taught(&app, &user, &id).await?.id;
    let member = member(&app, &user, class, &whom).await?;
    let link = links::issue_reset(&app.store, user.viewer(), member.user_id).await.map_err(|error| match error {
        LinkError::Store(error) => error.into(),
        // A colleague who is a member here keeps their own password.
        LinkError::NotTaught | LinkError::NotValid | LinkError::LoginTaken | LinkError::NoInstructor => {
            Failure::NotFound
        }
    })?;
    let subject = member.user_id.to_string();
    audit::record(&app.store, user.id, Some(class), AuditAction::ResetIssued, &subject, &json!({})).await?;
    let lang = reader.lang;
    let (name, expires) = (member.display_name, iso(link.expires));
    let link = format!("{}/reset/{}", app.config.origin, link.token.reveal());
    let back = format!("/{}/class/{class}", lang.code());
    Ok(unstored(Trouble::none().page(&app, &reader, lang.pick("重设密码链接", "Reset link"), move || {
        view! { <ResetLinkPage lang name link expires back /> }
    })))
}

/// Takes a learner out of the class; account and reports stay theirs.
pub async fn remove(
    State(app): State<AppState>,
    user: Instructor,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(whom): Form<Whom>,
) -> Answer {
    let class = taught(&app, &user, &id).await?.id;
    let member = member(&app, &user, class, &whom).await?;
    classes::remove_member(&app.store, user.viewer(), class, member.user_id).await?;
    let (subject, detail) = (member.user_id.to_string(), json!({ "login": member.login }));
    audit::record(&app.store, user.id, Some(class), AuditAction::MemberRemoved, &subject, &detail).await?;
    Ok(done(&reader, class, "removed"))
}
