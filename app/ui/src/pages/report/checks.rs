//! Checks: what was looked at, what was found, how to mend it.

use evidence::{Check, Lang, Severity};
use leptos::prelude::*;

use super::threads::{Earlier, Talk, Thread, Threads};

#[component]
pub fn Checks(checks: Vec<Check>, threads: Threads, lang: Lang) -> impl IntoView {
    let failed = |severity: Severity| checks.iter().filter(|c| c.failed() && c.severity == severity).count();
    let passed = checks.iter().filter(|check| !check.failed()).count();
    let (errors, warnings, notes) = (failed(Severity::Error), failed(Severity::Warning), failed(Severity::Note));
    let summary = match lang {
        Lang::Zh => format!("{errors} 项需改正 · {warnings} 项警告 · {notes} 项说明 · {passed} 项通过"),
        Lang::En => format!("{errors} to fix · {warnings} warnings · {notes} notes · {passed} passed"),
    };
    let Threads { report, of_checks, others, fresh } = threads;
    let threads = of_checks.into_iter().map(Some).chain(std::iter::repeat(None));
    let (wrong, right): (Vec<_>, Vec<_>) = checks.into_iter().zip(threads).partition(|(check, _)| check.failed());
    // A thread under a check that passed is not to be missed.
    let talked = right.iter().any(|(_, thread)| thread.as_ref().is_some_and(|thread| !thread.entries.is_empty()));
    let one = |(check, thread): (Check, Option<Thread>)| {
        let talk = thread.map(|thread| view! { <Talk lang report=report.clone() thread fresh=fresh.clone() /> });
        view! { <One check lang>{talk}</One> }
    };
    let wrong = wrong.into_iter().map(one).collect_view();
    let right = right.into_iter().map(one).collect_view();
    view! {
        <section class="card checks" aria-label=lang.pick("检查", "Checks")>
            <header>
                <b>{lang.pick("检查", "Checks")}</b>
                <span>{summary}</span>
            </header>
            {wrong}
            <details class="passed" open=talked>
                <summary class="body">{lang.pick("通过的检查", "Checks that passed")}</summary>
                {right}
            </details>
        </section>
        <Earlier lang report=report.clone() threads=others fresh=fresh.clone() />
    }
    .into_any()
}

#[component]
fn One(check: Check, lang: Lang, children: Children) -> impl IntoView {
    let failed = check.failed();
    let (class, mark, word) = match (failed, check.severity) {
        (false, _) => ("badge ok", "✓", lang.pick("通过", "passed")),
        (true, Severity::Error) => ("badge bad", "✕", lang.pick("需改正", "to fix")),
        (true, Severity::Warning) => ("badge warn", "!", lang.pick("警告", "warning")),
        (true, Severity::Note) => ("badge theory", "i", lang.pick("说明", "note")),
    };
    let (expected, found) = (check.expected(lang).to_owned(), check.found(lang).to_owned());
    let compared = failed && !(expected.is_empty() && found.is_empty());
    view! {
        <div class="check" data-check=check.id.clone() data-status=if failed { "fail" } else { "pass" }>
            <span class=class title=word>
                {mark}
            </span>
            <div>
                <p>{check.message(lang).to_owned()}</p>
                {compared
                    .then(|| {
                        view! {
                            <dl>
                                <dt>{lang.pick("应为", "expected")}</dt>
                                <dd>{expected}</dd>
                                <dt>{lang.pick("实际", "found")}</dt>
                                <dd>{found}</dd>
                            </dl>
                        }
                    })}
                {failed.then(|| view! { <p class="fix">{check.fix(lang).to_owned()}</p> })}
                {children()}
            </div>
            {(!check.pointer.is_empty()).then(|| view! { <code>{check.pointer.clone()}</code> })}
        </div>
    }
    .into_any()
}
