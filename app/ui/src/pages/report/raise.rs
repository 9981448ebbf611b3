//! What would raise a grade: the points still open, the largest first, with the next step for each.

use evidence::{Blocked, Grade, ItemScore, Lang, Part};
use leptos::prelude::*;

use crate::pages::credit::PartBadge;

#[component]
pub fn Raise(lang: Lang, grade: Grade, accepted: Vec<String>) -> impl IntoView {
    let mut open: Vec<&ItemScore> = grade.items.iter().filter(|item| item.earned < item.possible).collect();
    // A stable sort: equals stay in the order of the rubric.
    open.sort_by_key(|item| std::cmp::Reverse(item.possible - item.earned));
    let rows = open
        .into_iter()
        .map(|item| {
            let steps = steps(item, &grade, &accepted, lang)
                .into_iter()
                .map(|step| view! { <p class="fix">{step}</p> })
                .collect_view();
            let at_stake = item.possible - item.earned;
            view! {
                <li data-item=item.id.clone() data-at-stake=at_stake.to_string()>
                    <b>{format!("+{at_stake}")}</b>
                    " "
                    <PartBadge lang part=item.part />
                    " "
                    {item.title.get(lang).to_owned()}
                    {steps}
                </li>
            }
        })
        .collect::<Vec<_>>();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="card raise" aria-label=lang.pick("怎样提高得分", "What would raise the grade")>
                <header>
                    <b>{lang.pick("怎样提高得分", "What would raise the grade")}</b>
                    <span>{lang.pick("还能得到的分，从多到少", "points still open, the most first")}</span>
                </header>
                <ul class="body">{rows}</ul>
            </section>
        }
    })
}

/// What to do for one item: what blocks it, then each check that cost it.
fn steps(item: &ItemScore, grade: &Grade, accepted: &[String], lang: Lang) -> Vec<String> {
    let blocked = item.blocked.map(|blocked| match blocked {
        Blocked::NeedsGpu => lang
            .pick(
                "这一部分只认 GPU 证据：在 GPU 上测量（或在实验页让 runner 运行），再提交报告。",
                "Only GPU evidence earns this part: measure on a GPU (or let a runner do it from the lab's page) and hand the report in.",
            )
            .to_owned(),
        Blocked::NeedsProvenance => {
            let ways: Vec<&str> = accepted.iter().map(|id| way(id, lang)).collect();
            match lang {
                Lang::Zh => format!("这份报告的来源不计这一部分；接受的来源：{}。", ways.join("、")),
                Lang::En => format!("Reports that come this way do not earn this part; accepted: {}.", ways.join(", ")),
            }
        }
        Blocked::NotEvidence => lang
            .pick("先提交一份含有测量的报告；检查里写着缺什么。", "Hand in a report with a measurement first; the checks say what is missing.")
            .to_owned(),
    });
    let mut steps: Vec<String> = blocked.into_iter().collect();
    for id in &item.lost_to {
        let failed = grade.checks.iter().find(|check| check.failed() && check.id == *id);
        let said = match (failed, evidence::check::rule(id)) {
            (Some(check), _) if !check.fix(lang).is_empty() => check.fix(lang).to_owned(),
            // A check that the item needs and that found nothing to look at.
            (_, Some(rule)) => format!("{}{}{}", rule.about(lang), lang.pick("：", ": "), rule.fix(lang)),
            (_, None) => continue,
        };
        if !steps.contains(&said) {
            steps.push(said);
        }
    }
    if steps.is_empty() && item.part == Part::Cpu {
        steps.push(lang.pick("见下面的检查。", "See the checks below.").to_owned());
    }
    steps
}

fn way(id: &str, lang: Lang) -> &'static str {
    match id {
        "runner" => lang.pick("由 runner 运行并签名", "run and signed by a runner"),
        "browser" => lang.pick("在浏览器里运行", "run in the browser"),
        _ => lang.pick("自行上传", "uploaded by yourself"),
    }
}
