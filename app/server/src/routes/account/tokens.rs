//! API tokens: made, shown once, revoked.

use axum::Form;
use axum::extract::State;
use evidence::Lang;
use leptos::prelude::*;
use serde::Deserialize;
use ui::pages::account::{Forms, ScopeChoice, TokenMadePage, TokenTyped};

use super::answer::{Answer, Failure, Trouble, unstored};
use super::own;
use crate::auth::CurrentUser;
use crate::http::{AppState, Reader};
use crate::store::api_tokens::{self, Scope, Scopes};
use crate::store::{ApiTokenId, clean_name};

/// More than anybody needs, few enough to look through.
const MAX_TOKENS: usize = 20;
const NAME_MAX: usize = 80;

/// The form before anybody typed: what submitting a report needs.
pub fn fresh() -> TokenTyped {
    typed(String::new(), Scopes::of(&[Scope::ReadReports, Scope::SubmitReports]))
}

fn typed(name: String, scopes: Scopes) -> TokenTyped {
    let choice = |scope: &Scope| ScopeChoice { id: scope.id(), chosen: scopes.has(*scope) };
    TokenTyped { name, scopes: Scope::OFFERED.iter().map(choice).collect() }
}

pub async fn create(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Form(fields): Form<Vec<(String, String)>>,
) -> Answer {
    let lang = reader.lang;
    let name = fields.iter().find(|(field, _)| field == "name").and_then(|(_, name)| clean_name(name, NAME_MAX));
    let name = name.unwrap_or_default();
    let asked = fields.iter().filter(|(field, _)| field == "scope");
    let asked: Option<Vec<Scope>> = asked.map(|(_, scope)| offered(scope)).collect();
    let asked = asked.map_or_else(Scopes::default, |asked| Scopes::of(&asked));
    let held = api_tokens::list(&app.store, user.id).await?.len();
    if let Some(trouble) = refuse(&name, asked, held, lang) {
        let forms = Forms { tokens: trouble.problems.clone(), token: typed(name, asked), ..own::forms() };
        return own::page(&app, &user, &reader, None, forms, trouble).await;
    }
    let made = api_tokens::create(&app.store, user.id, &name, asked).await?;
    let (token, origin) = (made.token.reveal().to_owned(), app.config.origin.clone());
    let submits = asked.has(Scope::SubmitReports);
    let title = lang.pick("新令牌", "New token");
    Ok(unstored(Trouble::none().page(&app, &reader, title, move || {
        view! { <TokenMadePage lang name token origin submits /> }
    })))
}

fn offered(scope: &str) -> Option<Scope> {
    Scope::OFFERED.iter().copied().find(|own| own.id() == scope)
}

fn refuse(name: &str, scopes: Scopes, held: usize, lang: Lang) -> Option<Trouble> {
    if name.is_empty() {
        return Some(Trouble::field(
            "name",
            lang.pick(
                "给令牌起个名字，至少有一个字母、汉字或数字。",
                "Give the token a name with a letter or digit in it.",
            ),
        ));
    }
    if held >= MAX_TOKENS {
        let text = lang.pick("令牌已有 20 个；请先吊销不用的。", "There are 20 tokens already; revoke one first.");
        return Some(Trouble::field("name", text));
    }
    if scopes.is_empty() {
        let text = lang.pick("至少选一项你可以做的事。", "Choose at least one thing that you may do.");
        return Some(Trouble::field("scope", text));
    }
    None
}

#[derive(Deserialize)]
pub struct Which {
    id: String,
}

pub async fn revoke(
    State(app): State<AppState>,
    user: CurrentUser,
    reader: Reader,
    Form(which): Form<Which>,
) -> Answer {
    let id: ApiTokenId = which.id.parse().map_err(|_| Failure::NotFound)?;
    if !api_tokens::revoke(&app.store, user.id, id).await? {
        return Err(Failure::NotFound);
    }
    Ok(own::done(&reader, "revoked", "tokens"))
}
