//! The labs of a class: their dates, their release, and which attempt counts.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect};
use evidence::Lang;
use labs::Lab;
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::account::Problems;
use ui::pages::class::{DatesTyped, LabTermsLine, LabTermsPage, OneLabTerms, OneLabTermsPage, ShownName};

use super::dates;
use super::one::taught;
use crate::auth::{CurrentUser, Staff};
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso};
use crate::store::classes::{self, Class};
use crate::store::terms::{self, Shown, Terms, TermsError};
use crate::store::{ClassId, Counting, Release, UtcMs};

impl From<TermsError> for Failure {
    fn from(error: TermsError) -> Self {
        match error {
            TermsError::Store(error) => error.into(),
            TermsError::NotAllowed | TermsError::Timeline(_) => Self::NotFound,
        }
    }
}

#[derive(Deserialize)]
pub struct Arrival {
    pub done: Option<String>,
}

/// What just happened, by a word of ours in the address.
pub fn notice(done: Option<&str>, lang: Lang) -> Option<&'static str> {
    Some(match done? {
        "dates" => lang.pick("日期已保存，得分按新日期重新计算。", "The dates are saved; every credit follows them."),
        "release" => lang.pick("公布方式已保存。", "The release is saved."),
        "counting" => lang.pick("计分方式已保存。", "The rule is saved."),
        "points" => lang.pick("分数已设定。", "The points are set."),
        "withdrawn" => lang.pick("设定已撤回。", "The points are taken back."),
        "extended" => lang.pick("个人日期已保存。", "The extension is saved."),
        "ended" => lang.pick("恢复为班级的日期。", "The dates of the class apply again."),
        _ => return None,
    })
}

fn shown_name(shown: Shown, now: UtcMs) -> ShownName {
    match shown {
        Shown::AtOnce => ShownName::AtOnce,
        Shown::Held => ShownName::Held,
        Shown::At(at) => ShownName::At(iso(at), at <= now),
    }
}

/// A lab of the address.
pub fn lab(id: &str) -> Result<&'static Lab, Failure> {
    ::labs::lab(id).ok_or(Failure::NotFound)
}

pub async fn list(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let lang = reader.lang;
    let all = terms::of_class(&app.store, user.viewer(), class.id).await?;
    let extensions = terms::extensions(&app.store, user.viewer(), class.id).await?;
    let now = app.store.now();
    let line = |lab: &Lab| {
        let own = all.iter().find(|terms| terms.lab == lab.id);
        let date = |of: fn(&Terms) -> Option<UtcMs>| own.and_then(of).map(iso);
        LabTermsLine {
            id: lab.id.clone(),
            title: lab.title(lang).to_owned(),
            chain: lab.chain().name(lang),
            due: date(|terms| terms.timeline.due_ms),
            closed: date(|terms| terms.timeline.closed_ms),
            shown: shown_name(own.map_or(Shown::AtOnce, Terms::shown), now),
            extensions: extensions.iter().filter(|own| own.lab == lab.id).count(),
        }
    };
    let labs: Vec<LabTermsLine> = ::labs::catalogue().iter().map(line).collect();
    let notice = notice(arrival.done.as_deref(), lang);
    let (id, may_edit, latest_counts) = (class.id.to_string(), class.may_edit, class.counting == Counting::Latest);
    Ok(Trouble::none().page(&app, &reader, lang.pick("日期与公布", "Dates and release"), move || {
        view! { <LabTermsPage lang class=id name=class.name labs latest_counts may_edit notice /> }
    }))
}

pub async fn show(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, lab)): Path<(String, String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let notice = notice(arrival.done.as_deref(), reader.lang);
    page(&app, &user, &reader, class, &lab, notice, None, Trouble::none()).await
}

/// The page of a lab, with what was typed into its dates.
#[allow(clippy::too_many_arguments)]
async fn page(
    app: &AppState,
    user: &CurrentUser,
    reader: &Reader,
    class: Class,
    id: &str,
    notice: Option<&'static str>,
    typed: Option<DatesTyped>,
    trouble: Trouble,
) -> Answer {
    let mut reader = reader.clone();
    reader.path = format!("/class/{}/labs/{id}", class.id);
    let (lang, lab, viewer) = (reader.lang, lab(id)?, user.viewer());
    let all = terms::of_class(&app.store, viewer, class.id).await?;
    let own = all.into_iter().find(|terms| terms.lab == id);
    let members = classes::members(&app.store, viewer, class.id).await?;
    let extensions = terms::extensions(&app.store, viewer, class.id).await?;
    let named = extensions.into_iter().filter(|extension| extension.lab == id).filter_map(|extension| {
        let member = members.iter().find(|member| member.user_id == extension.user_id)?;
        let due = extension.timeline.due_ms.map(iso);
        Some((extension.user_id.to_string(), member.display_name.clone(), due))
    });
    let shown = own.as_ref().map_or(Shown::AtOnce, Terms::shown);
    let terms = OneLabTerms {
        class: class.id.to_string(),
        name: class.name,
        lab: lab.id.clone(),
        title: lab.title(lang).to_owned(),
        dates: typed.unwrap_or_else(|| own.as_ref().map(|own| dates::typed(&own.timeline)).unwrap_or_default()),
        shown: shown_name(shown, app.store.now()),
        at: if let Shown::At(at) = shown { dates::local(at) } else { String::new() },
        may_edit: class.may_edit,
        extensions: named.collect(),
    };
    let problems: Problems = trouble.problems.clone();
    let title = format!("{} {}", lang.pick("实验", "Lab"), lab.id);
    Ok(trouble.page(app, &reader, &title, move || {
        view! { <OneLabTermsPage lang terms notice problems /> }
    }))
}

/// The address of a form, opened as a page.
pub async fn back(reader: Reader, Path((_, id)): Path<(String, String)>) -> Result<Redirect, Failure> {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(Redirect::to(&format!("/{}/class/{id}/labs", reader.lang.code())))
}

pub async fn back_to_lab(
    reader: Reader,
    Path((_, id, name)): Path<(String, String, String)>,
) -> Result<Redirect, Failure> {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(Redirect::to(&format!("/{}/class/{id}/labs/{}", reader.lang.code(), lab(&name)?.id)))
}

fn done(reader: &Reader, class: ClassId, lab: &Lab, what: &str) -> Answer {
    let at = format!("/{}/class/{class}/labs/{}?done={what}", reader.lang.code(), lab.id);
    Ok(Redirect::to(&at).into_response())
}

pub async fn dates(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, name)): Path<(String, String, String)>,
    Form(typed): Form<dates::Typed>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let lab = lab(&name)?;
    match typed.read(reader.lang) {
        Ok(timeline) => {
            terms::set_dates(&app.store, user.viewer(), class.id, &lab.id, &timeline).await?;
            done(&reader, class.id, lab, "dates")
        }
        Err(trouble) => page(&app, &user, &reader, class, &lab.id, None, Some(typed.again()), trouble).await,
    }
}

#[derive(Deserialize)]
pub struct Wanted {
    release: String,
    #[serde(default)]
    at: String,
}

pub async fn release(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, name)): Path<(String, String, String)>,
    Form(wanted): Form<Wanted>,
) -> Answer {
    let class = taught(&app, &user, &id).await?;
    let (lab, lang) = (lab(&name)?, reader.lang);
    let shown = match wanted.release.parse().map_err(|_| Failure::NotFound)? {
        Release::AtOnce => Shown::AtOnce,
        Release::Held => Shown::Held,
        Release::At => match dates::instant(&wanted.at) {
            Some(at) => Shown::At(at),
            None => {
                let say = lang.pick(
                    "不是时刻；例如 2026-03-01T09:30（UTC）。",
                    "Not an instant; such as 2026-03-01T09:30 (UTC).",
                );
                return page(&app, &user, &reader, class, &lab.id, None, None, Trouble::field("at", say)).await;
            }
        },
    };
    terms::set_release(&app.store, user.viewer(), class.id, &lab.id, shown).await?;
    done(&reader, class.id, lab, "release")
}

#[derive(Deserialize)]
pub struct Rule {
    counting: String,
}

pub async fn counting(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(rule): Form<Rule>,
) -> Answer {
    let class = taught(&app, &user, &id).await?.id;
    let counting: Counting = rule.counting.parse().map_err(|_| Failure::NotFound)?;
    terms::set_counting(&app.store, user.viewer(), class, counting).await?;
    Ok(Redirect::to(&format!("/{}/class/{class}/labs?done=counting", reader.lang.code())).into_response())
}
