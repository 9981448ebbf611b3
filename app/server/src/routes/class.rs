//! Classes, gradebook and runners, for instructors and, in a class, for its assistants. What the reader has no right to
//! is not found.

mod audit;
mod dates;
mod drill;
mod exports;
mod flows;
mod gradebook;
mod imports;
mod labs;
mod learner;
mod list;
mod members;
mod one;
mod queue;
mod regrades;
mod runners;
mod statistics;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};

use super::account::answer;
use crate::http::AppState;

pub use flows::unread_line;

/// Who comes to the pages around a gradebook; which classes they may grade is the store's to say.
type Grader = crate::auth::Staff;

/// A spreadsheet with its form around it.
const IMPORT_LIMIT: usize = imports::MAX_BYTES + (64 << 10);

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/{lang}/class", get(list::show).post(list::create))
        .route("/{lang}/class/runners", get(list::back).post(runners::register))
        .route("/{lang}/class/runners/revoke", get(list::back).post(runners::revoke))
        .route("/{lang}/class/queue", get(queue::show))
        .route("/{lang}/class/queue/pause", get(queue::back).post(queue::pause))
        .route("/{lang}/class/queue/requeue", get(queue::back).post(queue::requeue))
        .route("/{lang}/class/queue/dismiss", get(queue::back).post(queue::dismiss))
        .route("/{lang}/class/queue/cancel", get(queue::back).post(queue::cancel))
        .route("/{lang}/class/queue/priority", get(queue::back).post(queue::priority))
        .route("/{lang}/class/{id}", get(one::show))
        .route("/{lang}/class/{id}/code", get(one::back).post(one::rotate))
        .route("/{lang}/class/{id}/open", get(one::back).post(one::set_open))
        .route("/{lang}/class/{id}/resets", get(one::back).post(members::reset))
        .route("/{lang}/class/{id}/removals", post(members::remove).get(one::back))
        .route("/{lang}/class/{id}/drill", get(one::back).post(drill::open))
        .route("/{lang}/class/{id}/drill/{set}", get(drill::show))
        .route("/{lang}/class/{id}/rights", get(one::back).post(members::rights))
        .route("/{lang}/class/{id}/counting", get(labs::back).post(labs::counting))
        .route("/{lang}/class/{id}/labs", get(labs::list))
        .route("/{lang}/class/{id}/labs/{lab}", get(labs::show))
        .route("/{lang}/class/{id}/labs/{lab}/dates", get(labs::back_to_lab).post(labs::dates))
        .route("/{lang}/class/{id}/labs/{lab}/release", get(labs::back_to_lab).post(labs::release))
        .route("/{lang}/class/{id}/learners/{user}", get(learner::list))
        .route("/{lang}/class/{id}/learners/{user}/{lab}", get(learner::show))
        .route("/{lang}/class/{id}/learners/{user}/{lab}/points", get(learner::back).post(learner::points))
        .route("/{lang}/class/{id}/learners/{user}/{lab}/withdrawals", get(learner::back).post(learner::withdraw))
        .route("/{lang}/class/{id}/learners/{user}/{lab}/dates", get(learner::back).post(learner::extend))
        .route("/{lang}/class/{id}/learners/{user}/{lab}/dates/end", get(learner::back).post(learner::end_extension))
        .route("/{lang}/class/{id}/audit", get(audit::show))
        .route("/{lang}/class/{id}/gradebook.csv", get(gradebook::csv))
        .route("/{lang}/class/{id}/canvas.csv", get(exports::canvas))
        .route("/{lang}/class/{id}/attempts.csv", get(exports::attempts))
        .route(
            "/{lang}/class/{id}/import",
            get(imports::list).post(imports::receive).layer(DefaultBodyLimit::max(IMPORT_LIMIT)),
        )
        .route("/{lang}/class/{id}/import/{import}", get(imports::show))
        .route("/{lang}/class/{id}/import/{import}/apply", get(imports::back).post(imports::apply))
        .route("/{lang}/class/{id}/labs/{lab}/statistics", get(statistics::show))
        .route("/{lang}/class/{id}/regrades", get(regrades::list).post(regrades::start))
        .route("/{lang}/class/{id}/regrades/{regrade}", get(regrades::show))
        .route("/{lang}/class/{id}/regrades/{regrade}/publish", get(regrades::back).post(regrades::publish))
        .route("/{lang}/class/{id}/regrades/{regrade}/discard", get(regrades::back).post(regrades::discard))
        .route_layer(middleware::from_fn(answer::known_language))
}
