//! Text from outside, fit for a text column and for a page.

/// What takes no place on the page, turns the text around it, or fills a place with nothing.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// At most `max` characters, none of them a control character (PostgreSQL refuses NUL) or unseen: a text shows all
/// that it holds.
pub fn clean_text(text: &str, max: usize) -> String {
    text.chars().filter(|c| !unseen(*c)).take(max).collect()
}

/// A text of several lines, clean line by line; without blank ends.
pub fn clean_lines(text: &str, max: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| clean_text(line, max)).collect();
    lines.join("\n").trim().chars().take(max).collect()
}

/// A name that people tell from others: clean, cut, with a letter or digit of some script in it.
pub fn clean_name(text: &str, max: usize) -> Option<String> {
    let name = clean_text(text, usize::MAX).trim().chars().take(max).collect::<String>();
    name.chars().any(char::is_alphanumeric).then_some(name)
}

/// An error with its causes, for a line of the log.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        // A transparent error says what its cause says.
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (typed, name) in [
            ("林 薇", Some("林 薇")),
            (" Ana ", Some("Ana")),
            ("a\u{202e}b\u{200b}", Some("ab")),
            ("\u{200b} x", Some("x")),
            ("७", Some("७")),
            ("\u{200b}\u{200d}", None),
            ("\u{3164}\u{115f}\u{1160}\u{ffa0}", None),
            ("\u{ad}\u{feff}\u{2066}\u{e0041}", None),
            ("…—!", None),
            ("\u{0}", None),
            ("", None),
        ] {
            assert_eq!(clean_name(typed, 80).as_deref(), name, "{typed:?}");
        }
        assert_eq!(clean_name("\u{200b}abcd", 3).as_deref(), Some("abc"));
    }

    #[test]
    fn lines_stay_lines() {
        for (typed, kept) in
            [("a\r\nb\n\nc\n", "a\nb\n\nc"), ("\u{202e}x\u{0}\n\u{200b}\n", "x"), ("  \n\t\n", ""), ("<b>&", "<b>&")]
        {
            assert_eq!(clean_lines(typed, 80), kept, "{typed:?}");
        }
        assert_eq!(clean_lines("abc\nd", 2), "ab");
    }

    #[test]
    fn an_error_names_its_causes_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] Middle);
        #[derive(Debug, thiserror::Error)]
        #[error(transparent)]
        struct Middle(#[from] Inner);
        #[derive(Debug, thiserror::Error)]
        #[error("inner")]
        struct Inner;
        assert_eq!(chain(&Outer(Middle(Inner))), "outer: inner");
        assert_eq!(chain(&Middle(Inner)), "inner");
    }
}
