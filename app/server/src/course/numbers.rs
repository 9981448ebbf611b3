//! Computed numbers: `{{ kv_cache model="Llama-3-8B" seq=8192 }}` becomes what the ledger says.
//!
//! Before Markdown is parsed, each expression is replaced by its index between two private-use characters, so that quotes
//! and underscores in it mean nothing to Markdown. Afterwards the index becomes HTML, or the source again inside code.

use ledger::expr::{self, Computed};

use super::Reporter;

const OPEN: char = '\u{e010}';
const CLOSE: char = '\u{e011}';

/// The expressions of one text.
#[derive(Debug, Default)]
pub struct Numbers(Vec<(String, Computed)>);

impl Numbers {
    /// Replaces the expressions of `text`, whose first line has the number `line`; fenced code is left as it is.
    pub fn take(&mut self, text: &str, line: usize, report: &mut Reporter<'_>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut fence: Option<&str> = None;
        for (offset, row) in text.split_inclusive('\n').enumerate() {
            let trimmed = row.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark && trimmed.trim_end() == mark => fence = None,
                (None, None) => {
                    self.take_row(row, line + offset, report, &mut out);
                    continue;
                }
                _ => {}
            }
            out.push_str(row);
        }
        out
    }

    fn take_row(&mut self, row: &str, line: usize, report: &mut Reporter<'_>, out: &mut String) {
        let mut rest = row;
        while let Some(start) = rest.find("{{") {
            out.push_str(&rest[..start]);
            let after = &rest[start + 2..];
            let Some(end) = after.find("}}") else {
                report.error(line, "a computed number opens with {{ and does not close with }} on this line");
                return;
            };
            let source = after[..end].trim();
            match expr::evaluate(source) {
                Ok(computed) => {
                    out.push(OPEN);
                    out.push_str(&self.0.len().to_string());
                    out.push(CLOSE);
                    self.0.push((source.to_owned(), computed));
                }
                Err(error) => report.error(line, format!("{{{{ {source} }}}}: {error}")),
            }
            rest = &after[end + 2..];
        }
        out.push_str(rest);
    }

    /// HTML in which every expression shows its number, and its formula on hover and focus.
    pub fn with_html(&self, html: &str) -> String {
        self.replace(html, |_, number| {
            format!(
                "<span class=\"computed\" tabindex=\"0\" title=\"{} = {}\">{}</span>",
                escape(&number.formula),
                escape(&number.exact),
                escape(&number.text)
            )
        })
    }

    /// The bare numbers, for outlines and maths.
    pub fn with_text(&self, text: &str) -> String {
        self.replace(text, |_, number| number.text.clone())
    }

    /// The source again, for code.
    pub fn with_source(&self, text: &str) -> String {
        self.replace(text, |source, _| format!("{{{{ {source} }}}}"))
    }

    fn replace(&self, text: &str, with: impl Fn(&str, &Computed) -> String) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(OPEN) {
            out.push_str(&rest[..start]);
            let after = &rest[start + OPEN.len_utf8()..];
            let Some(end) = after.find(CLOSE) else { break };
            if let Some((source, number)) = after[..end].parse().ok().and_then(|at: usize| self.0.get(at)) {
                out.push_str(&with(source, number));
            }
            rest = &after[end + CLOSE.len_utf8()..];
        }
        out.push_str(rest);
        out
    }
}

/// Text as HTML, safe in attributes too.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The error is that of the String writer, which has none.
    let _ = pulldown_cmark_escape::escape_html(&mut out, text);
    out
}
