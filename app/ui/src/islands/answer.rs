//! An answer as a reader sees it: the verdict, numbers that stand out, bars, curves, tables, assumptions.

use evidence::Lang;
use ledger::Text;
use leptos::prelude::*;

use super::browser;
use super::table::LedgerTable;
use super::timeline::TimelineView;
use crate::chart::{Part, PlotView, Stack};
use crate::state::pick;
use crate::tools::{Answer, Bar, Figure, File, Table};

#[component]
pub fn AnswerView(answer: Answer, lang: Lang) -> impl IntoView {
    let Answer { verdict, figures, bars, capacity, timeline, entries, tables, curves, assumptions, file, links } =
        answer;
    let total = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.bytes));
    let curves = curves.into_iter().map(|plot| view! { <PlotView plot lang /> }).collect_view();
    view! {
        {verdict.map(|text| view! { <p class="ask">{pick(&text, lang)}</p> })}
        <Figures figures lang />
        {(!bars.is_empty()).then(|| view! { <Bars bars capacity lang /> })}
        {timeline.map(|timeline| view! { <TimelineView timeline capacity lang /> })}
        {file.map(|file| view! { <FileView file lang /> })}
        {(!links.is_empty()).then(|| view! { <Links links lang /> })}
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

/// The numbers that stand out.
#[component]
pub fn Figures(figures: Vec<Figure>, lang: Lang) -> impl IntoView {
    view! {
        <output class="answer" aria-live="polite">
            {figures.into_iter().map(|figure| view! { <FigureView figure lang /> }).collect_view()}
        </output>
    }
    .into_any()
}

#[component]
fn FigureView(figure: Figure, lang: Lang) -> impl IntoView {
    let name = pick(&figure.name, lang);
    match figure.good {
        Some(good) => {
            let (class, sign) = if good { ("badge ok", "✓ ") } else { ("badge bad", "✕ ") };
            view! { <span class=class>{format!("{sign}{name} {}", figure.value)}</span> }.into_any()
        }
        None => view! {
            <span>
                <small>{name} " "</small>
                <strong class=figure.id>{figure.value}</strong>
                {(!figure.note.is_empty()).then(|| view! { <small>{format!(" {}", figure.note)}</small> })}
            </span>
        }
        .into_any(),
    }
}

/// A text with a button that copies it.
#[component]
fn FileView(file: File, lang: Lang) -> impl IntoView {
    let text = file.text.clone();
    view! {
        <details class="file">
            <summary>{file.name}</summary>
            <pre tabindex="0">{file.text}</pre>
            <button type="button" class="button quiet js-only" on:click=move |_| browser::copy(text.clone())>
                {lang.pick("复制", "Copy")}
            </button>
        </details>
    }
    .into_any()
}

#[component]
fn Links(links: Vec<(Text, String)>, lang: Lang) -> impl IntoView {
    let line = |(name, path): &(Text, String)| {
        view! {
            <li>
                <a href=format!("/{}{path}", lang.code())>{pick(name, lang)}</a>
            </li>
        }
    };
    view! { <ul class="onward">{links.iter().map(line).collect_view()}</ul> }.into_any()
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
