//! Pages as answers: rendered once where they do not depend on the reader, filled per request.

use std::collections::HashMap;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use evidence::Lang;
use leptos::prelude::*;
use ui::shell::{AssetNames, Fill, Hole, PageMeta, Section, Template};

use super::security::{HasIsland, Nonce};
use crate::course::Course;

/// The pages of the course, rendered when the server starts.
#[derive(Debug, Default)]
pub struct Pages(HashMap<(Lang, String), (Template, bool)>);

impl Pages {
    /// Renders the home pages and all lessons.
    pub fn render(course: &Course, assets: &AssetNames) -> Self {
        let mut pages = HashMap::new();
        for lang in Lang::ALL {
            let route = course.route.clone();
            let meta =
                PageMeta { lang, title: String::new(), path: "/".to_owned(), section: Section::Course, islands: false };
            let template = ui::shell::document(meta, assets.clone(), move || view! { <ui::pages::Home route lang /> });
            pages.insert((lang, String::new()), (template, false));
        }
        for lesson in course.pages() {
            let islands = lesson.has_island();
            let meta = PageMeta {
                lang: lesson.lang,
                title: lesson.title.clone(),
                path: format!("/{}", lesson.path),
                section: Section::Course,
                islands,
            };
            let (key, lesson, route) = ((lesson.lang, lesson.path.clone()), lesson.clone(), course.route.clone());
            let labs = labs::catalogue()
                .iter()
                .map(|lab| (lab.id.to_string(), lab.title(lesson.lang).to_owned()))
                .collect::<Vec<_>>();
            let template = ui::shell::document(meta, assets.clone(), move || {
                view! { <ui::pages::LessonPage lesson route labs /> }
            });
            pages.insert(key, (template, islands));
        }
        Self(pages)
    }

    pub fn get(&self, lang: Lang, path: &str) -> Option<&(Template, bool)> {
        self.0.get(&(lang, path.to_owned()))
    }
}

/// What a request brings to every page.
#[derive(Clone)]
pub struct Visit {
    pub nonce: Nonce,
    pub theme: &'static str,
}

impl Visit {
    pub fn new(nonce: Nonce, headers: &HeaderMap) -> Self {
        Self { nonce, theme: theme(headers) }
    }

    /// The holes that every page has.
    pub fn fill(&self, account: &str) -> Fill {
        Fill::default().text(Hole::Nonce, &self.nonce.0).text(Hole::Theme, self.theme).text(Hole::Account, account)
    }
}

/// A filled page as an answer.
pub fn answer(status: StatusCode, page: &Template, fill: &Fill, islands: bool) -> Response {
    let mut response = (status, Html(page.fill(fill))).into_response();
    if islands {
        response.extensions_mut().insert(HasIsland);
    }
    response
}

/// The reader's choice of light or dark, from a cookie that holds nothing else.
fn theme(headers: &HeaderMap) -> &'static str {
    let chosen = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix("theme="));
    match chosen {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "auto",
    }
}

/// The language that a browser asks for; Chinese when it does not say.
pub fn preferred(headers: &HeaderMap) -> Lang {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    asked
        .split(',')
        .filter_map(|part| Lang::from_code(part.trim().split(['-', ';']).next().unwrap_or_default()))
        .next()
        .unwrap_or_default()
}
