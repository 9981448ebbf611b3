//! Who reads, and how a page is answered to them.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use evidence::Lang;
use leptos::prelude::IntoView;
use ui::Client;
use ui::shell::{Fill, Hole, PageMeta, Section};

use super::AppState;
use super::page::{Visit, answer, preferred};
use super::security::Nonce;
use crate::auth::{AuthRejection, CurrentUser, MaybeUser};
use crate::store::Role;

/// A request for a page: its reader, if signed in, and what every page needs of the request.
#[derive(Clone)]
pub struct Reader {
    pub user: Option<CurrentUser>,
    pub visit: Visit,
    /// The language of the path, or the one the browser prefers.
    pub lang: Lang,
    /// The path behind the language.
    pub path: String,
}

impl Reader {
    /// The holes that every page has.
    pub fn fill(&self) -> Fill {
        let account = match &self.user {
            Some(user) => user.display_name.clone(),
            None => self.lang.pick("登录", "Sign in").to_owned(),
        };
        let fill = self.visit.fill(&account);
        let staff = self.user.as_ref().is_some_and(|user| user.role == Role::Instructor || user.assists);
        if staff { fill.html(Hole::Class, self.class_link()) } else { fill }
    }

    /// The entry of those who teach, or help to, of the top navigation.
    fn class_link(&self) -> String {
        let current = if self.path.starts_with("/class") { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"/{}/class\"{current}>{}</a>", self.lang.code(), self.lang.pick("班级", "Classes"))
    }

    /// The way over signing in to a page of this language: for forms, whose own address shows nothing.
    pub fn sign_in_for(&self, page: &str) -> Response {
        let lang = self.lang.code();
        let page: String = page.chars().filter(|c| c.is_ascii_alphanumeric() || "/-_.".contains(*c)).collect();
        Redirect::to(&format!("/{lang}/sign-in?next=/{lang}/{page}")).into_response()
    }

    /// Renders a page for this reader alone.
    pub fn page<V: IntoView + 'static>(
        &self,
        app: &AppState,
        section: Section,
        title: &str,
        body: impl FnOnce() -> V + Send + 'static,
    ) -> Response {
        self.page_with(app, StatusCode::OK, section, title, [], body)
    }

    pub fn page_with<V: IntoView + 'static>(
        &self,
        app: &AppState,
        status: StatusCode,
        section: Section,
        title: &str,
        clients: impl IntoIterator<Item = Client>,
        body: impl FnOnce() -> V + Send + 'static,
    ) -> Response {
        let clients: Vec<Client> = clients.into_iter().collect();
        let islands = !clients.is_empty();
        let meta = PageMeta { lang: self.lang, title: title.to_owned(), path: self.path.clone(), section, clients };
        let template = ui::shell::document(meta, app.assets.clone(), body);
        answer(status, &template, &self.fill(), islands)
    }
}

impl FromRequestParts<AppState> for Reader {
    type Rejection = AuthRejection;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, AuthRejection> {
        let MaybeUser(user) = MaybeUser::from_request_parts(parts, app).await?;
        Ok(Self::of(parts, user))
    }
}

impl Reader {
    fn of(parts: &Parts, user: Option<CurrentUser>) -> Self {
        let nonce = parts.extensions.get::<Nonce>().cloned().unwrap_or_else(|| Nonce(String::new()));
        let path = parts.uri.path();
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let (lang, rest) = match Lang::from_code(first) {
            Some(lang) => (lang, &path[1 + first.len()..]),
            None => (preferred(&parts.headers), "/"),
        };
        // A form's own path has no page to switch language on.
        let rest = if parts.method.is_safe() { rest } else { "/" };
        Self { user, visit: Visit::new(nonce, &parts.headers), lang, path: rest.to_owned() }
    }
}

/// For pages that must be drawn even when the store does not answer: error pages.
pub struct Anonymous(pub Reader);

impl<S: Sync> FromRequestParts<S> for Anonymous {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Reader::of(parts, None)))
    }
}
