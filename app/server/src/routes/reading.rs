//! Home, Tasks, lessons, the language and the theme.

use axum::Router;
use axum::extract::{Extension, Form, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use evidence::Lang;
use serde::Deserialize;

use crate::http::AppState;
use crate::http::page::{Visit, answer, preferred};
use crate::http::security::Nonce;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(root))
        .route("/theme", post(theme))
        .route("/{lang}/", get(home))
        .route("/{lang}/{task}", get(task))
        .route("/{lang}/{task}/{lesson}", get(lesson))
}

async fn root(headers: HeaderMap) -> Redirect {
    Redirect::to(&format!("/{}/", preferred(&headers).code()))
}

async fn home(app: State<AppState>, nonce: Extension<Nonce>, headers: HeaderMap, Path(lang): Path<String>) -> Response {
    page(&app, nonce.0, &headers, &lang, "").await
}

async fn task(
    app: State<AppState>,
    nonce: Extension<Nonce>,
    headers: HeaderMap,
    Path((lang, task)): Path<(String, String)>,
) -> Response {
    page(&app, nonce.0, &headers, &lang, &task).await
}

async fn lesson(
    app: State<AppState>,
    nonce: Extension<Nonce>,
    headers: HeaderMap,
    Path((lang, task, lesson)): Path<(String, String, String)>,
) -> Response {
    page(&app, nonce.0, &headers, &lang, &format!("{task}/{lesson}")).await
}

async fn page(app: &AppState, nonce: Nonce, headers: &HeaderMap, lang: &str, path: &str) -> Response {
    let visit = Visit::new(nonce, headers);
    let found = Lang::from_code(lang).and_then(|lang| Some((lang, app.pages.get(lang, path)?)));
    match found {
        Some((lang, (template, islands))) => {
            let fill = visit.fill(lang.pick("登录", "Sign in"));
            answer(StatusCode::OK, template, &fill, *islands)
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[derive(Deserialize)]
struct Theme {
    back: String,
}

/// Light, dark, automatic, in turn, for readers without JavaScript.
async fn theme(headers: HeaderMap, Form(form): Form<Theme>) -> Response {
    let visit = Visit::new(Nonce(String::new()), &headers);
    let next = match visit.theme {
        "auto" => "light",
        "light" => "dark",
        _ => "auto",
    };
    let mut response = Redirect::to(own_path(&form.back)).into_response();
    let cookie = format!("theme={next}; Path=/; Max-Age=31536000; SameSite=Lax");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// A path of this server; anything that could lead elsewhere becomes the home page.
pub fn own_path(path: &str) -> &str {
    let plain = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(['\\', '\r', '\n', '\t'])
        && path.is_ascii();
    if plain { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn redirects_stay_on_this_server() {
        for bad in ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb", "", "javascript:1"] {
            assert_eq!(own_path(bad), "/", "{bad:?}");
        }
        assert_eq!(own_path("/zh/task4?a=1"), "/zh/task4?a=1");
    }
}
