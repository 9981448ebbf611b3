//! A learner in a class: the labs, and one lab with points by hand and dates of their own.

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use evidence::{Lang, Part};
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::class::{Cell, CellPage, CellTyped, LabCell, LearnerName, LearnerPage};

use super::dates;
use super::labs::{Arrival, lab, notice};
use super::one::taught;
use crate::auth::Staff;
use crate::credit;
use crate::http::{AppState, Reader};
use crate::routes::account::answer::{Answer, Failure, Trouble};
use crate::routes::credit::line;
use crate::store::classes::{self, Class, Member};
use crate::store::grades::{self, Effective};
use crate::store::overrides::{self, OverrideError, REASON_MAX};
use crate::store::{UserId, terms};

const PARTS: [Part; 2] = [Part::Cpu, Part::Gpu];

impl From<OverrideError> for Failure {
    fn from(error: OverrideError) -> Self {
        match error {
            OverrideError::Store(error) => error.into(),
            _ => Self::NotFound,
        }
    }
}

/// Class and learner of the address.
async fn find(app: &AppState, user: &Staff, class: &str, learner: &str) -> Result<(Class, Member), Failure> {
    let class = taught(app, user, class).await?;
    let id: UserId = learner.parse().map_err(|_| Failure::NotFound)?;
    let members = classes::members(&app.store, user.viewer(), class.id).await?;
    let member = members.into_iter().find(|member| member.user_id == id).ok_or(Failure::NotFound)?;
    Ok((class, member))
}

fn name(class: &Class, member: &Member) -> LearnerName {
    LearnerName {
        class: class.id.to_string(),
        class_name: class.name.clone(),
        user: member.user_id.to_string(),
        name: member.display_name.clone(),
    }
}

pub async fn list(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner)): Path<(String, String, String)>,
) -> Answer {
    let (class, member) = find(&app, &user, &id, &learner).await?;
    let lang = reader.lang;
    let sheet = grades::sheet(&app.store, user.viewer(), class.id, Some(member.user_id)).await?;
    let part = |line: &Effective| {
        let credit = line.standing.credit().map_or_else(|| "—".to_owned(), credit::points);
        (line.part, credit, line.possible, line.standing.by_hand.is_some())
    };
    let labs: Vec<LabCell> = ::labs::catalogue()
        .iter()
        .map(|lab| LabCell {
            lab: lab.id.clone(),
            title: lab.title(lang).to_owned(),
            parts: PARTS.iter().filter_map(|of| sheet.line(member.user_id, &lab.id, *of)).map(part).collect(),
        })
        .collect();
    let learner = name(&class, &member);
    Ok(Trouble::none().page(&app, &reader, &member.display_name, move || {
        view! { <LearnerPage lang learner labs /> }
    }))
}

pub async fn show(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner, lab)): Path<(String, String, String, String)>,
    Query(arrival): Query<Arrival>,
) -> Answer {
    let found = find(&app, &user, &id, &learner).await?;
    let notice = notice(arrival.done.as_deref(), reader.lang);
    page(&app, &user, &reader, found, &lab, notice, None, Trouble::none()).await
}

#[allow(clippy::too_many_arguments)]
async fn page(
    app: &AppState,
    user: &Staff,
    reader: &Reader,
    (class, member): (Class, Member),
    id: &str,
    notice: Option<&'static str>,
    typed: Option<CellTyped>,
    trouble: Trouble,
) -> Answer {
    let mut reader = reader.clone();
    reader.path = format!("/class/{}/learners/{}/{id}", class.id, member.user_id);
    let (lang, lab, viewer, now) = (reader.lang, lab(id)?, user.viewer(), app.store.now());
    let history = overrides::history(&app.store, viewer, class.id, Some(member.user_id)).await?;
    let mut lines = Vec::new();
    let mut own = None;
    for part in PARTS {
        let cell = grades::effective(&app.store, viewer, class.id, member.user_id, id, part).await?;
        let cell = cell.ok_or(Failure::NotFound)?;
        let shown = line(&cell, &history, now);
        if cell.possible > 0 || !shown.history.is_empty() {
            lines.push(shown);
        }
        own = Some(cell.standing);
    }
    let (timeline, extended) = own.map(|own| (own.timeline, own.extended)).unwrap_or_default();
    let typed = match typed {
        Some(typed) if typed.dated == Default::default() => CellTyped { dates: dates::typed(&timeline), ..typed },
        Some(typed) => typed,
        None => CellTyped { dates: dates::typed(&timeline), ..CellTyped::default() },
    };
    let cell = Cell {
        learner: name(&class, &member),
        lab: lab.id.clone(),
        title: lab.title(lang).to_owned(),
        lines,
        extended,
        may_edit: class.may_edit,
    };
    let title = format!("{} · {}", member.display_name, lab.id);
    Ok(trouble.page(app, &reader, &title, move || {
        view! { <CellPage lang cell typed notice /> }
    }))
}

/// The address of a cell.
fn at(reader: &Reader, class: &Class, member: &Member, lab: &str, done: &str) -> Response {
    let path = format!("/{}/class/{}/learners/{}/{lab}", reader.lang.code(), class.id, member.user_id);
    Redirect::to(&format!("{path}?done={done}")).into_response()
}

/// The address of a form, opened as a page.
pub async fn back(
    reader: Reader,
    Path((_, id, learner, name)): Path<(String, String, String, String)>,
) -> Result<Redirect, Failure> {
    let id: crate::store::ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    let learner: UserId = learner.parse().map_err(|_| Failure::NotFound)?;
    let at = format!("/{}/class/{id}/learners/{learner}/{}", reader.lang.code(), lab(&name)?.id);
    Ok(Redirect::to(&at))
}

#[derive(Deserialize)]
pub struct Set {
    part: Part,
    #[serde(default)]
    points: String,
    #[serde(default)]
    reason: String,
}

impl Set {
    fn again(&self, trouble: &Trouble) -> CellTyped {
        CellTyped {
            points: self.points.clone(),
            reason: self.reason.clone(),
            gpu: self.part == Part::Gpu,
            by_hand: trouble.problems.clone(),
            ..CellTyped::default()
        }
    }
}

fn no_points(lang: Lang) -> Trouble {
    let say = lang.pick(
        "分数是 0 到 1000 的数，至多两位小数，例如 7.5。",
        "Points are 0 to 1000 with at most two decimals, such as 7.5.",
    );
    Trouble::field("points", say)
}

fn no_reason(lang: Lang) -> Trouble {
    let text = match lang {
        Lang::Zh => format!("写下理由（至多 {REASON_MAX} 字），学习者会看到。"),
        Lang::En => format!("Give a reason, at most {REASON_MAX} characters; the learner reads it."),
    };
    Trouble::field("reason", text)
}

/// Sets the points of a part.
pub async fn points(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner, name)): Path<(String, String, String, String)>,
    Form(set): Form<Set>,
) -> Answer {
    let (class, member) = find(&app, &user, &id, &learner).await?;
    let (lab, lang) = (lab(&name)?, reader.lang);
    let cell = overrides::Cell { class: class.id, learner: member.user_id, lab: &lab.id, part: set.part };
    let trouble = match credit::parse_points(&set.points) {
        None => no_points(lang),
        Some(points) => match overrides::set(&app.store, user.viewer(), cell, Some(points), &set.reason).await {
            Ok(_) => return Ok(at(&reader, &class, &member, &lab.id, "points")),
            Err(OverrideError::Points) => no_points(lang),
            Err(OverrideError::NoReason) => no_reason(lang),
            Err(error) => return Err(error.into()),
        },
    };
    let typed = set.again(&trouble);
    page(&app, &user, &reader, (class, member), &lab.id, None, Some(typed), trouble).await
}

/// Takes back what was set.
pub async fn withdraw(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner, name)): Path<(String, String, String, String)>,
    Form(set): Form<Set>,
) -> Answer {
    let (class, member) = find(&app, &user, &id, &learner).await?;
    let lab = lab(&name)?;
    let cell = overrides::Cell { class: class.id, learner: member.user_id, lab: &lab.id, part: set.part };
    match overrides::set(&app.store, user.viewer(), cell, None, &set.reason).await {
        Ok(_) => Ok(at(&reader, &class, &member, &lab.id, "withdrawn")),
        Err(OverrideError::NoReason) => {
            let trouble = no_reason(reader.lang);
            let typed = CellTyped { by_hand: trouble.problems.clone(), ..CellTyped::default() };
            page(&app, &user, &reader, (class, member), &lab.id, None, Some(typed), trouble).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives the learner dates of their own.
pub async fn extend(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner, name)): Path<(String, String, String, String)>,
    Form(typed): Form<dates::Typed>,
) -> Answer {
    let (class, member) = find(&app, &user, &id, &learner).await?;
    let lab = lab(&name)?;
    match typed.read(reader.lang) {
        Ok(timeline) => {
            terms::extend(&app.store, user.viewer(), class.id, &lab.id, member.user_id, &timeline).await?;
            Ok(at(&reader, &class, &member, &lab.id, "extended"))
        }
        Err(trouble) => {
            let typed = CellTyped { dates: typed.again(), dated: trouble.problems.clone(), ..CellTyped::default() };
            page(&app, &user, &reader, (class, member), &lab.id, None, Some(typed), trouble).await
        }
    }
}

pub async fn end_extension(
    State(app): State<AppState>,
    user: Staff,
    reader: Reader,
    Path((_, id, learner, name)): Path<(String, String, String, String)>,
) -> Answer {
    let (class, member) = find(&app, &user, &id, &learner).await?;
    let lab = lab(&name)?;
    terms::end_extension(&app.store, user.viewer(), class.id, &lab.id, member.user_id).await?;
    Ok(at(&reader, &class, &member, &lab.id, "ended"))
}
