//! Sets of the drill: opened for a class, and how the class answered.

use evidence::Lang;
use leptos::prelude::*;

use crate::pages::account::{Field, Problems, Summary, When};
use crate::rows::Rows;

/// A set that was opened.
#[derive(Debug, Clone)]
pub struct DrillLine {
    pub id: String,
    pub opened: String,
    pub questions: usize,
    pub answers: i64,
}

/// The sets of a class, and what was typed to open one.
#[derive(Debug, Clone, Default)]
pub struct DrillSets {
    pub sets: Vec<DrillLine>,
    pub count: String,
    pub seed: String,
    pub problems: Problems,
}

#[component]
pub fn Drill(lang: Lang, class: String, drill: DrillSets) -> impl IntoView {
    let at = format!("/{}/class/{class}/drill", lang.code());
    let rows = drill
        .sets
        .into_iter()
        .map(|set| {
            view! {
                <li>
                    <a href=format!("{at}/{}", set.id)>
                        <When iso=set.opened />
                    </a>
                    " "
                    <small>
                        {match lang {
                            Lang::Zh => format!("{} 题 · {} 个回答", set.questions, set.answers),
                            Lang::En => format!("{} questions · {} answers", set.questions, set.answers),
                        }}
                    </small>
                </li>
            }
        })
        .collect_view();
    view! {
        <h2 id="drill">{lang.pick("直觉练习", "Intuition drill")}</h2>
        <p class="hint">
            {lang
                .pick(
                    "一组题，全班相同：每人每题 60 秒，只算第一次回答；之后看全班的分布。",
                    "A set of questions, the same for the whole class: 60 seconds each, the first answer counts, and you see how the class did.",
                )}
        </p>
        <ul>{rows}</ul>
        <Summary lang problems=drill.problems.clone() />
        <form class="row-form" method="post" action=at.clone()>
            <Field
                form="drill"
                name="count"
                label=lang.pick("题数（1–100）", "Questions (1–100)")
                value=drill.count
                problems=drill.problems.clone()
            />
            <Field
                form="drill"
                name="seed"
                label=lang.pick("种子（可留空）", "Seed (may stay empty)")
                value=drill.seed
                required=false
                problems=drill.problems
            />
            <button type="submit" class="button quiet">
                {lang.pick("布置一组题", "Open a set")}
            </button>
        </form>
    }
    .into_any()
}

/// Buckets of the relative error, from close to far.
pub const BUCKETS: usize = 5;

/// How a class answered one question.
#[derive(Debug, Clone)]
pub struct Spread {
    pub heading: String,
    pub text: String,
    pub exact: String,
    pub answers: usize,
    pub passed: usize,
    /// Answers that came over time.
    pub late: usize,
    /// Of the relative error; `None` without answers.
    pub median: Option<String>,
    pub buckets: [usize; BUCKETS],
}

/// How one learner did.
#[derive(Debug, Clone)]
pub struct LearnerLine {
    pub display_name: String,
    pub login: String,
    pub answered: usize,
    pub passed: usize,
}

#[derive(Debug, Clone)]
pub struct Distribution {
    pub class: String,
    pub class_name: String,
    /// The whole address to hand out.
    pub link: String,
    pub opened: String,
    pub questions: Vec<Spread>,
    pub learners: Vec<LearnerLine>,
}

#[component]
pub fn DistributionPage(lang: Lang, set: Distribution) -> impl IntoView {
    let count = set.questions.len();
    let questions = set.questions.into_iter().map(|spread| view! { <Question lang spread /> }).collect_view();
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=format!("/{}/class/{}#drill", lang.code(), set.class)>"← " <bdi>{set.class_name}</bdi></a>
            </p>
            <h1>{lang.pick("题组的分布", "How the class answered")}</h1>
            <p>
                <small>{lang.pick("布置于 ", "opened ")} <When iso=set.opened /></small>
                <br />
                <small>{lang.pick("发给学习者的链接", "link for the learners")}</small>
                " "
                <a href=set.link.clone()>{set.link.clone()}</a>
            </p>
            <Learners lang learners=set.learners count />
            <h2>{lang.pick("逐题", "Question by question")}</h2>
            {questions}
        </main>
    }
    .into_any()
}

#[component]
fn Learners(lang: Lang, learners: Vec<LearnerLine>, count: usize) -> impl IntoView {
    if learners.is_empty() {
        return view! { <p class="empty">{lang.pick("还没有学习者加入。", "No learner has joined yet.")}</p> }
            .into_any();
    }
    let rows = learners
        .into_iter()
        .map(|line| {
            view! {
                <tr>
                    <td>
                        <b><bdi>{line.display_name}</bdi></b>
                        <br />
                        <small>{line.login}</small>
                    </td>
                    <td class="n">{line.answered} " / " {count}</td>
                    <td class="n">{line.passed}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("学习者", "Learner")),
        ("n", lang.pick("已答", "Answered")),
        ("n", lang.pick("通过", "Passed")),
    ];
    view! {
        <Rows head>{rows}</Rows>
    }
    .into_any()
}

#[component]
fn Question(lang: Lang, spread: Spread) -> impl IntoView {
    let share = match spread.answers {
        0 => "—".to_owned(),
        all => format!("{} %", (spread.passed * 100 + all / 2) / all),
    };
    let late = (spread.late > 0).then(|| match lang {
        Lang::Zh => format!("其中 {} 个超时", spread.late),
        Lang::En => format!("{} over time", spread.late),
    });
    let some = spread.answers > 0;
    view! {
        <section class="card">
            <header>
                <b>{spread.heading}</b>
                <span>{lang.pick("账本：", "ledger: ")} {spread.exact}</span>
            </header>
            <div class="body">
                <p>{spread.text}</p>
                <p class="answer">
                    <span>
                        <small>{lang.pick("回答", "answers")}</small>
                        " "
                        <strong>{spread.answers}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("通过", "passed")}</small>
                        " "
                        <strong>{share}</strong>
                    </span>
                    <span>
                        <small>{lang.pick("误差中位数", "median error")}</small>
                        " "
                        <strong>{spread.median.unwrap_or_else(|| "—".to_owned())}</strong>
                    </span>
                    {late.map(|late| view! { <span class="badge warn">"◷ " {late}</span> })}
                </p>
                {some.then(|| view! { <Histogram lang buckets=spread.buckets /> })}
            </div>
        </section>
    }
    .into_any()
}

/// Answers by how far off they are; up to 20 % passes.
#[component]
fn Histogram(lang: Lang, buckets: [usize; BUCKETS]) -> impl IntoView {
    let names = ["≤ 5 %", "≤ 20 %", "≤ 50 %", "≤ 2×", lang.pick("更远", "farther")];
    let most = buckets.iter().copied().max().unwrap_or(0).max(1);
    let rows = names
        .into_iter()
        .zip(buckets)
        .enumerate()
        .map(|(at, (name, count))| {
            let width = (count * 1000 / most).to_string();
            view! {
                <div class="bar-row">
                    <span class="bar-label">{name}</span>
                    <svg class="bar-line" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                        <rect class=if at < 2 { "close" } else { "far" } width=width height="20" />
                    </svg>
                    <span class="n">{count}</span>
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="bar-rows drill-spread" role="group" aria-label=lang.pick("相对误差的分布", "Answers by relative error")>
            {rows}
        </div>
    }
    .into_any()
}
