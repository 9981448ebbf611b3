//! What reports count in the classes of their learner.

use evidence::Lang;
use ui::pages::credit::CreditLine;
use ui::pages::report::{ClassPoints, LabPoints};

use crate::auth::CurrentUser;
use crate::routes::account::answer::iso;
use crate::routes::credit::line;
use crate::store::grades::{self, HeldLab, Sheet};
use crate::store::overrides::{self, OverrideRow};
use crate::store::reports::ReportRow;
use crate::store::{ClassId, Store, StoreError, UserId, classes};

/// The credits of a learner in a class, with what was set by hand there.
async fn read(
    store: &Store,
    user: &CurrentUser,
    class: ClassId,
    learner: UserId,
) -> Result<(Sheet, Vec<OverrideRow>), StoreError> {
    let sheet = grades::sheet(store, user.viewer(), class, Some(learner)).await?;
    let history = overrides::history(store, user.viewer(), class, Some(learner)).await?;
    Ok((sheet, history))
}

fn lines(store: &Store, (sheet, history): &(Sheet, Vec<OverrideRow>), lab: &str) -> Vec<CreditLine> {
    let now = store.now();
    sheet.lines.iter().filter(|of| of.lab == lab).map(|of| line(of, history, now)).collect()
}

/// The lab of a report in every class that the reader may see it in: a learner's own classes, or those taught.
pub async fn of_report(
    store: &Store,
    user: &CurrentUser,
    report: &ReportRow,
) -> Result<Vec<(String, Vec<CreditLine>)>, StoreError> {
    let Some(lab) = &report.lab else { return Ok(Vec::new()) };
    let classes: Vec<(ClassId, String)> = if report.user_id == user.id {
        classes::of_learner(store, user.id).await?.into_iter().map(|class| (class.id, class.name)).collect()
    } else {
        classes::taught(store, user.viewer()).await?.into_iter().map(|class| (class.id, class.name)).collect()
    };
    let mut credits = Vec::new();
    for (class, name) in classes {
        let lines = lines(store, &read(store, user, class, report.user_id).await?, lab);
        if !lines.is_empty() {
            credits.push((name, lines));
        }
    }
    Ok(credits)
}

/// A learner's own points, class by class; what is held back is named and not shown.
pub async fn of_learner(
    store: &Store,
    user: &CurrentUser,
    lang: Lang,
    held: &[HeldLab],
) -> Result<Vec<ClassPoints>, StoreError> {
    let title = |lab: &str| labs::lab(lab).map(|lab| lab.title(lang).to_owned()).unwrap_or_default();
    let mut classes = Vec::new();
    for class in classes::of_learner(store, user.id).await? {
        let read = read(store, user, class.id, user.id).await?;
        let mut labs: Vec<LabPoints> = Vec::new();
        for of in &read.0.lines {
            if labs.last().is_none_or(|lab| lab.lab != of.lab) {
                let lines = lines(store, &read, &of.lab);
                labs.push(LabPoints { lab: of.lab.clone(), title: title(&of.lab), lines, held: None });
            }
        }
        for held in held.iter().filter(|held| held.class_id == class.id) {
            let until = Some(held.until().map(iso));
            labs.push(LabPoints { lab: held.lab.clone(), title: title(&held.lab), lines: Vec::new(), held: until });
        }
        labs.sort_by(|a, b| a.lab.cmp(&b.lab));
        if !labs.is_empty() {
            classes.push(ClassPoints { name: class.name, labs });
        }
    }
    Ok(classes)
}
