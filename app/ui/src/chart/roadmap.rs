//! The road map: Tasks as linked nodes, arrows for what comes before.

use std::collections::BTreeMap;

use evidence::Lang;
use leptos::prelude::*;

use crate::route::{Branch, Route, Task};

const WIDTH: f64 = 176.0;
const HEIGHT: f64 = 62.0;
const COLUMN: f64 = 208.0;
const ROW: f64 = 92.0;
const MARGIN: f64 = 8.0;

/// Row of a branch on the map, from the top.
fn row(branch: Branch) -> f64 {
    match branch {
        Branch::Training => 0.0,
        Branch::Core | Branch::Extension => 1.0,
        Branch::Inference => 2.0,
        Branch::Across => 3.0,
    }
}

/// The route as a picture whose nodes are links. Columns follow the longest chain of Tasks before a node.
#[component]
pub fn Roadmap(route: Route, lang: Lang) -> impl IntoView {
    let mut columns: BTreeMap<String, f64> = BTreeMap::new();
    for task in &route.tasks {
        let column = task
            .after
            .iter()
            .filter_map(|before| columns.get(before))
            .fold(0.0_f64, |most, before| most.max(before + 1.0));
        columns.insert(task.id.clone(), column);
    }
    let place = |task: &Task| {
        let column = columns.get(&task.id).copied().unwrap_or_default();
        (MARGIN + column * COLUMN, MARGIN + row(task.branch) * ROW)
    };
    let places: BTreeMap<String, (f64, f64)> = route.tasks.iter().map(|task| (task.id.clone(), place(task))).collect();
    let width = places.values().map(|(x, _)| x + WIDTH).fold(0.0, f64::max) + MARGIN;
    let height = places.values().map(|(_, y)| y + HEIGHT).fold(0.0, f64::max) + MARGIN;
    let arrows = route
        .tasks
        .iter()
        .flat_map(|task| task.after.iter().map(move |before| (before, &task.id)))
        .filter_map(|(from, to)| Some((places.get(from)?, places.get(to)?)))
        .map(|((fx, fy), (tx, ty))| {
            let (x1, y1, x2, y2) = (fx + WIDTH, fy + HEIGHT / 2.0, *tx, ty + HEIGHT / 2.0);
            let middle = (x1 + x2) / 2.0;
            view! { <path class="arrow" d=format!("M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}") marker-end="url(#tip)" /> }
        })
        .collect_view();
    let nodes = route
        .tasks
        .iter()
        .map(|task| {
            let (x, y) = places.get(&task.id).copied().unwrap_or_default();
            let (name, rest) = split(task.title.get(lang));
            let class = format!("node {}{}", task.branch.id(), if task.optional { " optional" } else { "" });
            view! {
                <a href=format!("/{}/{}", lang.code(), task.id)>
                    <g class=class>
                        <rect x=x y=y width=WIDTH height=HEIGHT rx="6" />
                        <text class="id" x=x + 12.0 y=y + 18.0>
                            {label(&task.id)}
                        </text>
                        <text x=x + 12.0 y=y + 35.0>
                            {name}
                        </text>
                        <text x=x + 12.0 y=y + 51.0>
                            {rest}
                        </text>
                    </g>
                </a>
            }
        })
        .collect_view();
    view! {
        <div class="roadmap" tabindex="0">
            <svg
                viewBox=format!("0 0 {width} {height}")
                role="group"
                aria-label=lang.pick("路线图", "Road map")
            >
                <defs>
                    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                        <path class="tip" d="M0 0L8 4L0 8z" />
                    </marker>
                </defs>
                {arrows}
                {nodes}
            </svg>
        </div>
    }
    .into_any()
}

/// `task6a` → `Task6a`
pub fn label(id: &str) -> String {
    id.strip_prefix("task").map_or_else(|| id.to_owned(), |rest| format!("Task{rest}"))
}

/// Breaks a title into two lines that fit a node; a Han character takes the room of two letters.
fn split(title: &str) -> (String, String) {
    const ROOM: usize = 23;
    let size = |c: char| if c.is_ascii() { 1 } else { 2 };
    let mut room = 0;
    let mut cut = 0;
    for (at, c) in title.char_indices() {
        room += size(c);
        if room > ROOM {
            // Prefer the last space; Chinese may break anywhere.
            if cut == 0 || !c.is_ascii() {
                cut = at;
            }
            let (a, b) = title.split_at(cut);
            return (a.trim().to_owned(), b.trim().to_owned());
        }
        if c == ' ' {
            cut = at;
        }
    }
    (title.to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_break_into_two_lines() {
        let cases = [
            ("Objects and lifetime", "Objects and lifetime", ""),
            ("Measured training decision with budgets", "Measured training", "decision with budgets"),
            ("推理显存与容量边界的完整预算", "推理显存与容量边界的完", "整预算"),
        ];
        for (title, first, second) in cases {
            assert_eq!(split(title), (first.to_owned(), second.to_owned()), "{title}");
        }
    }
}
