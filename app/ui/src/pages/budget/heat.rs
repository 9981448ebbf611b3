//! The heat map: for every loss ceiling a table of caps and floors. Each cell says its word; the colour repeats it.

use evidence::Lang;
use evidence::budget::{Amount, Grid, Scenario, Step};
use ledger::units;
use leptos::prelude::*;

use super::flips::number;
use crate::words;

/// The level as it was written, and what it comes to.
fn step(step: &Step, unit: &str, lang: Lang) -> String {
    let none = lang.pick("不限", "no limit").to_owned();
    match step.amount {
        None => none,
        Some(Amount::Bytes(bytes)) => format!("{} MiB", units::decimal(bytes, units::MIB, 2)),
        Some(Amount::Number(amount)) => format!("{}{unit}", number(amount)),
    }
}

/// `0.7x` beside what it comes to; an absolute level says nothing more.
fn written(step: &Step) -> Option<String> {
    step.level.ends_with(['x', '%']).then(|| step.level.clone())
}

#[component]
pub fn HeatMap(lang: Lang, grid: Grid) -> impl IntoView {
    let maps = grid
        .losses
        .iter()
        .enumerate()
        .map(|(loss, level)| {
            let ceiling = step(level, "", lang);
            let written = written(level).map(|text| format!("（{text}）"));
            let title = match lang {
                Lang::Zh => format!("loss 上限 {ceiling}{}", written.unwrap_or_default()),
                Lang::En => format!(
                    "Loss ceiling {ceiling}{}",
                    written.unwrap_or_default().replace('（', " (").replace('）', ")")
                ),
            };
            view! { <Map lang grid=grid.clone() loss title /> }
        })
        .collect_view();
    view! { <div class="heat">{maps}</div> }.into_any()
}

#[component]
fn Map(lang: Lang, grid: Grid, loss: usize, title: String) -> impl IntoView {
    let heads = grid
        .rates
        .iter()
        .map(|rate| {
            view! {
                <th scope="col">
                    {format!("≥ {}", step(rate, "/s", lang))} {written(rate).map(|text| view! { <small>{text}</small> })}
                </th>
            }
        })
        .collect_view();
    let rows = grid
        .caps
        .iter()
        .enumerate()
        .map(|(row, cap)| {
            let cells = (0..grid.rates.len())
                .filter_map(|column| grid.at(row, column, loss))
                .map(|scenario| view! { <Cell lang scenario=scenario.clone() /> })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">
                        {format!("≤ {}", step(cap, "", lang))} {written(cap).map(|text| view! { <small>{text}</small> })}
                    </th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    view! {
        <figure class="table" tabindex="0">
            <table>
                <caption>{title}</caption>
                <thead>
                    <tr>
                        <td>{lang.pick("上限 ＼ 吞吐", "cap \\ floor")}</td>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </figure>
    }
    .into_any()
}

#[component]
fn Cell(lang: Lang, scenario: Scenario) -> impl IntoView {
    let told = scenario.conclusion;
    let word = told.decision.id();
    let best = told.best.unwrap_or_else(|| lang.pick("无可行", "none feasible").to_owned());
    view! {
        <td class=format!("cell d-{word}") data-decision=word title=told.reason>
            <b>{words::decision(word, lang)}</b>
            <small>{best}</small>
        </td>
    }
    .into_any()
}
