//! Accounts: coming in and going out, one-time links, and what is one's own.

pub(super) mod answer;
mod links;
mod own;
mod password;
mod sessions;
mod sign_in;
mod sign_up;
mod tokens;
mod words;

use axum::Router;
use axum::middleware;
use axum::routing::get;

use crate::http::AppState;

pub fn routes() -> Router<AppState> {
    let own = Router::new()
        .route("/{lang}/sign-in", get(sign_in::show).post(sign_in::sign_in))
        .route("/{lang}/sign-up", get(sign_up::show).post(sign_up::sign_up))
        .route("/{lang}/sign-out", get(own::back).post(sign_in::sign_out))
        .route("/{lang}/account", get(own::show))
        // A form's own address, reached by a reload or by the way back from sign-in, leads to the page that has it.
        .route("/{lang}/account/classes", get(own::back).post(own::join))
        .route("/{lang}/account/password", get(own::back).post(password::change))
        .route("/{lang}/account/sessions/end", get(own::back).post(sessions::end))
        .route("/{lang}/account/sessions/end-others", get(own::back).post(sessions::end_others))
        .route("/{lang}/account/tokens", get(own::back).post(tokens::create))
        .route("/{lang}/account/tokens/revoke", get(own::back).post(tokens::revoke))
        .route_layer(middleware::from_fn(answer::known_language));
    let links = Router::new()
        .route("/setup/{token}", get(links::show_setup).post(links::set_up))
        .route("/reset/{token}", get(links::show_reset).post(links::reset))
        .route_layer(middleware::from_fn(answer::guard_secret));
    own.merge(links)
}
