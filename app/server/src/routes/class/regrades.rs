//! Regrades of a class: begun, shown old beside new, published or discarded.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use evidence::{GRADER, Lang};
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::class::{Part, RegradeCard, RegradeLine, RegradePage, RegradesPage};

use super::Grader;
use super::flows::{graded, labs};
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble, iso};
use crate::store::classes::Class;
use crate::store::regrades::{self, LineState, Regrade, RegradeError, RegradeState};
use crate::store::{ClassId, RegradeId};

/// Reports on one page.
const PAGE: u32 = 50;

impl From<RegradeError> for Failure {
    fn from(error: RegradeError) -> Self {
        match error {
            RegradeError::Store(error) => error.into(),
            RegradeError::NotAllowed | RegradeError::Empty | RegradeError::NotNow => Self::NotFound,
        }
    }
}

pub async fn list(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
) -> Answer {
    let class = graded(&app, &user, &id).await?;
    listed(&app, &user, &reader, class, None).await
}

async fn listed(app: &AppState, user: &Grader, reader: &Reader, class: Class, problem: Option<&'static str>) -> Answer {
    let lang = reader.lang;
    let mut reader = reader.clone();
    reader.path = format!("/class/{}/regrades", class.id);
    let labs = labs(app, user, class.id).await?;
    let all = regrades::list(&app.store, user.viewer(), class.id).await?;
    let all: Vec<RegradeCard> = all.into_iter().map(card).collect();
    let trouble = problem.map_or_else(Trouble::none, |text| Trouble::field("", text));
    let (id, name) = (class.id.to_string(), class.name);
    Ok(trouble.page(app, &reader, lang.pick("重新评分", "Regrade"), move || {
        view! { <RegradesPage lang class=id class_name=name labs grader=GRADER regrades=all problem /> }
    }))
}

fn card(regrade: Regrade) -> RegradeCard {
    RegradeCard {
        id: regrade.id.to_string(),
        done: regrade.done(),
        lab: regrade.lab,
        grader: regrade.grader_version,
        state: regrade.state.id(),
        author: regrade.author,
        created: iso(regrade.created_ms),
        total: regrade.total,
        changed: regrade.changed,
        same: regrade.same,
        failed: regrade.failed,
        published: regrade.published,
        overtaken: regrade.overtaken,
    }
}

#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    lab: String,
}

/// Begins a dry run.
pub async fn start(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, id)): Path<(String, String)>,
    Form(wanted): Form<Wanted>,
) -> Answer {
    let class = graded(&app, &user, &id).await?;
    let lab = Some(wanted.lab.as_str()).filter(|lab| !lab.is_empty());
    let id = match regrades::start(&app.store, user.viewer(), class.id, lab, GRADER).await {
        Ok(id) => id,
        Err(RegradeError::Empty) => {
            let text = reader.lang.pick("没有已评分的报告。", "There is no graded report.");
            return listed(&app, &user, &reader, class, Some(text)).await;
        }
        Err(error) => return Err(error.into()),
    };
    Ok(to(&reader, class.id, id, ""))
}

fn to(reader: &Reader, class: ClassId, id: RegradeId, query: &str) -> Response {
    Redirect::to(&format!("/{}/class/{class}/regrades/{id}{query}", reader.lang.code())).into_response()
}

#[derive(Deserialize)]
pub struct Shown {
    page: Option<u32>,
    done: Option<String>,
}

fn notice(done: &str, lang: Lang) -> Option<&'static str> {
    Some(match done {
        "published" => {
            lang.pick("正在公布：新的评分会逐一追加。", "Being published: the new grades are appended one by one.")
        }
        "discarded" => lang.pick("试算已丢弃，什么也没有改变。", "The dry run is discarded; nothing has changed."),
        "late" => lang.pick(
            "现在不能这样做：它还没有评完，或评分器已经更新。",
            "Not now: it is not complete yet, or the grader has changed.",
        ),
        _ => return None,
    })
}

/// The regrade of the address, in the class of the address.
async fn find(app: &AppState, user: &Grader, class: &Class, id: &str) -> Result<Regrade, Failure> {
    let id: RegradeId = id.parse().map_err(|_| Failure::NotFound)?;
    let found = regrades::get(&app.store, user.viewer(), id).await?;
    found.filter(|regrade| regrade.class_id == class.id).ok_or(Failure::NotFound)
}

pub async fn show(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, id)): Path<(String, String, String)>,
    Query(shown): Query<Shown>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let regrade = find(&app, &user, &class, &id).await?;
    let last = u32::try_from(regrade.total).unwrap_or(u32::MAX).div_ceil(PAGE).max(1);
    let page = shown.page.unwrap_or(1).clamp(1, last);
    let lines = regrades::lines(&app.store, user.viewer(), regrade.id, (page - 1) * PAGE, PAGE).await?;
    let lines = tokio::task::spawn_blocking(move || lines.into_iter().map(line).collect::<Vec<_>>());
    let lines = lines.await.map_err(|_| Failure::Unavailable)?;
    let lang = reader.lang;
    let notice = shown.done.as_deref().and_then(|done| notice(done, lang));
    let (id, name, regrade) = (class.id.to_string(), class.name, card(regrade));
    let part = Part { page, last };
    Ok(Trouble::none().page(&app, &reader, lang.pick("重新评分", "Regrade"), move || {
        view! { <RegradePage lang class=id class_name=name regrade lines part notice /> }
    }))
}

fn line(line: regrades::RegradeLine) -> RegradeLine {
    // A grade that came out identical, version and all, is not kept twice.
    let identical = line.state == LineState::Same && line.new.is_none();
    let new = if identical { Some(line.old.clone()) } else { line.new };
    RegradeLine {
        report: line.report_id.to_string(),
        login: line.login,
        display_name: line.display_name,
        lab: line.lab.unwrap_or_else(|| "–".to_owned()),
        state: line.state.id(),
        from: line.old_version,
        old: line.old.parse().ok(),
        new: new.and_then(|new| new.parse().ok()),
    }
}

pub async fn publish(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, id)): Path<(String, String, String)>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let regrade = find(&app, &user, &class, &id).await?;
    match regrades::publish(&app.store, user.viewer(), regrade.id, GRADER).await {
        Ok(()) => {}
        Err(RegradeError::NotNow) => return Ok(to(&reader, class.id, regrade.id, "?done=late")),
        Err(error) => return Err(error.into()),
    }
    Ok(to(&reader, class.id, regrade.id, "?done=published"))
}

pub async fn discard(
    State(app): State<AppState>,
    user: Grader,
    reader: Reader,
    Path((_, class, id)): Path<(String, String, String)>,
) -> Answer {
    let class = graded(&app, &user, &class).await?;
    let regrade = find(&app, &user, &class, &id).await?;
    if regrade.state == RegradeState::Discarded {
        return Ok(to(&reader, class.id, regrade.id, "?done=discarded"));
    }
    match regrades::discard(&app.store, user.viewer(), regrade.id).await {
        Ok(()) => {}
        Err(RegradeError::NotNow) => return Ok(to(&reader, class.id, regrade.id, "?done=late")),
        Err(error) => return Err(error.into()),
    }
    Ok(to(&reader, class.id, regrade.id, "?done=discarded"))
}

/// The address of a form, opened as a page.
pub async fn back(reader: Reader, Path((_, class, id)): Path<(String, String, String)>) -> Result<Response, Failure> {
    let class: ClassId = class.parse().map_err(|_| Failure::NotFound)?;
    let id: RegradeId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(to(&reader, class, id, ""))
}
