//! All classes of an instructor, and the runners.

use evidence::Lang;
use leptos::prelude::*;

use super::runners::{LifetimeChoice, RunnerLine, Runners};
use crate::pages::account::{Act, Field, Problems, Summary, When};

#[derive(Debug, Clone)]
pub struct ClassCard {
    pub id: String,
    pub name: String,
    /// In two groups, as it is read out.
    pub code: String,
    /// The whole address to hand out.
    pub sign_up: String,
    pub open: bool,
    pub learners: i64,
    pub created: String,
}

/// What was typed into the page's forms, and what is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct ClassForms {
    pub class: String,
    pub classes: Problems,
    pub runner: String,
    pub lifetimes: Vec<LifetimeChoice>,
    pub runners: Problems,
}

#[component]
pub fn ClassesPage(
    lang: Lang,
    classes: Vec<ClassCard>,
    runners: Vec<RunnerLine>,
    notice: Option<&'static str>,
    forms: ClassForms,
) -> impl IntoView {
    let empty = classes.is_empty();
    let cards = classes.into_iter().map(|class| view! { <Card lang class /> }).collect_view();
    view! {
        <main id="main" class="wide">
            <h1>{lang.pick("班级", "Classes")}</h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            {empty
                .then(|| {
                    view! {
                        <p class="empty">
                            {lang
                                .pick(
                                    "还没有班级。建一个，然后把加入码或注册链接发给学习者。",
                                    "No classes yet. Make one, then hand its join code or sign-up link to the learners.",
                                )}
                        </p>
                    }
                })}
            {cards}
            <Summary lang problems=forms.classes.clone() />
            <form class="row-form" method="post" action=format!("/{}/class", lang.code())>
                <Field
                    form="class"
                    name="name"
                    label=lang.pick("新班级的名称", "Name of a new class")
                    value=forms.class
                    problems=forms.classes
                />
                <button type="submit" class="button">
                    {lang.pick("建立班级", "Create the class")}
                </button>
            </form>
            <Runners lang runners name=forms.runner lifetimes=forms.lifetimes problems=forms.runners />
        </main>
    }
    .into_any()
}

#[component]
fn Card(lang: Lang, class: ClassCard) -> impl IntoView {
    let href = format!("/{}/class/{}", lang.code(), class.id);
    view! {
        <section class="card">
            <header>
                <b>
                    <a href=href><bdi>{class.name.clone()}</bdi></a>
                </b>
                <span>
                    {match lang {
                        Lang::Zh => format!("{} 位学习者 · 建立于 ", class.learners),
                        Lang::En if class.learners == 1 => "1 learner · created ".to_owned(),
                        Lang::En => format!("{} learners · created ", class.learners),
                    }} <When iso=class.created.clone() />
                </span>
            </header>
            <div class="body">
                <JoinCode lang class />
            </div>
        </section>
    }
    .into_any()
}

/// The code of a class and what can be done with it.
#[component]
pub fn JoinCode(lang: Lang, class: ClassCard) -> impl IntoView {
    let at = format!("/{}/class/{}", lang.code(), class.id);
    let open = class.open;
    let name = class.name;
    view! {
        <p class="answer">
            <span>
                <small>{lang.pick("加入码", "join code")}</small>
                " "
                <strong>{class.code}</strong>
            </span>
            {if open {
                view! { <span class="badge ok">"✓ " {lang.pick("可以加入", "open")}</span> }
            } else {
                view! { <span class="badge warn">"✕ " {lang.pick("已关闭", "closed")}</span> }
            }}
        </p>
        {open
            .then(|| {
                view! {
                    <p>
                        <small>{lang.pick("注册链接", "sign-up link")}</small>
                        " "
                        <a href=class.sign_up.clone()>{class.sign_up.clone()}</a>
                    </p>
                }
            })}
        <div class="actions">
            {if open {
                view! {
                    <Act
                        action=format!("{at}/open")
                        label=lang.pick("关闭加入", "Close")
                        name="open"
                        value="false"
                        about=name.clone()
                    />
                }
            } else {
                view! {
                    <Act
                        action=format!("{at}/open")
                        label=lang.pick("重新开放", "Open again")
                        name="open"
                        value="true"
                        about=name.clone()
                    />
                }
            }} <Act action=format!("{at}/code") label=lang.pick("换一个加入码", "Replace the code") about=name />
        </div>
    }
    .into_any()
}
