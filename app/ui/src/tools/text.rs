//! An answer as text: Markdown for a note, CSV for a spreadsheet, JSON for a program.

use std::collections::BTreeMap;

use ledger::{Text, units};
use serde::Serialize;

use super::{Answer, Pairs, Tool};
use crate::Lang;
use crate::block::Block;
pub use crate::block::Format;

/// The answer to these inputs as a text.
pub fn write(tool: &Tool, pairs: &Pairs, answer: &Answer, format: Format, lang: Lang) -> String {
    match format {
        Format::Json => json(tool, pairs, answer),
        Format::Csv => blocks(pairs, answer, lang).iter().map(Block::csv).collect::<Vec<_>>().join("\n"),
        Format::Markdown => {
            let mut out = vec![format!("## {}\n", pick(&tool.title, lang))];
            out.extend(answer.verdict.iter().map(|verdict| format!("{}\n", pick(verdict, lang))));
            out.extend(blocks(pairs, answer, lang).iter().map(Block::markdown));
            out.extend(answer.assumptions.iter().map(|text| format!("- {}", pick(text, lang))));
            let mut out = out.join("\n");
            out.push('\n');
            out
        }
    }
}

fn pick(text: &Text, lang: Lang) -> &str {
    lang.pick(&text.zh, &text.en)
}

#[derive(Serialize)]
struct Whole<'a> {
    tool: &'a str,
    inputs: BTreeMap<&'a str, &'a str>,
    answer: &'a Answer,
}

fn json(tool: &Tool, pairs: &Pairs, answer: &Answer) -> String {
    let inputs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    // Maps with text keys and plain numbers: there is nothing that JSON cannot hold.
    serde_json::to_string(&Whole { tool: tool.id, inputs, answer }).unwrap_or_default()
}

fn blocks(pairs: &Pairs, answer: &Answer, lang: Lang) -> Vec<Block> {
    let words = |zh: &str, en: &str| lang.pick(zh, en).to_owned();
    let mut blocks = vec![Block {
        title: words("输入", "Inputs"),
        head: vec![words("输入", "Input"), words("值", "Value")],
        rows: pairs.iter().map(|(key, value)| vec![key.clone(), value.clone()]).collect(),
    }];
    if !answer.figures.is_empty() {
        let figure = |figure: &super::Figure| {
            vec![pick(&figure.name, lang).to_owned(), format!("{} {}", figure.value, figure.note).trim().to_owned()]
        };
        blocks.push(Block {
            title: words("结果", "Result"),
            head: vec![words("结果", "Result"), words("值", "Value")],
            rows: answer.figures.iter().map(figure).collect(),
        });
    }
    if !answer.entries.is_empty() {
        let row = |entry: &ledger::Entry| {
            let span = [entry.span.from.id(), entry.span.to.id()].join(" → ");
            let name = crate::words::part(&entry.part, entry.object.id(), lang);
            vec![name, span, entry.bytes.to_string(), units::gib(entry.bytes), entry.formula.clone()]
        };
        blocks.push(Block {
            title: words("账本", "Ledger"),
            head: vec![
                words("对象", "Object"),
                words("阶段", "Phase"),
                words("字节", "Bytes"),
                "GiB".to_owned(),
                words("公式", "Formula"),
            ],
            rows: answer.entries.iter().map(row).collect(),
        });
    }
    blocks.extend(answer.tables.iter().map(|table| Block {
        title: pick(&table.title, lang).to_owned(),
        head: table.columns.iter().map(|column| pick(column, lang).to_owned()).collect(),
        rows: table.rows.iter().map(|row| row.iter().map(|cell| pick(cell, lang).to_owned()).collect()).collect(),
    }));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{all, pairs_of};

    #[test]
    fn every_answer_can_be_taken_along() {
        for tool in all() {
            let pairs = pairs_of(tool, &Vec::new());
            let answer = tool.run(&pairs).expect("its defaults");
            let text = |format| write(tool, &pairs, &answer, format, Lang::En);
            let json: serde_json::Value = serde_json::from_str(&text(Format::Json)).expect("JSON");
            assert_eq!(json["tool"], tool.id);
            let entries = json["answer"]["entries"].as_array().expect("a list");
            let bytes: u64 = entries.iter().filter_map(|entry| entry["bytes"].as_u64()).sum();
            assert_eq!(bytes, answer.entries.iter().map(|entry| entry.bytes).sum::<u64>(), "{}", tool.id);
            let markdown = text(Format::Markdown);
            let csv = text(Format::Csv);
            for entry in &answer.entries {
                assert!(csv.contains(&format!(",{},", entry.bytes)), "{}", tool.id);
                assert!(markdown.contains(&format!("| {} |", entry.bytes)), "{}", tool.id);
            }
            // Every row of a Markdown table has as many cells as its head.
            for table in markdown.split("\n\n").filter(|part| part.starts_with('|')) {
                let bars = |line: &str| line.replace("\\|", "").matches('|').count();
                let lines: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
                assert!(lines.iter().all(|line| bars(line) == bars(lines[0])), "{}: {table}", tool.id);
            }
        }
    }
}
