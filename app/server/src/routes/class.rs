//! Classes, gradebook and runners, for instructors. What is not of a class that the reader teaches is not found.

mod drill;
mod gradebook;
mod list;
mod members;
mod one;
mod runners;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post};

use super::account::answer;
use crate::http::AppState;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/class", get(list::show).post(list::create))
        .route("/{lang}/class/runners", get(list::back).post(runners::register))
        .route("/{lang}/class/runners/revoke", get(list::back).post(runners::revoke))
        .route("/{lang}/class/{id}", get(one::show))
        .route("/{lang}/class/{id}/code", get(one::back).post(one::rotate))
        .route("/{lang}/class/{id}/open", get(one::back).post(one::set_open))
        .route("/{lang}/class/{id}/resets", get(one::back).post(members::reset))
        .route("/{lang}/class/{id}/removals", post(members::remove).get(one::back))
        .route("/{lang}/class/{id}/drill", get(one::back).post(drill::open))
        .route("/{lang}/class/{id}/drill/{set}", get(drill::show))
        .route("/{lang}/class/{id}/gradebook.csv", get(gradebook::csv))
        .route_layer(middleware::from_fn(answer::known_language))
}
