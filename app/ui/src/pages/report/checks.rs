//! Checks: what was looked at, what was found, how to mend it.

use evidence::{Check, Lang, Severity};
use leptos::prelude::*;

#[component]
pub fn Checks(checks: Vec<Check>, lang: Lang) -> impl IntoView {
    let failed = |severity: Severity| checks.iter().filter(|c| c.failed() && c.severity == severity).count();
    let passed = checks.iter().filter(|check| !check.failed()).count();
    let (errors, warnings, notes) = (failed(Severity::Error), failed(Severity::Warning), failed(Severity::Note));
    let summary = match lang {
        Lang::Zh => format!("{errors} 项需改正 · {warnings} 项警告 · {notes} 项说明 · {passed} 项通过"),
        Lang::En => format!("{errors} to fix · {warnings} warnings · {notes} notes · {passed} passed"),
    };
    let (wrong, right): (Vec<Check>, Vec<Check>) = checks.into_iter().partition(Check::failed);
    let wrong = wrong.into_iter().map(|check| view! { <One check lang /> }).collect_view();
    let right = right.into_iter().map(|check| view! { <One check lang /> }).collect_view();
    view! {
        <section class="card checks" aria-label=lang.pick("检查", "Checks")>
            <header>
                <b>{lang.pick("检查", "Checks")}</b>
                <span>{summary}</span>
            </header>
            {wrong}
            <details class="passed">
                <summary class="body">{lang.pick("通过的检查", "Checks that passed")}</summary>
                {right}
            </details>
        </section>
    }
    .into_any()
}

#[component]
fn One(check: Check, lang: Lang) -> impl IntoView {
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
            </div>
            {(!check.pointer.is_empty()).then(|| view! { <code>{check.pointer.clone()}</code> })}
        </div>
    }
    .into_any()
}
