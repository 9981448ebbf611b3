//! A learner in a class: every lab, and one lab with its points by hand and its dates.

use evidence::{Lang, Part};
use leptos::prelude::*;

use super::back::Back;
use super::terms::{Dates, DatesTyped};
use crate::pages::account::{Act, Field, Problems, Summary};
use crate::pages::credit::{Credit, CreditLine, PartBadge};

/// Whose page it is.
#[derive(Debug, Clone)]
pub struct LearnerName {
    pub class: String,
    pub class_name: String,
    pub user: String,
    pub name: String,
}

impl LearnerName {
    fn at(&self, lang: Lang) -> String {
        format!("/{}/class/{}/learners/{}", lang.code(), self.class, self.user)
    }
}

/// One lab of the list.
#[derive(Debug, Clone)]
pub struct LabCell {
    pub lab: String,
    pub title: String,
    /// Part, credit, possible, and whether it was set by hand.
    pub parts: Vec<(Part, String, i64, bool)>,
}

#[component]
pub fn LearnerPage(lang: Lang, learner: LearnerName, labs: Vec<LabCell>) -> impl IntoView {
    let at = learner.at(lang);
    let rows = labs
        .into_iter()
        .map(|lab| {
            let parts = lab
                .parts
                .into_iter()
                .map(|(part, credit, possible, by_hand)| {
                    view! {
                        <span class="part">
                            <PartBadge lang part />
                            {format!(" {credit} / {possible}")}
                            {by_hand.then_some(" ✎")}
                            " "
                        </span>
                    }
                })
                .collect_view();
            view! {
                <li>
                    <a href=format!("{at}/{}", lab.lab)>{lang.pick("实验 ", "Lab ")} {lab.lab.clone()}</a>
                    " "
                    {lab.title}
                    <small>{parts}</small>
                </li>
            }
        })
        .collect_view();
    view! {
        <main id="main" class="wide">
            <Back lang class=learner.class.clone() name=learner.class_name.clone() />
            <h1><bdi>{learner.name.clone()}</bdi></h1>
            <p class="hint">
                <a href=format!("/{}/reports?user={}", lang.code(), learner.user)>{lang.pick("全部报告", "All reports")}</a>
            </p>
            <ul class="report-list">{rows}</ul>
        </main>
    }
    .into_any()
}

/// What was typed into the forms of a cell.
#[derive(Debug, Clone, Default)]
pub struct CellTyped {
    pub points: String,
    pub reason: String,
    pub gpu: bool,
    pub by_hand: Problems,
    pub dates: DatesTyped,
    pub dated: Problems,
}

/// One lab of a learner.
#[derive(Debug, Clone)]
pub struct Cell {
    pub learner: LearnerName,
    pub lab: String,
    pub title: String,
    pub lines: Vec<CreditLine>,
    /// The learner has dates of their own.
    pub extended: bool,
    /// The reader may set dates, beside points.
    pub may_edit: bool,
}

#[component]
pub fn CellPage(lang: Lang, cell: Cell, typed: CellTyped, notice: Option<&'static str>) -> impl IntoView {
    let at = format!("{}/{}", cell.learner.at(lang), cell.lab);
    let set: Vec<Part> = cell.lines.iter().filter(|line| line.by_hand).map(|line| line.part).collect();
    let lines = cell.lines.into_iter().map(|line| view! { <Credit lang line /> }).collect_view();
    let back = cell.learner.at(lang);
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=back>"← " <bdi>{cell.learner.name.clone()}</bdi></a>
            </p>
            <h1>
                {cell.title} " " <small class="hint">{lang.pick("实验 ", "lab ")} {cell.lab.clone()}</small>
            </h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            {lines}
            <ByHand lang at=at.clone() set typed=typed.clone() />
            {cell.may_edit.then(|| view! { <Extension lang at extended=cell.extended typed /> })}
        </main>
    }
    .into_any()
}

#[component]
fn ByHand(lang: Lang, at: String, set: Vec<Part>, typed: CellTyped) -> impl IntoView {
    let gpu = typed.gpu;
    let withdrawals = set
        .into_iter()
        .map(|part| {
            let id = if part == Part::Gpu { "gpu" } else { "cpu" };
            view! {
                <form class="row-form" method="post" action=format!("{at}/withdrawals")>
                    <input type="hidden" name="part" value=id />
                    <PartBadge lang part />
                    <label>
                        {lang.pick("撤回的理由", "Why it is taken back")}
                        <input name="reason" required maxlength="500" />
                    </label>
                    <button type="submit" class="button quiet">{lang.pick("撤回设定", "Take it back")}</button>
                </form>
            }
        })
        .collect_view();
    view! {
        <h2 id="by-hand">{lang.pick("人工设定分数", "Points by hand")}</h2>
        <p class="hint">
            {lang
                .pick(
                    "没有提交也可以设定；学习者会看到分数与理由。每次设定都保留，最新的一次计入；一次只设一栏。",
                    "Possible without anything handed in; the learner sees points and reason. Every setting is kept, the newest counts; one column at a time.",
                )}
        </p>
        <Summary lang problems=typed.by_hand.clone() />
        <form class="form" method="post" action=format!("{at}/points")>
            <label>
                {lang.pick("栏", "Column")}
                <select name="part">
                    <option value="cpu" selected=!gpu>"■ " {lang.pick("CPU 可确认", "CPU-provable")}</option>
                    <option value="gpu" selected=gpu>"◆ " {lang.pick("GPU 部分", "GPU part")}</option>
                </select>
            </label>
            <Field
                form="by-hand"
                name="points"
                label=lang.pick("分数", "Points")
                value=typed.points
                hint=lang.pick("0 到 1000，至多两位小数，例如 7.5", "0 to 1000, at most two decimals, such as 7.5")
                problems=typed.by_hand.clone()
            />
            <Field form="by-hand" name="reason" label=lang.pick("理由", "Reason") value=typed.reason problems=typed.by_hand />
            <button type="submit" class="button">{lang.pick("设定分数", "Set the points")}</button>
        </form>
        {withdrawals}
    }
    .into_any()
}

#[component]
fn Extension(lang: Lang, at: String, extended: bool, typed: CellTyped) -> impl IntoView {
    view! {
        <h2 id="extension">{lang.pick("个人日期", "Dates of this learner")}</h2>
        <p>
            {if extended {
                lang.pick("» 这位学习者有自己的日期，班级的日期对其无效。", "» This learner has dates of their own; those of the class do not apply.")
            } else {
                lang.pick("按班级的日期。保存下面的日期即为个人延期。", "The dates of the class apply. Saving the ones below makes an extension.")
            }}
        </p>
        <Summary lang problems=typed.dated.clone() />
        <form method="post" action=format!("{at}/dates")>
            <Dates lang form="own" typed=typed.dates problems=typed.dated />
            <p class="actions">
                <button type="submit" class="button">{lang.pick("保存个人日期", "Save as an extension")}</button>
            </p>
        </form>
        {extended
            .then(|| {
                view! { <Act action=format!("{at}/dates/end") label=lang.pick("恢复班级的日期", "Back to the dates of the class") /> }
            })}
    }
    .into_any()
}
