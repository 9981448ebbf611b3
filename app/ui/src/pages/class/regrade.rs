//! Regrades: begun, watched, looked through, published or discarded.

use evidence::diff::{Change, CheckChange, PartChange};
use evidence::{Grade, Lang, Outcome, check, diff};
use leptos::prelude::*;

use super::back::Back;
use crate::pages::account::{Act, When};
use crate::rows::Rows;

/// A regrade with its counts.
#[derive(Debug, Clone)]
pub struct RegradeCard {
    pub id: String,
    /// `None`: every lab.
    pub lab: Option<String>,
    pub grader: String,
    /// `running`, `ready`, `publishing`, `published`, `discarded`, `outdated`.
    pub state: &'static str,
    pub author: String,
    pub created: String,
    pub total: i64,
    pub done: i64,
    pub changed: i64,
    pub same: i64,
    pub failed: i64,
    pub published: i64,
    pub overtaken: i64,
}

fn state(id: &str, lang: Lang) -> (&'static str, &'static str) {
    match id {
        "running" => ("badge warn", lang.pick("◷ 正在评分", "◷ being graded")),
        "ready" => ("badge warn", lang.pick("○ 试算完成，未公布", "○ dry run done, not published")),
        "publishing" => ("badge warn", lang.pick("◷ 正在公布", "◷ being published")),
        "published" => ("badge ok", lang.pick("✓ 已公布", "✓ published")),
        "outdated" => ("badge theory", lang.pick("✕ 评分器已更新，作废", "✕ void: the grader has changed")),
        _ => ("badge theory", lang.pick("✕ 已丢弃", "✕ discarded")),
    }
}

fn lab_name(lab: Option<&str>, lang: Lang) -> String {
    match lab {
        Some(lab) => format!("{} {lab}", lang.pick("实验", "Lab")),
        None => lang.pick("所有实验", "All labs").to_owned(),
    }
}

/// All regrades of a class, and the form that begins one.
#[component]
pub fn RegradesPage(
    lang: Lang,
    class: String,
    class_name: String,
    /// Labs with graded reports.
    labs: Vec<String>,
    grader: &'static str,
    regrades: Vec<RegradeCard>,
    problem: Option<&'static str>,
) -> impl IntoView {
    let at = format!("/{}/class/{class}/regrades", lang.code());
    let options = labs.into_iter().map(|lab| view! { <option value=lab.clone()>{lab.clone()}</option> }).collect_view();
    let none = regrades.is_empty();
    let rows = regrades
        .into_iter()
        .map(|one| {
            let (badge, word) = state(one.state, lang);
            view! {
                <tr>
                    <td>
                        <a href=format!("{at}/{}", one.id)>{lab_name(one.lab.as_deref(), lang)}</a>
                        <br />
                        <small><When iso=one.created /> " · " <bdi>{one.author}</bdi></small>
                    </td>
                    <td>
                        <span class=badge>{word}</span>
                    </td>
                    <td class="n">{one.grader}</td>
                    <td class="n">{format!("{} / {}", one.done, one.total)}</td>
                    <td class="n">{one.changed + one.published}</td>
                </tr>
            }
        })
        .collect_view();
    let head = vec![
        ("", lang.pick("范围", "What")),
        ("", lang.pick("状态", "State")),
        ("n", lang.pick("评分器", "Grader")),
        ("n", lang.pick("已评", "Graded")),
        ("n", lang.pick("有变化", "Changed")),
    ];
    view! {
        <main id="main" class="wide">
            <Back lang class name=class_name />
            <h1>{lang.pick("重新评分", "Regrade")}</h1>
            <p>
                {lang
                    .pick(
                        "已保存的原始报告用现在的评分器重新评一遍。先是试算：新旧并排，什么也不公布；公布之后才追加新的评分，旧的评分保留。手工给的分不受影响。",
                        "The stored reports go through the grader of today. That is a dry run: old and new side by side, nothing is published. Publishing appends the new grades; the old ones stay. Points set by hand are not touched.",
                    )}
            </p>
            {problem.map(|text| view! { <p class="problem" role="alert">{text}</p> })}
            <form class="row-form" method="post" action=at.clone()>
                <label>
                    {lang.pick("实验", "Lab")}
                    <select name="lab">
                        <option value="">{lang.pick("所有实验", "All labs")}</option>
                        {options}
                    </select>
                </label>
                <button type="submit" class="button">
                    {match lang {
                        Lang::Zh => format!("用评分器 {grader} 试算"),
                        Lang::En => format!("Dry run with grader {grader}"),
                    }}
                </button>
            </form>
            {(!none).then(|| view! { <Rows head>{rows}</Rows> })}
        </main>
    }
    .into_any()
}

/// One report, old and new.
#[derive(Debug, Clone)]
pub struct RegradeLine {
    pub report: String,
    pub login: String,
    pub display_name: String,
    pub lab: String,
    /// `waiting`, `same`, `changed`, `failed`, `published`, `overtaken`.
    pub state: &'static str,
    pub from: String,
    pub old: Option<Grade>,
    pub new: Option<Grade>,
}

/// Which lines are shown.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Counts from 1.
    pub page: u32,
    pub last: u32,
}

#[component]
pub fn RegradePage(
    lang: Lang,
    class: String,
    class_name: String,
    regrade: RegradeCard,
    lines: Vec<RegradeLine>,
    part: Part,
    notice: Option<&'static str>,
) -> impl IntoView {
    let all = format!("/{}/class/{class}/regrades", lang.code());
    let at = format!("{all}/{}", regrade.id);
    let (badge, word) = state(regrade.state, lang);
    let working = matches!(regrade.state, "running" | "publishing");
    let (ready, open) = (regrade.state == "ready", matches!(regrade.state, "ready" | "running" | "outdated"));
    let (total, done) = match regrade.state {
        "publishing" => (regrade.total - regrade.failed, regrade.published + regrade.overtaken),
        _ => (regrade.total, regrade.done),
    };
    let counts = match lang {
        Lang::Zh => format!(
            "{} 份报告 · {} 份有变化 · {} 份不变 · {} 份无法评分",
            regrade.total, regrade.changed, regrade.same, regrade.failed
        ),
        Lang::En => format!(
            "{} reports · {} changed · {} the same · {} could not be graded",
            regrade.total, regrade.changed, regrade.same, regrade.failed
        ),
    };
    let appended = (regrade.published + regrade.overtaken > 0).then(|| match lang {
        Lang::Zh => {
            format!("追加了 {} 个评分；{} 份报告在此期间有了别的评分，保持不动。", regrade.published, regrade.overtaken)
        }
        Lang::En => format!(
            "{} grades appended; {} reports had got another grade meanwhile and keep it.",
            regrade.published, regrade.overtaken
        ),
    });
    let rows = lines.into_iter().map(|line| view! { <Line lang line grader=regrade.grader.clone() /> }).collect_view();
    let head = vec![
        ("", lang.pick("报告", "Report")),
        ("", lang.pick("评分器", "Grader")),
        ("n", lang.pick("■ CPU 旧 → 新", "■ CPU old → new")),
        ("n", lang.pick("◆ GPU 旧 → 新", "◆ GPU old → new")),
        ("", lang.pick("什么变了", "What changed")),
    ];
    let pages = (part.last > 1).then(|| {
        (1..=part.last)
            .map(|page| {
                let current = (page == part.page).then_some("page");
                view! {
                    <a href=format!("{at}?page={page}") aria-current=current>{page.to_string()}</a>
                    " "
                }
            })
            .collect_view()
    });
    view! {
        <main id="main" class="wide">
            <p class="hint">
                <a href=all>"← " {lang.pick("重新评分", "Regrade")} " · " <bdi>{class_name}</bdi></a>
            </p>
            <h1>{lang.pick("重新评分：", "Regrade: ")} {lab_name(regrade.lab.as_deref(), lang)}</h1>
            {notice.map(|text| view! { <p class="notice" role="status">{text}</p> })}
            <p class="facts">
                <span class=badge data-state=regrade.state>{word}</span>
                <span>{lang.pick("评分器 ", "grader ")} <b>{regrade.grader.clone()}</b></span>
                <span><bdi>{regrade.author.clone()}</bdi></span>
                <When iso=regrade.created.clone() />
            </p>
            {working
                .then(|| {
                    view! {
                        <p class="working" role="status">
                            <progress max=total.to_string() value=done.to_string() aria-label=word></progress>
                            " "
                            {format!("{done} / {total}")}
                            " · "
                            <a href=at.clone()>{lang.pick("刷新", "Refresh")}</a>
                        </p>
                    }
                })}
            <p>{counts}</p>
            {appended.map(|text| view! { <p>{text}</p> })}
            <div class="row-form">
                {ready
                    .then(|| {
                        view! {
                            <Act
                                action=format!("{at}/publish")
                                label=lang.pick("公布新评分", "Publish the new grades")
                                class="button"
                            />
                        }
                    })}
                {open
                    .then(|| {
                        view! {
                            <Act action=format!("{at}/discard") label=lang.pick("丢弃试算", "Discard the dry run") />
                        }
                    })}
            </div>
            <Rows head>{rows}</Rows>
            {pages.map(|pages| view! { <nav aria-label=lang.pick("页", "Pages")>{pages}</nav> })}
        </main>
    }
    .into_any()
}

#[component]
fn Line(lang: Lang, line: RegradeLine, grader: String) -> impl IntoView {
    let (cpu, gpu, what) = match (&line.old, &line.new) {
        (Some(old), Some(new)) => {
            let diff = diff(old, new);
            let changes = diff.checks.iter().map(|change| told(change, lang)).collect_view();
            let outcome = (diff.outcome.0 != diff.outcome.1).then(|| {
                let word = |outcome| match outcome {
                    Outcome::Graded => lang.pick("已评分", "graded"),
                    Outcome::NotEvidence { .. } => lang.pick("不是证据", "not evidence"),
                };
                view! { <li>{word(diff.outcome.0)} " → " {word(diff.outcome.1)}</li> }
            });
            let decision = diff.decision.map(|(old, new)| {
                view! { <li>{lang.pick("结论 ", "decision ")} {old.unwrap_or("–").to_owned()} " → " {new.unwrap_or("–").to_owned()}</li> }
            });
            let same = diff.is_empty();
            let what = view! {
                <ul class="changes">
                    {outcome} {decision} {changes}
                    {same.then(|| view! { <li>{lang.pick("结果不变", "the same result")}</li> })}
                </ul>
            }
            .into_any();
            (points(diff.cpu), points(diff.gpu), what)
        }
        _ => {
            let text = match line.state {
                "waiting" => lang.pick("等待评分", "waits for its grade"),
                "failed" => {
                    lang.pick("新评分器读不出它；旧评分保留", "the new grader cannot read it; the old grade stays")
                }
                _ => "—",
            };
            (dash(), dash(), text.into_any())
        }
    };
    let overtaken = (line.state == "overtaken").then(|| {
        view! {
            <p class="hint">
                {lang
                    .pick(
                        "在此期间有了别的评分，未追加。",
                        "Another grade counted by then; this one was not appended.",
                    )}
            </p>
        }
    });
    view! {
        <tr data-line=line.state>
            <td>
                <a href=format!("/{}/reports/{}", lang.code(), line.report)>
                    <bdi>{line.display_name}</bdi>
                </a>
                <br />
                <small>{line.login} " · " {line.lab}</small>
            </td>
            <td class="side-by-side">{line.from} " → " {grader}</td>
            <td class="n side-by-side">{cpu}</td>
            <td class="n side-by-side">{gpu}</td>
            <td>{what} {overtaken}</td>
        </tr>
    }
    .into_any()
}

fn dash() -> AnyView {
    "—".into_any()
}

/// `5 / 8 → 6 / 8`, and the direction in words of shape, not of colour alone.
fn points(part: PartChange) -> AnyView {
    let (old, new) = (part.old, part.new);
    let (class, sign) = match new.earned.cmp(&old.earned) {
        std::cmp::Ordering::Greater => ("up", " ▲"),
        std::cmp::Ordering::Less => ("down", " ▼"),
        std::cmp::Ordering::Equal => ("", ""),
    };
    let possible = |points: evidence::PartPoints| format!("{} / {}", points.earned, points.possible);
    if old == new {
        return possible(new).into_any();
    }
    view! { {possible(old)} " → " <b class=class>{possible(new)} {sign}</b> }.into_any()
}

fn told(change: &CheckChange<'_>, lang: Lang) -> impl IntoView + use<> {
    let (mark, word) = match change.change {
        Change::NowFails => ("✕", lang.pick("现在不通过", "fails now")),
        Change::NowPasses => ("✓", lang.pick("现在通过", "passes now")),
        Change::NewFails => ("✕", lang.pick("新检查，不通过", "new check, fails")),
        Change::NewPasses => ("✓", lang.pick("新检查，通过", "new check, passes")),
        Change::GoneFailed => ("·", lang.pick("不再检查（原来不通过）", "no longer made (it failed)")),
        Change::GonePassed => ("·", lang.pick("不再检查（原来通过）", "no longer made (it passed)")),
    };
    let check = change.check;
    let title = check::rule(&check.id).map_or_else(|| check.id.clone(), |rule| rule.about(lang).to_owned());
    let pointer = check.pointer.clone();
    view! {
        <li>
            {mark} " " {word} ": " {title} " "
            {(!pointer.is_empty()).then(|| view! { <code>{pointer.clone()}</code> })}
        </li>
    }
}
