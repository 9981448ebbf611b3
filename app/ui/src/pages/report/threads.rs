//! What learner and teacher say about a check. Plain text: every line of it is escaped like any other text.

use evidence::Lang;
use leptos::prelude::*;

use crate::html;
use crate::pages::account::When;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Said,
    Resolved,
    Reopened,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub id: String,
    pub author: String,
    /// Whether the report is the author's own.
    pub learner: bool,
    pub kind: EntryKind,
    pub body: String,
    pub at: String,
    pub unread: bool,
}

/// The entries about one check, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    pub check: String,
    pub pointer: String,
    pub entries: Vec<Entry>,
    /// What was typed and why it was not taken.
    pub refused: Option<(String, String)>,
}

impl Thread {
    pub fn resolved(&self) -> bool {
        let last = self.entries.iter().rev().find(|entry| entry.kind != EntryKind::Said);
        last.is_some_and(|entry| entry.kind == EntryKind::Resolved)
    }
}

/// All threads of a report.
#[derive(Debug, Clone, Default)]
pub struct Threads {
    pub report: String,
    /// One for each check of the grade, in its order.
    pub of_checks: Vec<Thread>,
    /// About checks that the counting grade does not make any more.
    pub others: Vec<Thread>,
    /// The entry that was just written.
    pub fresh: Option<String>,
}

#[component]
pub fn Talk(lang: Lang, report: String, thread: Thread, fresh: Option<String>) -> impl IntoView {
    let said = thread.entries.iter().filter(|entry| entry.kind == EntryKind::Said).count();
    let unread = thread.entries.iter().filter(|entry| entry.unread).count();
    let resolved = thread.resolved();
    let summary = match (lang, said) {
        (Lang::Zh, 0) => "讨论".to_owned(),
        (Lang::En, 0) => "Discuss".to_owned(),
        (Lang::Zh, n) => format!("讨论（{n}）"),
        (Lang::En, n) => format!("Discussion ({n})"),
    };
    let open = unread > 0
        || thread.refused.is_some()
        || fresh.is_some_and(|fresh| thread.entries.iter().any(|entry| entry.id == fresh));
    let some = !thread.entries.is_empty();
    let entries = thread.entries.into_iter().map(|entry| view! { <One lang entry /> }).collect_view();
    let action = format!("/{}/reports/{report}/comments", lang.code());
    let (body, problem) = thread.refused.unzip();
    let place = {
        let (check, pointer) = (thread.check.clone(), thread.pointer.clone());
        move || {
            view! {
                <input type="hidden" name="check" value=check.clone() />
                <input type="hidden" name="pointer" value=pointer.clone() />
            }
        }
    };
    view! {
        <details class="talk" open=open>
            <summary>
                {summary} {(unread > 0).then(|| view! { " " <span class="badge warn">"● " {lang.pick("未读", "unread")}</span> })}
                {resolved.then(|| view! { " " <span class="badge ok">"✓ " {lang.pick("已解决", "resolved")}</span> })}
            </summary>
            {some.then(|| view! { <ol>{entries}</ol> })}
            <form method="post" action=action.clone()>
                {place()}
                {problem.map(|text| view! { <p class="problem" role="alert">{text}</p> })}
                <textarea
                    name="body"
                    rows="3"
                    maxlength="4000"
                    required
                    aria-label=lang.pick("说点什么（纯文本）", "Say something (plain text)")
                    inner_html=html::textarea(&body.unwrap_or_default())
                ></textarea>
                <p class="actions">
                    <button type="submit" class="button quiet">{lang.pick("发送", "Send")}</button>
                </p>
            </form>
            {some
                .then(|| {
                    let (mark, label) = if resolved {
                        ("reopen", lang.pick("重新打开", "Reopen"))
                    } else {
                        ("resolve", lang.pick("标为已解决", "Mark as resolved"))
                    };
                    view! {
                        <form method="post" action=action>
                            {place()}
                            <input type="hidden" name="mark" value=mark />
                            <button type="submit" class="button quiet">{label}</button>
                        </form>
                    }
                })}
        </details>
    }
    .into_any()
}

#[component]
fn One(lang: Lang, entry: Entry) -> impl IntoView {
    let who = if entry.learner { lang.pick("学习者", "learner") } else { lang.pick("教师", "teacher") };
    let text = match entry.kind {
        EntryKind::Said => view! { <p class="said">{entry.body}</p> }.into_any(),
        EntryKind::Resolved => view! { <p>"✓ " {lang.pick("标为已解决", "marked it as resolved")}</p> }.into_any(),
        EntryKind::Reopened => view! { <p>"○ " {lang.pick("重新打开", "opened it again")}</p> }.into_any(),
    };
    view! {
        <li id=format!("comment-{}", entry.id) class=entry.unread.then_some("unread")>
            <small>
                <b><bdi>{entry.author}</bdi></b>
                " "
                {who}
                " · "
                <When iso=entry.at />
            </small>
            {text}
        </li>
    }
    .into_any()
}

/// Threads about checks that the counting grade does not make.
#[component]
pub fn Earlier(lang: Lang, report: String, threads: Vec<Thread>, fresh: Option<String>) -> impl IntoView {
    if threads.is_empty() {
        return ().into_any();
    }
    let shown = threads
        .into_iter()
        .map(|thread| {
            let title = evidence::check::rule(&thread.check)
                .map_or_else(|| thread.check.clone(), |rule| rule.about(lang).to_owned());
            view! {
                <div class="body">
                    <p>{title} " " <code>{thread.pointer.clone()}</code></p>
                    <Talk lang report=report.clone() thread fresh=fresh.clone() />
                </div>
            }
        })
        .collect_view();
    view! {
        <section class="card" aria-label=lang.pick("此前的讨论", "Earlier discussions")>
            <header>
                <b>{lang.pick("此前的讨论", "Earlier discussions")}</b>
                <span>{lang.pick("现在的评分不再包含这些检查", "the grade of today does not make these checks")}</span>
            </header>
            {shown}
        </section>
    }
    .into_any()
}
