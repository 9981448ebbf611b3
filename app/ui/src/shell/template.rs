//! HTML with holes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use crate::html::escape;

const CLOSE: char = '\u{e001}';

/// What opens a hole: nobody outside this process knows it, so no text that a reader brings can ask for a nonce.
static OPEN: LazyLock<String> = LazyLock::new(|| {
    // The standard hasher's keys come from the system's randomness.
    let random = || RandomState::new().hash_one(());
    format!("\u{e000}{:016x}{:016x}:", random(), random())
});

/// What is filled in per request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Hole {
    /// The nonce of the content security policy.
    Nonce,
    /// `auto`, `light` or `dark`.
    Theme,
    /// The reader's name, or an invitation to sign in.
    Account,
    /// The way to the classes, for instructors, as HTML.
    Class,
    /// The mark of a lesson in the sidebar: `done` or nothing. The lesson's path is the key.
    Mark(String),
    /// The number of finished lessons of a task.
    Count(String),
    /// The reader's kept answers of a quiz, as HTML.
    Answers(String),
}

impl Hole {
    /// The text that stands in the page until the hole is filled.
    pub fn text(&self) -> String {
        let name = match self {
            Hole::Nonce => "nonce".to_owned(),
            Hole::Theme => "theme".to_owned(),
            Hole::Account => "account".to_owned(),
            Hole::Class => "class".to_owned(),
            Hole::Mark(key) => format!("mark:{key}"),
            Hole::Count(key) => format!("count:{key}"),
            Hole::Answers(key) => format!("answers:{key}"),
        };
        format!("{}{name}{CLOSE}", *OPEN)
    }

    fn parse(name: &str) -> Option<Self> {
        Some(match name.split_once(':') {
            None => match name {
                "nonce" => Hole::Nonce,
                "theme" => Hole::Theme,
                "account" => Hole::Account,
                "class" => Hole::Class,
                _ => return None,
            },
            Some(("mark", key)) => Hole::Mark(key.to_owned()),
            Some(("count", key)) => Hole::Count(key.to_owned()),
            Some(("answers", key)) => Hole::Answers(key.to_owned()),
            Some(_) => return None,
        })
    }
}

/// The values of one request. Values of text holes are escaped here, once.
#[derive(Debug, Clone, Default)]
pub struct Fill(HashMap<Hole, String>);

impl Fill {
    pub fn text(mut self, hole: Hole, value: &str) -> Self {
        self.0.insert(hole, escape(value));
        self
    }

    /// For values that are HTML already.
    pub fn html(mut self, hole: Hole, value: String) -> Self {
        self.0.insert(hole, value);
        self
    }
}

/// A rendered page: text, hole, text, hole … text.
#[derive(Debug, Clone, Default)]
pub struct Template {
    segments: Vec<(String, Option<Hole>)>,
    length: usize,
}

impl Template {
    pub fn parse(html: &str) -> Self {
        let mut segments = Vec::new();
        let mut rest = html;
        while let Some(start) = rest.find(OPEN.as_str()) {
            let after = &rest[start + OPEN.len()..];
            let Some(end) = after.find(CLOSE) else { break };
            segments.push((rest[..start].to_owned(), Hole::parse(&after[..end])));
            rest = &after[end + CLOSE.len_utf8()..];
        }
        segments.push((rest.to_owned(), None));
        let length = segments.iter().map(|(text, _)| text.len() + 24).sum();
        Self { segments, length }
    }

    /// The page for one request; a hole without a value stays empty.
    pub fn fill(&self, fill: &Fill) -> String {
        let mut page = String::with_capacity(self.length);
        for (text, hole) in &self.segments {
            page.push_str(text);
            if let Some(value) = hole.as_ref().and_then(|hole| fill.0.get(hole)) {
                page.push_str(value);
            }
        }
        page
    }

    /// The holes of the page, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.segments.iter().filter_map(|(_, hole)| hole.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_in_text_and_attributes_and_escaped() {
        let html = format!(
            "<p title=\"{}\">{}</p><i class=\"{}\"></i>",
            Hole::Account.text(),
            Hole::Nonce.text(),
            Hole::Mark("task4/kv-cache".into()).text()
        );
        let template = Template::parse(&html);
        let page = template.fill(&Fill::default().text(Hole::Account, "<\"A&B\">").text(Hole::Nonce, "n1"));
        assert_eq!(page, "<p title=\"&lt;&quot;A&amp;B&quot;&gt;\">n1</p><i class=\"\"></i>");
        assert_eq!(template.holes().count(), 3);
    }

    #[test]
    fn text_of_the_outside_opens_no_hole() {
        for text in ["a\u{e000}b", "\u{e000}nonce\u{e001}", "\u{e000}0000000000000000:nonce\u{e001}"] {
            let template = Template::parse(text);
            assert_eq!(template.holes().count(), 0, "{text:?}");
            assert_eq!(template.fill(&Fill::default().text(Hole::Nonce, "secret")), text);
        }
    }
}
