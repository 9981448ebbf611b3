//! An answer as a reader sees it: the verdict, numbers that stand out, bars, plots, tables, assumptions.

use evidence::Lang;
use ledger::Text;

use super::parts;
use super::table::{framed, ledger_table};
use crate::chart::{Part, plot, stack};
use crate::markup::Markup;
use crate::state::pick;
use crate::tools::{Answer, Bar, Figure, Table};

/// What decides: the verdict, the numbers, the bars.
pub fn head(out: &mut Markup, answer: &Answer, lang: Lang) {
    if let Some(verdict) = &answer.verdict {
        out.leaf("p", &[("class", "ask")], &pick(verdict, lang));
    }
    figures(out, &answer.figures, lang);
    if !answer.bars.is_empty() {
        bars(out, &answer.bars, answer.capacity, lang);
    }
}

/// What explains: where to go on, plots, tables, the lines of the ledger, assumptions.
pub fn rest(out: &mut Markup, answer: &Answer, lang: Lang) {
    if let Some(file) = &answer.file {
        out.element("details", &[("class", "file")], &mut |out| {
            out.leaf("summary", &[], file.name);
            out.leaf("pre", &[("tabindex", "0")], &file.text);
        });
    }
    if !answer.links.is_empty() {
        out.element("ul", &[("class", "onward")], &mut |out| {
            for (name, path) in &answer.links {
                let href = format!("/{}{path}", lang.code());
                out.element("li", &[], &mut |out| out.leaf("a", &[("href", &href)], &pick(name, lang)));
            }
        });
    }
    answer.curves.iter().for_each(|curve| plot(out, curve, lang));
    answer.tables.iter().for_each(|rows| table(out, rows, lang));
    if !answer.entries.is_empty() {
        let total = answer.entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.bytes));
        let label = lang.pick("各项之和（未必同时存活）", "Sum (not all alive together)");
        ledger_table(out, &answer.entries, total, label, lang);
    }
    parts::assumptions(out, &answer.assumptions, lang);
}

/// The numbers that stand out.
pub fn figures(out: &mut Markup, figures: &[Figure], lang: Lang) {
    out.element("output", &[("class", "answer"), ("aria-live", "polite")], &mut |out| {
        for figure in figures {
            let name = pick(&figure.name, lang);
            match figure.good {
                Some(good) => parts::badge(out, good, &format!("{name} {}", figure.value)),
                None => parts::number(out, &name, figure.id, &figure.value, &figure.note),
            }
        }
    });
}

fn bars(out: &mut Markup, bars: &[Bar], capacity: Option<u64>, lang: Lang) {
    let scale = bars.iter().map(Bar::bytes).max().unwrap_or(0).max(capacity.unwrap_or(0));
    out.element("div", &[("class", "phases wide-names")], &mut |out| {
        for bar in bars {
            let (name, bytes) = (pick(&bar.label, lang), ledger::units::gib(bar.bytes()));
            out.element("div", &[("class", if bar.marked { "phase peak" } else { "phase" })], &mut |out| {
                out.leaf("span", &[("class", "name")], &name);
                stack(out, &parts(bar, scale), capacity, &format!("{name}: {bytes}"));
                out.leaf("span", &[("class", "n")], &bytes);
            });
        }
    });
}

/// The parts of a bar, and what is free up to the end of the scale.
pub fn parts(bar: &Bar, scale: u64) -> Vec<Part> {
    let own = bar.parts.iter().map(|(object, bytes)| Part { object: object.clone(), bytes: *bytes });
    let free = Part { object: "free".to_owned(), bytes: scale.saturating_sub(bar.bytes()) };
    own.chain([free]).collect()
}

pub fn table(out: &mut Markup, table: &Table, lang: Lang) {
    out.leaf("h2", &[], &pick(&table.title, lang));
    let formula = table.columns.iter().position(|column| column.en == "Formula");
    let cells = |out: &mut Markup, tag: &'static str, cells: &[Text]| {
        out.element("tr", &[], &mut |out| {
            for (at, cell) in cells.iter().enumerate() {
                let class = if Some(at) == formula { "formula" } else { "" };
                out.leaf(tag, &[("class", class)], &pick(cell, lang));
            }
        });
    };
    framed(out, "", &mut |out| {
        out.element("thead", &[], &mut |out| cells(out, "th", &table.columns));
        out.element("tbody", &[], &mut |out| table.rows.iter().for_each(|row| cells(out, "td", row)));
    });
}
