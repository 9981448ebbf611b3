//! A learner's points in the classes that they are in.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::When;
use crate::pages::credit::{Credit, CreditLine, PartBadge};

/// One lab of a class; without parts where the class shows it later.
#[derive(Debug, Clone)]
pub struct LabPoints {
    pub lab: String,
    pub title: String,
    pub lines: Vec<CreditLine>,
    /// Held back, until the instant where it is settled.
    pub held: Option<Option<String>>,
}

#[derive(Debug, Clone)]
pub struct ClassPoints {
    pub name: String,
    pub labs: Vec<LabPoints>,
}

#[component]
pub fn Points(lang: Lang, classes: Vec<ClassPoints>) -> impl IntoView {
    let classes = classes
        .into_iter()
        .map(|class| {
            let labs = class.labs.into_iter().map(|lab| view! { <Lab lang lab /> }).collect_view();
            view! {
                <section class="card points">
                    <header>
                        <b><bdi>{class.name}</bdi></b>
                        <span>{lang.pick("计入的得分与原因", "what counts, and why")}</span>
                    </header>
                    <div class="body">{labs}</div>
                </section>
            }
        })
        .collect::<Vec<_>>();
    (!classes.is_empty()).then(|| {
        view! {
            <h2 id="points">{lang.pick("班级里的得分", "Points in class")}</h2>
            {classes}
        }
    })
}

#[component]
fn Lab(lang: Lang, lab: LabPoints) -> impl IntoView {
    if let Some(until) = lab.held {
        return view! {
            <p>
                <b>{lang.pick("实验 ", "Lab ")} {lab.lab}</b>
                " · "
                <Held lang until />
            </p>
        }
        .into_any();
    }
    let parts = lab
        .lines
        .iter()
        .map(|line| {
            let credit = line.credit.clone().unwrap_or_else(|| "—".to_owned());
            view! {
                " "
                <PartBadge lang part=line.part />
                {format!(" {credit} / {}", line.possible)}
                {line.by_hand.then_some(" ✎")}
            }
        })
        .collect_view();
    let why = lab.lines.into_iter().map(|line| view! { <Credit lang line /> }).collect_view();
    view! {
        <details>
            <summary>
                <b>{lang.pick("实验 ", "Lab ")} {lab.lab}</b>
                " "
                {lab.title}
                {parts}
            </summary>
            {why}
        </details>
    }
    .into_any()
}

/// That points are shown later, and when.
#[component]
pub fn Held(lang: Lang, until: Option<String>) -> impl IntoView {
    view! {
        <span class="badge warn">
            "◷ "
            {match until {
                Some(iso) => {
                    view! { {lang.pick("分数与反馈公布于 ", "points and feedback are shown from ")} <When iso /> }
                        .into_any()
                }
                None => {
                    lang.pick("分数与反馈由教师稍后公布", "points and feedback are shown later, by the instructor")
                        .into_any()
                }
            }}
        </span>
    }
}
