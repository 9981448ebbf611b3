//! Pages as answers: rendered once where they do not depend on the reader, filled per request.

use std::collections::HashMap;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use evidence::Lang;
use leptos::prelude::*;
use ui::shell::{AssetNames, Fill, Hole, PageMeta, Section, Template};

use super::front::Front;
use super::security::{HasIsland, Nonce};
use crate::course::Course;

/// The pages of the course, rendered when the server starts.
#[derive(Debug, Default)]
pub struct Pages(HashMap<&'static str, HashMap<String, Page>>);

#[derive(Debug)]
pub struct Page {
    pub template: Template,
    /// Whether the page has an island and may compile wasm.
    pub islands: bool,
    fronts: [Front; Theme::ALL.len()],
}

impl Page {
    fn new(template: Template, islands: bool) -> Self {
        Self { template, islands, fronts: Default::default() }
    }

    /// The page as a reader without an account gets it.
    pub fn front(&self, theme: Theme) -> &Front {
        &self.fronts[theme as usize]
    }
}

impl Pages {
    /// Renders the home pages and all pages of Markdown.
    pub fn render(course: &Course, assets: &AssetNames) -> Self {
        let mut pages: HashMap<&str, HashMap<String, Page>> = HashMap::new();
        for lang in Lang::ALL {
            let route = course.route.clone();
            let meta = PageMeta {
                lang,
                title: String::new(),
                path: "/".to_owned(),
                section: Section::Course,
                clients: Vec::new(),
            };
            let template = ui::shell::document(meta, assets.clone(), move || view! { <ui::pages::Home route lang /> });
            pages.entry(lang.code()).or_default().insert(String::new(), Page::new(template, false));
        }
        for lesson in course.pages() {
            let clients = lesson.clients();
            let islands = !clients.is_empty();
            let meta = PageMeta {
                lang: lesson.lang,
                title: lesson.title.clone(),
                path: format!("/{}", lesson.path),
                section: if lesson.task.is_some() { Section::Course } else { Section::Tools },
                clients,
            };
            let (lang, path) = (lesson.lang, lesson.path.clone());
            let (lesson, route) = (lesson.clone(), course.route.clone());
            let labs = labs::catalogue()
                .iter()
                .map(|lab| (lab.id.to_string(), lab.title(lesson.lang).to_owned()))
                .collect::<Vec<_>>();
            let template = ui::shell::document(meta, assets.clone(), move || {
                view! { <ui::pages::LessonPage lesson route labs /> }
            });
            pages.entry(lang.code()).or_default().insert(path, Page::new(template, islands));
        }
        Self(pages)
    }

    pub fn get(&self, lang: Lang, path: &str) -> Option<&Page> {
        self.0.get(lang.code())?.get(path)
    }
}

/// What a request brings to every page.
#[derive(Clone)]
pub struct Visit {
    pub nonce: Nonce,
    pub theme: Theme,
}

impl Visit {
    pub fn new(nonce: Nonce, headers: &HeaderMap) -> Self {
        Self { nonce, theme: Theme::of(headers) }
    }

    /// The holes that every page has.
    pub fn fill(&self, account: &str) -> Fill {
        Fill::default()
            .text(Hole::Nonce, &self.nonce.0)
            .text(Hole::Theme, self.theme.name())
            .text(Hole::Account, account)
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

/// The reader's choice of light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Theme; 3] = [Theme::Auto, Theme::Light, Theme::Dark];

    /// From a cookie that holds nothing else.
    pub fn of(headers: &HeaderMap) -> Self {
        let chosen = cookies(headers).find_map(|(name, value)| (name == "theme").then_some(value));
        Self::ALL.into_iter().find(|theme| Some(theme.name()) == chosen).unwrap_or(Theme::Auto)
    }

    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// What the switch leads to.
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

/// Names and values of the cookies of a request.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let headers = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='))
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
