//! What the page of a class leads to beside its gradebook, and who may go there.

use ui::pages::class::{ClassFlows, CopyPair, UnreadReport};

use crate::auth::CurrentUser;
use crate::http::AppState;
use crate::routes::account::answer::{Failure, iso};
use crate::store::classes::{self, Class};
use crate::store::comments::{self, Unread};
use crate::store::likenesses::{self, Pair};
use crate::store::{ClassId, StoreError, grades};

/// The class of the address, if the reader may see its learners' work and give points.
pub async fn graded(app: &AppState, user: &CurrentUser, id: &str) -> Result<Class, Failure> {
    let id: ClassId = id.parse().map_err(|_| Failure::NotFound)?;
    let class = classes::get(&app.store, user.viewer(), id).await?;
    class.filter(|class| class.may_grade).ok_or(Failure::NotFound)
}

/// Labs that somebody of a class was graded in.
pub async fn labs(app: &AppState, user: &CurrentUser, class: ClassId) -> Result<Vec<String>, StoreError> {
    let lines = grades::attempts(&app.store, user.viewer(), class).await?;
    let labs: std::collections::BTreeSet<String> = lines.into_iter().map(|line| line.lab).collect();
    // The lab of a file is what the file says; only those of the catalogue have pages.
    Ok(labs.into_iter().filter(|lab| labs::lab(lab).is_some()).collect())
}

pub async fn of_class(app: &AppState, user: &CurrentUser, class: ClassId) -> Result<ClassFlows, StoreError> {
    let unread = comments::unread(&app.store, user.viewer(), Some(class)).await?;
    let pairs = likenesses::of_class(&app.store, user.viewer(), class).await?;
    Ok(ClassFlows {
        labs: labs(app, user, class).await?,
        copies: pairs.into_iter().map(pair).collect(),
        unread: unread.into_iter().map(unread_line).collect(),
    })
}

pub fn unread_line(unread: Unread) -> UnreadReport {
    UnreadReport {
        report: unread.report_id.to_string(),
        name: unread.display_name,
        lab: unread.lab.unwrap_or_else(|| "–".to_owned()),
        entries: unread.entries,
        last: iso(unread.last_ms),
    }
}

fn pair(pair: Pair) -> CopyPair {
    CopyPair {
        lab: pair.lab.unwrap_or_else(|| "–".to_owned()),
        first: (pair.first_report.to_string(), pair.first_name, iso(pair.first_ms)),
        second: (pair.second_report.to_string(), pair.second_name, iso(pair.second_ms)),
        jitter: pair.times.zip(pair.largest_difference).map(|(times, most)| (times, format!("{:.2} %", most * 100.0))),
    }
}
