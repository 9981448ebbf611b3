//! HTML as text, for what is only read.
//!
//! An answer changes at every move of a slider. Written as one text it is set at once; as a tree of views each of its
//! parts would bring code to build it, to adopt it and to change it, which is half of what a browser has to load.

use crate::html::escape;

/// Well-formed HTML: what is opened is closed, texts and values are escaped. There is no way to put raw HTML in.
#[derive(Debug, Default)]
pub struct Markup(String);

/// Names and values.
pub type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Markup {
    pub fn new() -> Self {
        Self::default()
    }

    fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.0.push_str(&escape(value));
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// An element around what `inside` writes.
    pub fn element(&mut self, tag: &'static str, attributes: Attributes<'_>, inside: &mut dyn FnMut(&mut Markup)) {
        self.open(tag, attributes);
        inside(self);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// An element with a text.
    pub fn leaf(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(tag, attributes, &mut |inside| inside.text(text));
    }

    pub fn text(&mut self, text: &str) {
        self.0.push_str(&escape(text));
    }

    /// What `write` writes, for `inner_html`.
    pub fn of(write: impl FnOnce(&mut Markup)) -> String {
        let mut markup = Self::new();
        write(&mut markup);
        markup.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_becomes_a_tag() {
        let bad = "</p><script>\"'&";
        let html = Markup::of(|markup| {
            markup.element("p", &[("class", bad)], &mut |inside| {
                inside.leaf("b", &[], bad);
                inside.text("x");
            });
        });
        let text = "&lt;/p&gt;&lt;script&gt;&quot;&#39;&amp;";
        assert_eq!(html, format!("<p class=\"{text}\"><b>{text}</b>x</p>"));
    }
}
