//! An answer as text: Markdown for a note, CSV for a spreadsheet, JSON for a program.

use std::collections::BTreeMap;

use ledger::{Text, units};
use serde::Serialize;

use super::{Answer, Pairs, Tool};
use crate::Lang;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Csv,
    Json,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Markdown, Format::Csv, Format::Json];

    /// Its name in an address; also the ending of a file.
    pub fn id(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "Markdown",
            Format::Csv => "CSV",
            Format::Json => "JSON",
        }
    }

    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.id() == id)
    }
}

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

/// Rows under a head.
struct Block {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
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

impl Block {
    fn all(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    fn csv(&self) -> String {
        let mut out = String::new();
        for row in self.all() {
            out.push_str(&row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
            out.push_str("\r\n");
        }
        out
    }

    fn markdown(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.replace('|', "\\|").replace(['\r', '\n'], " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(line).collect();
        format!("### {}\n\n{}{rule}{rows}", self.title, line(&self.head))
    }
}

/// A cell of CSV (RFC 4180). What a spreadsheet would run as a formula stays text.
fn quoted(cell: &str) -> String {
    let runs = cell.starts_with(['=', '@', '+', '-', '\t']) && cell.parse::<f64>().is_err();
    let cell = if runs { format!("'{cell}") } else { cell.to_owned() };
    match cell.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
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

    #[test]
    fn cells_of_csv_hold_any_text_and_run_nothing() {
        for (cell, expected) in [
            ("a", "a"),
            ("a,b", "\"a,b\""),
            ("a\"b\nc", "\"a\"\"b\nc\""),
            ("=1+1", "'=1+1"),
            ("-5", "-5"),
            ("@cmd", "'@cmd"),
            ("", ""),
        ] {
            assert_eq!(quoted(cell), expected);
        }
    }
}
