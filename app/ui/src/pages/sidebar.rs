//! The route beside a page, with the reader's own marks in holes; beside a page outside the Tasks, the others like it.

use evidence::Lang;
use leptos::prelude::*;

use crate::route::{PageRef, Route, Task};
use crate::shell::Hole;

#[component]
pub fn Sidebar(route: Route, lang: Lang, current: String) -> impl IntoView {
    let items = route
        .tasks
        .into_iter()
        .map(|task| {
            let open = current == task.id || current.starts_with(&format!("{}/", task.id));
            view! { <TaskItem task lang current=current.clone() open /> }
        })
        .collect_view();
    view! {
        <nav class="route" aria-label=lang.pick("课程", "Course")>
            <ol>{items}</ol>
        </nav>
    }
    .into_any()
}

/// The pages outside the Tasks, under the list of the ledgers.
#[component]
pub fn PageList(pages: Vec<PageRef>, lang: Lang, current: String) -> impl IntoView {
    let items = pages
        .into_iter()
        .map(|page| {
            let here = page.path == current;
            view! {
                <li class=here.then_some("now")>
                    <a href=format!("/{}/{}", lang.code(), page.path) aria-current=here.then_some("page")>
                        {page.title.get(lang).to_owned()}
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="route" aria-label=lang.pick("账本", "Ledgers")>
            <ol>
                <li>
                    <a href=format!("/{}/tools", lang.code())>{lang.pick("全部账本", "All ledgers")}</a>
                </li>
                {items}
            </ol>
        </nav>
    }
    .into_any()
}

#[component]
fn TaskItem(task: Task, lang: Lang, current: String, open: bool) -> impl IntoView {
    let href = |path: &str| format!("/{}/{}", lang.code(), path);
    let own = current == task.id;
    let total = task.lessons.len();
    let lessons = task
        .lessons
        .iter()
        .map(|lesson| {
            view! {
                <li class=Hole::Mark(lesson.path.clone()).text()>
                    <a href=href(&lesson.path) aria-current=(lesson.path == current).then_some("page")>
                        {lesson.title.get(lang).to_owned()}
                    </a>
                </li>
            }
        })
        .collect_view();
    let labs = task
        .labs
        .iter()
        .map(|lab| {
            view! {
                <li class="lab">
                    <a href=format!("/{}/labs/{}", lang.code(), lab.id)>
                        {lang.pick("实验 ", "Lab ")} {lab.title.get(lang).to_owned()}
                    </a>
                </li>
            }
        })
        .collect_view();
    let counted = (total > 0).then(|| {
        view! {
            <small>
                {Hole::Count(task.id.clone()).text()} {format!("{total} {}", lang.pick("课", if total == 1 { "lesson" } else { "lessons" }))}
                {format!(" · {} {}", task.minutes, lang.pick("分钟", "min"))}
            </small>
        }
    });
    let inner = (open && (total > 0 || !task.labs.is_empty())).then(|| view! { <ol>{lessons} {labs}</ol> });
    view! {
        <li class=format!("{} {}", if open { "now" } else { "" }, Hole::Mark(task.id.clone()).text())>
            <a href=href(&task.id) aria-current=own.then_some("page")>
                {task.title.get(lang).to_owned()}
            </a>
            {counted}
            {inner}
        </li>
    }
    .into_any()
}
