//! Markdown to blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use evidence::Lang;
use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset, html,
};
use ui::lesson::{Block, Heading};

use super::links::{self, Link};
use super::numbers::{Numbers, escape};
use super::{Reporter, blocks, highlight, maths};

/// What a body of Markdown became.
#[derive(Debug, Default)]
pub struct Body {
    pub blocks: Vec<Block>,
    pub outline: Vec<Heading>,
    pub anchors: BTreeSet<String>,
    pub links: Vec<Link>,
    pub keys: Vec<super::quiz::QuizKey>,
    pub labs: Vec<(String, usize)>,
}

/// Which text is read, for links and errors.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub lang: Lang,
    /// The page's path.
    pub page: &'a str,
    /// The number of the text's first line in its file.
    pub line: usize,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_STRIKETHROUGH
}

/// Reads a whole page body.
pub fn body(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> Body {
    let mut reader = Reader::new(place);
    let text = reader.numbers.take(text, place.line, report);
    reader.read(&text, report);
    reader.finish()
}

/// Reads inline Markdown, such as the text of a quiz, to HTML.
pub fn inline(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> (String, Vec<Link>) {
    let mut body = body(text, place, report);
    let links = std::mem::take(&mut body.links);
    let html: String = body
        .blocks
        .into_iter()
        .filter_map(|block| match block {
            Block::Html(html) => Some(html),
            _ => None,
        })
        .collect();
    let html = html.trim();
    let inner = html.strip_prefix("<p>").and_then(|html| html.strip_suffix("</p>"));
    (inner.unwrap_or(html).to_owned(), links)
}

/// Reads Markdown that stands alone, its title heading included.
pub fn plain(text: &str, lang: Lang, report: &mut Reporter<'_>) -> String {
    // The page has a title of its own.
    let text = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest,
        _ => text,
    };
    let mut reader = Reader::new(Place { lang, page: "", line: 1 });
    reader.named_headings = false;
    let text = reader.numbers.take(text, 1, report);
    reader.read(&text, report);
    let blocks = reader.finish().blocks.into_iter();
    blocks.filter_map(|block| if let Block::Html(html) = block { Some(html) } else { None }).collect()
}

struct Reader<'a> {
    place: Place<'a>,
    /// Whether headings must carry an anchor that links can name.
    named_headings: bool,
    numbers: Numbers,
    body: Body,
    /// Events since the last block, waiting to become HTML.
    pending: Vec<Event<'a>>,
    /// Numbers of the footnotes in the order of their first mention, and their texts.
    footnotes: BTreeMap<String, (usize, Option<String>)>,
}

impl<'a> Reader<'a> {
    fn new(place: Place<'a>) -> Self {
        Self {
            place,
            named_headings: true,
            numbers: Numbers::default(),
            body: Body::default(),
            pending: Vec::new(),
            footnotes: BTreeMap::new(),
        }
    }

    fn read(&mut self, text: &str, report: &mut Reporter<'_>) {
        let events = TextMergeWithOffset::new(Parser::new_ext(text, options()).into_offset_iter());
        let line =
            |range: &Range<usize>| self.place.line + text[..range.start].bytes().filter(|byte| *byte == b'\n').count();
        let events: Vec<(Event<'a>, usize)> =
            events.map(|(event, range)| (event.into_static(), line(&range))).collect();
        let mut at = 0;
        while at < events.len() {
            at += self.step(&events[at..], report);
        }
        self.flush();
    }

    /// Handles the first event, with what belongs to it; returns how many events that were.
    fn step(&mut self, events: &[(Event<'a>, usize)], report: &mut Reporter<'_>) -> usize {
        let (event, line) = &events[0];
        let line = *line;
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let (code, count) = text_until(events, TagEnd::CodeBlock);
                self.code(kind, &code, line, report);
                return count;
            }
            Event::Start(Tag::Heading { level, id, .. }) => {
                let (text, count) = text_until(events, TagEnd::Heading(*level));
                self.heading(*level, id.as_deref(), &text, line, report);
                return 1.min(count);
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some(heading) = self.body.outline.last().filter(|_| self.named_headings) {
                    let anchor = escape(&heading.anchor);
                    let label = self.place.lang.pick("本节的链接", "Link to this section");
                    self.html(format!(" <a class=\"anchor\" href=\"#{anchor}\" aria-label=\"{label}\">#</a>"));
                }
                self.pending.push(Event::End(TagEnd::Heading(*level)));
            }
            Event::Start(Tag::FootnoteDefinition(label)) => {
                let end = events
                    .iter()
                    .position(|(event, _)| matches!(event, Event::End(TagEnd::FootnoteDefinition)))
                    .unwrap_or(events.len() - 1);
                self.footnote(label, &events[1..end], report);
                return end + 1;
            }
            Event::FootnoteReference(label) => {
                let number = self.footnote_number(label);
                let label = escape(label);
                self.html(format!(
                    "<sup class=\"note\"><a href=\"#fn-{label}\" id=\"fnref-{label}\">{number}</a></sup>"
                ));
            }
            Event::Start(Tag::Table(_)) => {
                self.html("<div class=\"table\" tabindex=\"0\">".to_owned());
                self.pending.push(event.clone());
            }
            Event::End(TagEnd::Table) => {
                self.pending.push(event.clone());
                self.html("</div>\n".to_owned());
            }
            Event::Start(Tag::BlockQuote(Some(kind))) => {
                self.pending.push(event.clone());
                self.html(format!("<p class=\"alert-title\">{}</p>\n", alert_title(*kind, self.place.lang)));
            }
            Event::Start(Tag::Link { dest_url, title, .. }) => {
                let href = self.link(dest_url, line, report);
                let title = (!title.is_empty()).then(|| format!(" title=\"{}\"", escape(title)));
                let rel = if href.starts_with("https://") { " rel=\"noopener noreferrer\"" } else { "" };
                self.html(format!("<a href=\"{}\"{rel}{}>", escape(&href), title.unwrap_or_default()));
            }
            Event::End(TagEnd::Link) => self.html("</a>".to_owned()),
            Event::Start(Tag::Image { .. }) => {
                report.error(line, "images are not used in lessons; draw with a figure block");
                self.pending.push(event.clone());
            }
            Event::InlineMath(latex) => self.maths(latex, false, line, report),
            Event::DisplayMath(latex) => self.maths(latex, true, line, report),
            Event::Code(code) => {
                let code = self.numbers.with_source(code);
                self.html(format!("<code>{}</code>", escape(&code)));
            }
            Event::Html(html) | Event::InlineHtml(html) if !html.trim_start().starts_with("<!--") => {
                report.error(line, format!("raw HTML is not allowed in lessons: {}", html.trim()));
            }
            Event::Html(_) | Event::InlineHtml(_) => {}
            // A reference without its definition is only text to the parser.
            Event::Text(text) if text.contains("[^") => {
                report.error(line, format!("a footnote is named that has no text: {}", text.trim()));
            }
            Event::SoftBreak if self.between_han(events) => {}
            other => self.pending.push(other.clone()),
        }
        1
    }

    /// Chinese runs on over a line end: a break there is no space.
    fn between_han(&self, events: &[(Event<'a>, usize)]) -> bool {
        let before = match self.pending.last() {
            Some(Event::Text(text)) => text.chars().last(),
            _ => None,
        };
        let after = match events.get(1) {
            Some((Event::Text(text), _)) => text.chars().next(),
            _ => None,
        };
        matches!((before, after), (Some(a), Some(b)) if is_wide(a) && is_wide(b))
    }

    fn heading(&mut self, level: HeadingLevel, id: Option<&str>, text: &str, line: usize, report: &mut Reporter<'_>) {
        if !self.named_headings {
            self.pending.push(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }));
            return;
        }
        let anchor = id.unwrap_or_default().to_owned();
        if level == HeadingLevel::H1 {
            report.error(line, "the page's title is in its front matter; headings start at ##");
        }
        if anchor.is_empty() || !anchor.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            report.error(
                line,
                "a heading needs an anchor of letters, digits and -, equal in both languages: ## Title {#anchor}",
            );
        } else if !self.body.anchors.insert(anchor.clone()) {
            report.error(line, format!("the anchor #{anchor} stands twice on this page"));
        }
        self.body.outline.push(Heading {
            level: level as u8,
            anchor: anchor.clone(),
            text: self.numbers.with_text(text),
        });
        self.pending.push(Event::Start(Tag::Heading {
            level,
            id: Some(CowStr::from(anchor)),
            classes: Vec::new(),
            attrs: Vec::new(),
        }));
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, code: &str, line: usize, report: &mut Reporter<'_>) {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let place = Place { line: line + 1, ..self.place };
        match language {
            "ledger" | "quiz" | "lab" | "figure" => {
                self.flush();
                if let Some(block) = blocks::block(language, code, place, &mut self.body, report) {
                    self.body.blocks.push(block);
                }
            }
            other => match highlight::highlight(other, code) {
                Some(html) => self.html(html),
                None => report.error(line, format!("unknown language of code: {other}")),
            },
        }
    }

    fn maths(&mut self, latex: &str, display: bool, line: usize, report: &mut Reporter<'_>) {
        let latex = self.numbers.with_text(latex);
        match maths::mathml(&latex, display) {
            Ok(html) => self.html(html),
            Err(error) => report.error(line, format!("formula {latex}: {error}")),
        }
    }

    fn link(&mut self, target: &str, line: usize, report: &mut Reporter<'_>) -> String {
        let lang = self.place.lang.code();
        match links::address(target, lang) {
            Ok(href) => {
                self.body.links.push(Link {
                    file: report.file.to_owned(),
                    line,
                    lang,
                    from: self.place.page.to_owned(),
                    target: target.to_owned(),
                });
                href
            }
            Err(why) => {
                report.error(line, format!("link {target}: {why}"));
                String::new()
            }
        }
    }

    fn footnote_number(&mut self, label: &str) -> usize {
        let next = self.footnotes.len() + 1;
        self.footnotes.entry(label.to_owned()).or_insert((next, None)).0
    }

    fn footnote(&mut self, label: &str, events: &[(Event<'a>, usize)], report: &mut Reporter<'_>) {
        let outer = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < events.len() {
            at += self.step(&events[at..], report);
        }
        let events = std::mem::replace(&mut self.pending, outer);
        let html = self.render(events);
        self.footnote_number(label);
        if let Some((_, text)) = self.footnotes.get_mut(label) {
            *text = Some(html);
        }
    }

    fn html(&mut self, html: String) {
        self.pending.push(Event::InlineHtml(CowStr::from(html)));
    }

    fn render(&self, events: Vec<Event<'a>>) -> String {
        let mut out = String::new();
        html::push_html(&mut out, events.into_iter());
        // Alignment of table cells comes as inline style, which the content security policy rightly refuses. Text cannot
        // hold this: its quotes are escaped.
        for (side, class) in [("left", "left"), ("center", "center"), ("right", "n")] {
            out = out.replace(&format!(" style=\"text-align: {side}\""), &format!(" class=\"{class}\""));
        }
        self.numbers.with_html(&out)
    }

    fn flush(&mut self) {
        let events = std::mem::take(&mut self.pending);
        let html = self.render(events);
        if !html.trim().is_empty() {
            self.body.blocks.push(Block::Html(html));
        }
    }

    fn finish(mut self) -> Body {
        if !self.footnotes.is_empty() {
            let mut notes: Vec<_> = self.footnotes.into_iter().collect();
            notes.sort_by_key(|(_, (number, _))| *number);
            let title = self.place.lang.pick("注释", "Notes");
            let mut out = format!("<section class=\"notes\" aria-label=\"{title}\"><ol>\n");
            for (label, (_, text)) in notes {
                let label = escape(&label);
                let text = text.unwrap_or_default();
                out.push_str(&format!(
                    "<li id=\"fn-{label}\">{text}<a href=\"#fnref-{label}\" class=\"back\">↩</a></li>\n"
                ));
            }
            out.push_str("</ol></section>");
            self.body.blocks.push(Block::Html(out));
        }
        self.body
    }
}

/// The text of everything up to an end, and the number of events up to and with it.
fn text_until(events: &[(Event<'_>, usize)], end: TagEnd) -> (String, usize) {
    let mut text = String::new();
    for (at, (event, _)) in events.iter().enumerate() {
        match event {
            Event::End(tag) if *tag == end => return (text, at + 1),
            Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => text.push_str(part),
            _ => {}
        }
    }
    (text, events.len())
}

fn alert_title(kind: BlockQuoteKind, lang: Lang) -> &'static str {
    match kind {
        BlockQuoteKind::Note => lang.pick("说明", "Note"),
        BlockQuoteKind::Tip => lang.pick("提示", "Tip"),
        BlockQuoteKind::Important => lang.pick("重点", "Important"),
        BlockQuoteKind::Warning => lang.pick("注意", "Warning"),
        BlockQuoteKind::Caution => lang.pick("当心", "Caution"),
    }
}

/// Han characters and full-width punctuation.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}
