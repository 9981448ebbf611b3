//! The table of Tasks: CPU, GPU, exit.

use evidence::Lang;
use leptos::prelude::*;

use crate::route::{Branch, Route};

#[component]
pub fn TaskTable(route: Route, lang: Lang) -> impl IntoView {
    let rows = route
        .tasks
        .into_iter()
        .map(|task| {
            let branch = match task.branch {
                Branch::Core => lang.pick("主干", "core"),
                Branch::Training => lang.pick("训练", "training"),
                Branch::Inference => lang.pick("推理", "inference"),
                Branch::Extension => lang.pick("扩展", "extension"),
                Branch::Across => lang.pick("跨分支", "across"),
            };
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/{}/{}", lang.code(), task.id)>{task.title.get(lang).to_owned()}</a>
                        <small>
                            {branch}
                            {task.optional.then_some(lang.pick("，可选", ", optional"))}
                            {format!(" · {} {}", task.minutes, lang.pick("分钟", "min"))}
                        </small>
                    </th>
                    <td data-label=lang.pick("CPU 可确认", "CPU can confirm")>{task.cpu.get(lang).to_owned()}</td>
                    <td data-label=lang.pick("只有 GPU、后端或多卡能确认", "Only a GPU, backend or several cards")>
                        {task.gpu.get(lang).to_owned()}
                    </td>
                    <td data-label=lang.pick("出口", "Exit")>{task.exit.get(lang).to_owned()}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="tasks stacked">
            <thead>
                <tr>
                    <th>"Task"</th>
                    <th>
                        <span class="badge cpu">"■ " {lang.pick("CPU 可确认", "CPU can confirm")}</span>
                    </th>
                    <th>
                        <span class="badge gpu">
                            "◆ " {lang.pick("只有 GPU、后端或多卡能确认", "Only a GPU, a backend or several cards")}
                        </span>
                    </th>
                    <th>{lang.pick("出口", "Exit")}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}
