//! The living blocks of a lesson: fenced code whose body is TOML.

use evidence::Lang;
use ledger::expr;
use serde::Deserialize;
use ui::Client;
use ui::lesson::{Block, Figure, FigureBar, ToolBlock};
use ui::state::{AllocatorState, InferenceState, ModelSource, PagingState, Problem, QuantisationState, TrainingState};

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
    let Some((id, client, checked)) = calculator(kind, &fields) else {
        let known: Vec<&str> = ui::tools::all().iter().map(|tool| tool.id).collect();
        let known = known.join(", ");
        report.error(place.line, format!("kind is allocator, kv, quantisation, {known}; found {kind}"));
        return None;
    };
    match checked {
        Ok(()) => Some(Block::Tool(ToolBlock { id, client, fields })),
        Err(why) => {
            report.error(place.line, why);
            None
        }
    }
}

/// The calculator of a name: its place, the client that brings it into a lesson, and whether these fields are its own
/// and readable. Lessons have small islands of the two ledgers; their pages have larger ones.
fn calculator(kind: &str, fields: &[(String, String)]) -> Option<(&'static str, Client, Result<(), String>)> {
    Some(match kind {
        "inference" => {
            let state = InferenceState::from_pairs(fields);
            ("inference", Client::Core, readable(&state.problems).and(known(&state.source)))
        }
        "training" => {
            let state = TrainingState::from_pairs(fields);
            ("training", Client::Core, readable(&state.problems).and(known(&state.source)))
        }
        "allocator" => ("allocator", Client::Allocator, readable(&AllocatorState::from_pairs(fields).problems)),
        "kv" => {
            let state = PagingState::from_pairs(fields);
            ("kv", Client::Paging, readable(&state.problems).and(known(&state.source)))
        }
        "quantisation" => {
            ("quantisation", Client::Quantisation, readable(&QuantisationState::from_pairs(fields).problems))
        }
        other => {
            let tool = ui::tools::find(other)?;
            (tool.id, tool.client, tool.check(&fields.to_vec()).map_err(|why| why.en.into_owned()))
        }
    })
}

fn readable(problems: &[Problem]) -> Result<(), String> {
    problems.first().map_or(Ok(()), |problem| Err(problem.text(Lang::En)))
}

fn known(source: &ModelSource) -> Result<(), String> {
    source.model().map(drop).map_err(|why| why.en.into_owned())
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
