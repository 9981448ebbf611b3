//! One class: its code, its gradebook, its sets of the drill, its members.

use evidence::Lang;
use leptos::prelude::*;

use super::drill::{Drill, DrillSets};
use super::flows::{ClassFlows, Flows};
use super::gradebook::{Gradebook, GradebookTable};
use super::list::{ClassCard, JoinCode};
use super::members::{MemberLine, Members};
use super::staff::{StaffLine, StaffTable};

/// Everything that the page of a class shows.
#[derive(Debug, Clone)]
pub struct OneClass {
    pub card: ClassCard,
    pub gradebook: GradebookTable,
    pub members: Vec<MemberLine>,
    pub staff: Vec<StaffLine>,
    /// What the reader may do here.
    pub may_edit: bool,
    pub may_grade: bool,
    pub teaches: bool,
    /// The reader has classes of their own to go back to.
    pub instructor: bool,
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
                {if class.instructor {
                    view! { <a href=format!("/{}/class", lang.code())>"← " {lang.pick("所有班级", "All classes")}</a> }
                } else {
                    view! { <a href=format!("/{}/account", lang.code())>"← " {lang.pick("我的账号", "My account")}</a> }
                }}
            </p>
            <h1><bdi>{class.card.name.clone()}</bdi></h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            {class
                .may_edit
                .then(|| {
                    view! {
                        <section class="card">
                            <div class="body">
                                <JoinCode lang class=class.card />
                            </div>
                        </section>
                    }
                })}
            <p class="actions">
                <a class="button quiet" href=format!("/{}/class/{id}/labs", lang.code())>
                    {lang.pick("日期与公布", "Dates and release")}
                </a>
                {class
                    .may_grade
                    .then(|| {
                        view! {
                            <a class="button quiet" href=format!("/{}/class/{id}/audit", lang.code())>
                                {lang.pick("操作记录", "Audit log")}
                            </a>
                        }
                    })}
            </p>
            {class.may_grade.then(|| view! { <Gradebook lang class=id.clone() table=class.gradebook /> })}
            {class.flows.map(|flows| view! { <Flows lang class=id.clone() flows /> })}
            <Drill lang class=id.clone() drill=class.drill />
            <StaffTable lang class=id.clone() staff=class.staff may_change=class.teaches />
            <Members lang class=id members=class.members may_change=class.teaches />
        </main>
    }
    .into_any()
}
