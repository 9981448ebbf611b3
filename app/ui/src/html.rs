//! Text as HTML, for the places where a view does not escape by itself.

/// Escapes what HTML would read, in text and in attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// The content of a `<textarea>`, for `inner_html`: children of a textarea are written to the page unescaped. The line
/// feed in front is the one that a parser drops.
pub fn textarea(text: &str) -> String {
    format!("\n{}", escape(text))
}

#[cfg(test)]
mod tests {
    use super::textarea;

    #[test]
    fn a_textarea_cannot_be_left() {
        assert_eq!(textarea("</textarea><script>"), "\n&lt;/textarea&gt;&lt;script&gt;");
    }
}
