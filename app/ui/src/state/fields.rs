//! Reading fields of a query, and writing them again.

use evidence::Lang;

/// A field that could not be read; the calculator keeps its default and says so.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    pub key: String,
    pub expected: String,
    pub found: String,
}

impl Problem {
    pub fn text(&self, lang: Lang) -> String {
        let Problem { key, expected, found } = self;
        match lang {
            Lang::Zh => format!("{key}：应为 {expected}，实际是「{found}」；先按默认值计算。"),
            Lang::En => format!("{key}: expected {expected}, found “{found}”; the default is used."),
        }
    }
}

/// Sets a whole number within bounds.
pub fn number(slot: &mut u64, key: &str, value: &str, (min, max): (u64, u64), problems: &mut Vec<Problem>) {
    match value.trim().replace(['_', ','], "").parse::<u64>() {
        Ok(number) if (min..=max).contains(&number) => *slot = number,
        _ => problem(key, format!("{min}…{max}"), value, problems),
    }
}

/// Sets the id of a card; an empty one means no card.
pub fn card(slot: &mut String, key: &str, value: &str, problems: &mut Vec<Problem>) {
    if ledger::catalogue::card(value).is_some() {
        *slot = value.to_owned();
    } else {
        let known: Vec<_> = ledger::catalogue::cards().iter().map(|card| card.id.to_string()).collect();
        problem(key, known.join(" | "), value, problems);
    }
}

pub fn problem(key: &str, expected: String, found: &str, problems: &mut Vec<Problem>) {
    // What came from outside is shown, not repeated at length.
    let found = found.chars().take(40).collect();
    problems.push(Problem { key: key.to_owned(), expected, found });
}

/// Fields as a query string.
pub fn query(pairs: &[(impl AsRef<str>, String)]) -> String {
    let mut out = String::new();
    for (key, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        out.push(if out.is_empty() { '?' } else { '&' });
        out.push_str(key.as_ref());
        out.push('=');
        for byte in value.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte as char),
                _ => {
                    const HEX: &[u8; 16] = b"0123456789ABCDEF";
                    out.push('%');
                    out.push(HEX[usize::from(byte >> 4)] as char);
                    out.push(HEX[usize::from(byte & 15)] as char);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded_and_leave_out_what_is_empty() {
        let pairs = [("model", "Llama-3-8B".to_owned()), ("config", "{\"a\": 1}".to_owned()), ("card", String::new())];
        assert_eq!(query(&pairs), "?model=Llama-3-8B&config=%7B%22a%22%3A%201%7D");
    }

    #[test]
    fn a_number_out_of_bounds_keeps_the_default_and_says_so() {
        for bad in ["0", "-1", "1e3", "", "99999999999999999999", "４"] {
            let (mut slot, mut problems) = (7, Vec::new());
            number(&mut slot, "batch", bad, (1, 1000), &mut problems);
            assert_eq!((slot, problems.len()), (7, 1), "{bad:?}");
        }
        let (mut slot, mut problems) = (7, Vec::new());
        number(&mut slot, "seq", " 8,192 ", (1, 10_000), &mut problems);
        assert_eq!((slot, problems.len()), (8192, 0));
    }
}
