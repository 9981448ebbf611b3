//! An answer as a reader sees it: the verdict, numbers that stand out, bars, curves, tables, assumptions.

use evidence::Lang;
use ledger::Text;
use leptos::prelude::*;

use super::table::LedgerTable;
use crate::chart::{Part, PlotView, Stack};
use crate::state::pick;
use crate::tools::{Answer, Bar, Figure, Table};

#[component]
pub fn AnswerView(answer: Answer, lang: Lang) -> impl IntoView {
    let Answer { verdict, figures, bars, capacity, entries, tables, curves, assumptions } = answer;
    let total = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.bytes));
    let curves = curves.into_iter().map(|plot| view! { <PlotView plot lang /> }).collect_view();
    view! {
        {verdict.map(|text| view! { <p class="ask">{pick(&text, lang)}</p> })}
        <output class="answer" aria-live="polite">
            {figures.into_iter().map(|figure| view! { <FigureView figure lang /> }).collect_view()}
        </output>
        {(!bars.is_empty()).then(|| view! { <Bars bars capacity lang /> })}
        {curves}
        {tables.into_iter().map(|table| view! { <TableView table lang /> }).collect_view()}
        {(!entries.is_empty())
            .then(|| {
                let total_label = lang.pick("各项之和（不同时存活）", "Sum (not alive together)");
                view! { <LedgerTable entries total total_label lang /> }
            })}
        {(!assumptions.is_empty()).then(|| view! { <Assumptions assumptions lang /> })}
    }
    .into_any()
}

#[component]
fn Assumptions(assumptions: Vec<Text>, lang: Lang) -> impl IntoView {
    let lines = assumptions.iter().map(|text| view! { <li>{pick(text, lang)}</li> }).collect_view();
    view! {
        <details class="assumptions" open>
            <summary>{lang.pick("假设", "Assumptions")}</summary>
            <ul>{lines}</ul>
        </details>
    }
    .into_any()
}

#[component]
fn FigureView(figure: Figure, lang: Lang) -> impl IntoView {
    view! {
        <span>
            <small>{pick(&figure.name, lang)} " "</small>
            <strong>{figure.value}</strong>
        </span>
    }
    .into_any()
}

#[component]
fn Bars(bars: Vec<Bar>, capacity: Option<u64>, lang: Lang) -> impl IntoView {
    let scale = bars.iter().map(Bar::bytes).max().unwrap_or(0).max(capacity.unwrap_or(0));
    let rows = bars
        .into_iter()
        .map(|bar| {
            let (name, bytes) = (pick(&bar.label, lang), ledger::units::gib(bar.bytes()));
            let mut parts: Vec<Part> = bar.parts.into_iter().map(|(object, bytes)| Part { object, bytes }).collect();
            let rest = scale - parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes)).min(scale);
            parts.push(Part { object: "free".to_owned(), bytes: rest });
            let label = format!("{name}: {bytes}");
            view! {
                <div class=if bar.marked { "phase peak" } else { "phase" }>
                    <span class="name">{name}</span>
                    <Stack parts capacity label />
                    <span class="n">{bytes}</span>
                </div>
            }
        })
        .collect_view();
    view! { <div class="phases wide-names">{rows}</div> }.into_any()
}

#[component]
fn TableView(table: Table, lang: Lang) -> impl IntoView {
    let head = table.columns.iter().map(|column| view! { <th>{pick(column, lang)}</th> }).collect_view();
    let formula = table.columns.iter().position(|column| column.en == "Formula");
    let rows = table
        .rows
        .iter()
        .map(|row| {
            let cells = row
                .iter()
                .enumerate()
                .map(
                    |(at, cell)| view! { <td class=(Some(at) == formula).then_some("formula")>{pick(cell, lang)}</td> },
                )
                .collect_view();
            view! { <tr>{cells}</tr> }
        })
        .collect_view();
    view! {
        <h2>{pick(&table.title, lang)}</h2>
        <div class="table" tabindex="0">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
