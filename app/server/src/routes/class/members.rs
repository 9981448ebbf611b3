//! Members of a class: reset links, and leaving.

use axum::Form;
use axum::extract::{Path, State};
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;
use ui::pages::class::{MemberLine, ResetLinkPage};

use super::one::{done, taught};
use crate::auth::Instructor;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso, unstored};
use crate::store::audit::{self, AuditAction};
use crate::store::classes::{self, Member};
use crate::store::links::{self, LinkError};
use crate::store::{ClassId, StoreError, UserId};

pub async fn lines(app: &AppState, user: &Instructor, class: ClassId) -> Result<Vec<MemberLine>, StoreError> {
    let members = classes::members(&app.store, user.viewer(), class).await?;
    let line = |member: Member| MemberLine {
        user: member.user_id.to_string(),
        login: member.login,
        display_name: member.display_name,
        joined: iso(member.joined_ms),
    };
    Ok(members.into_iter().map(line).collect())
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
