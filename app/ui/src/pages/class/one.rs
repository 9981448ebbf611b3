//! One class: its code, its gradebook, its sets of the drill, its members.

use evidence::Lang;
use leptos::prelude::*;

use super::drill::{Drill, DrillSets};
use super::flows::{ClassFlows, Flows};
use super::gradebook::{Gradebook, GradebookRow};
use super::list::{ClassCard, JoinCode};
use super::members::{MemberLine, Members};

/// Everything that the page of a class shows.
#[derive(Debug, Clone)]
pub struct OneClass {
    pub card: ClassCard,
    pub gradebook: Vec<GradebookRow>,
    pub members: Vec<MemberLine>,
    pub drill: DrillSets,
    /// For who may see the learners' work.
    pub flows: Option<ClassFlows>,
}

#[component]
pub fn ClassPage(lang: Lang, class: OneClass, notice: Option<&'static str>) -> impl IntoView {
    let id = class.card.id.clone();
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=format!("/{}/class", lang.code())>"← " {lang.pick("所有班级", "All classes")}</a>
            </p>
            <h1><bdi>{class.card.name.clone()}</bdi></h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <section class="card">
                <div class="body">
                    <JoinCode lang class=class.card />
                </div>
            </section>
            <Gradebook lang class=id.clone() rows=class.gradebook />
            {class.flows.map(|flows| view! { <Flows lang class=id.clone() flows /> })}
            <Drill lang class=id.clone() drill=class.drill />
            <Members lang class=id members=class.members />
        </main>
    }
    .into_any()
}
