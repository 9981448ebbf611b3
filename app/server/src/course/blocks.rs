//! The living blocks of a lesson: fenced code whose body is TOML.

use ledger::expr;
use serde::Deserialize;
use ui::Client;
use ui::lesson::{Block, Figure, FigureBar, LedgerBlock, LedgerKind, ToolBlock};
use ui::state::{AllocatorState, PagingState, Problem, QuantisationState};
use ui::tools::Tool;

use super::markdown::{Body, Place};
use super::{Reporter, quiz};

/// Reads one block; what is wrong in it is reported with its line.
pub fn block(name: &str, text: &str, place: Place<'_>, body: &mut Body, report: &mut Reporter<'_>) -> Option<Block> {
    match name {
        "ledger" => ledger_block(text, place, report),
        "quiz" => {
            let (quiz, key, links) = quiz::read(text, place, report)?;
            body.keys.push(key);
            body.links.extend(links);
            Some(Block::Quiz(quiz))
        }
        "lab" => {
            let lab: LabToml = parse(text, place, report)?;
            body.labs.push((lab.id.clone(), place.line));
            Some(Block::Lab(lab.id))
        }
        "figure" => figure(text, place, report),
        _ => None,
    }
}

/// TOML to a type, with the line of what is wrong.
pub fn parse<T: serde::de::DeserializeOwned>(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> Option<T> {
    match toml::from_str(text) {
        Ok(value) => Some(value),
        Err(error) => {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = place.line + text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count();
            report.error(line, error.message().to_owned());
            None
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabToml {
    id: String,
}

fn ledger_block(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> Option<Block> {
    let mut table: toml::Table = parse(text, place, report)?;
    let kind = table.remove("kind");
    let kind = kind.as_ref().and_then(toml::Value::as_str).unwrap_or("nothing");
    let fields: Vec<(String, String)> = table
        .into_iter()
        .map(|(key, value)| {
            let value = match value {
                toml::Value::String(text) => text,
                other => other.to_string(),
            };
            (key, value)
        })
        .collect();
    let (block, checked) = match kind {
        "inference" => ledger_of(LedgerKind::Inference, fields),
        "training" => ledger_of(LedgerKind::Training, fields),
        "allocator" => own_of("allocator", Client::Allocator, AllocatorState::from_pairs(&fields).problems, fields),
        "kv" => own_of("kv", Client::Paging, PagingState::from_pairs(&fields).problems, fields),
        "quantisation" => {
            own_of("quantisation", Client::Quantisation, QuantisationState::from_pairs(&fields).problems, fields)
        }
        _ => match ui::tools::find(kind) {
            Some(tool) => tool_of(tool, fields),
            None => {
                let known: Vec<&str> = ui::tools::all().iter().map(|tool| tool.id).collect();
                let known = known.join(", ");
                report.error(
                    place.line,
                    format!("kind is inference, training, allocator, kv, quantisation, {known}; found {kind}"),
                );
                return None;
            }
        },
    };
    match checked {
        Ok(()) => Some(block),
        Err(why) => {
            report.error(place.line, why);
            None
        }
    }
}

fn ledger_of(kind: LedgerKind, fields: Vec<(String, String)>) -> (Block, Result<(), String>) {
    let checked = ui::state::check(kind, &fields);
    (Block::Ledger(LedgerBlock { kind, fields }), checked)
}

/// A story with an island of its own.
fn own_of(
    id: &'static str,
    client: Client,
    problems: Vec<Problem>,
    fields: Vec<(String, String)>,
) -> (Block, Result<(), String>) {
    let checked = problems.first().map_or(Ok(()), |problem| Err(problem.text(evidence::Lang::En)));
    (Block::Tool(ToolBlock { id, client, fields }), checked)
}

fn tool_of(tool: &Tool, fields: Vec<(String, String)>) -> (Block, Result<(), String>) {
    let checked = tool.check(&fields).map_err(|why| why.en.into_owned());
    (Block::Tool(ToolBlock { id: tool.id, client: tool.client, fields }), checked)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureToml {
    caption: String,
    bar: Vec<BarToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BarToml {
    label: String,
    object: String,
    value: String,
}

fn figure(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> Option<Block> {
    let toml: FigureToml = parse(text, place, report)?;
    let mut bars = Vec::new();
    for bar in toml.bar {
        if ui::words::object(&bar.object, evidence::Lang::En).is_none() {
            report.error(place.line, format!("unknown memory object {}", bar.object));
        }
        match expr::evaluate(&bar.value) {
            Ok(number) => bars.push(FigureBar {
                label: bar.label,
                object: bar.object,
                value: number.value,
                text: number.text,
                formula: format!("{} = {}", number.formula, number.exact),
            }),
            Err(error) => report.error(place.line, format!("bar \"{}\": {error}", bar.label)),
        }
    }
    Some(Block::Figure(Figure { caption: toml.caption, bars }))
}
