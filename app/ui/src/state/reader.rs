//! Reading the fields of a calculator one by one.

use super::ModelSource;
use super::fields::{self, Problem};

/// Named texts, read field by field. What cannot be read keeps its default and becomes a problem; so does a name that
/// nothing asked for.
pub struct Reader<'a> {
    pairs: &'a [(String, String)],
    asked: Vec<&'static str>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> Self {
        Self { pairs, asked: Vec::new(), problems: Vec::new() }
    }

    /// The text of a field; of several the last counts.
    pub fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.asked.push(key);
        self.pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub fn source(&mut self, default: &str) -> ModelSource {
        let mut source = ModelSource::named(self.text("model").unwrap_or(default));
        source.config = self.text("config").unwrap_or_default().to_owned();
        source
    }

    /// A whole number within bounds.
    pub fn number(&mut self, key: &'static str, default: u64, bounds: (u64, u64)) -> u64 {
        let mut number = default;
        if let Some(text) = self.text(key) {
            fields::number(&mut number, key, text, bounds, &mut self.problems);
        }
        number
    }

    #[cfg(feature = "planner")]
    /// A number that need not be given.
    pub fn measured(&mut self, key: &'static str, bounds: (u64, u64)) -> Option<u64> {
        let text = self.text(key)?;
        let mut number = None;
        let mut slot = bounds.0;
        let before = self.problems.len();
        fields::number(&mut slot, key, text, bounds, &mut self.problems);
        if self.problems.len() == before {
            number = Some(slot);
        }
        number
    }

    /// One of the options.
    pub fn pick<T: Copy>(&mut self, key: &'static str, default: T, options: &[(&str, T)]) -> T {
        let Some(text) = self.text(key) else { return default };
        self.option(key, text, options).unwrap_or(default)
    }

    /// Anything that reads itself; `expected` says what that is.
    pub fn parsed<T: std::str::FromStr>(&mut self, key: &'static str, default: T, expected: &str) -> T {
        let Some(text) = self.text(key) else { return default };
        text.trim().parse().unwrap_or_else(|_| {
            fields::problem(key, expected.to_owned(), text, &mut self.problems);
            default
        })
    }

    /// The text of something that reads itself; `known` are the names that people use.
    #[cfg(feature = "planner")]
    pub fn spelled<T: std::str::FromStr>(&mut self, key: &'static str, default: &str, known: &[&str]) -> String {
        match self.text(key).map(str::trim) {
            None => default.to_owned(),
            Some(text) if text.parse::<T>().is_ok() => text.to_owned(),
            Some(text) => {
                fields::problem(key, known.join(" | "), text, &mut self.problems);
                default.to_owned()
            }
        }
    }

    /// Some of the options, separated by commas.
    #[cfg(feature = "planner")]
    pub fn several<T: Copy>(&mut self, key: &'static str, default: &[T], options: &[(&str, T)]) -> Vec<T> {
        let Some(text) = self.text(key) else { return default.to_vec() };
        let chosen: Option<Vec<T>> = text.split(',').map(|id| self.option(key, id, options)).collect();
        chosen.unwrap_or_else(|| default.to_vec())
    }

    fn option<T: Copy>(&mut self, key: &str, text: &str, options: &[(&str, T)]) -> Option<T> {
        let found = options.iter().find(|(id, _)| *id == text.trim()).map(|(_, option)| *option);
        if found.is_none() {
            let known: Vec<&str> = options.iter().map(|(id, _)| *id).collect();
            fields::problem(key, known.join(" | "), text, &mut self.problems);
        }
        found
    }

    /// The id of a card.
    pub fn card(&mut self, key: &'static str, default: &str) -> String {
        let mut card = default.to_owned();
        if let Some(text) = self.text(key) {
            fields::card(&mut card, key, text, &mut self.problems);
        }
        card
    }

    #[cfg(feature = "planner")]
    /// Cards and how many of each: `h100-80gb:8,l40s:4`.
    pub fn offers(&mut self, key: &'static str, default: &[(&str, u64)], most: u64) -> Vec<(String, u64)> {
        let default = || default.iter().map(|(card, count)| ((*card).to_owned(), *count)).collect();
        let Some(text) = self.text(key) else { return default() };
        let mut offers = Vec::new();
        for part in text.split(',') {
            let (card, count) = part.trim().split_once(':').unwrap_or((part.trim(), "1"));
            let count = count.trim().parse().ok().filter(|count| (1..=most).contains(count));
            match (ledger::catalogue::card(card.trim()), count) {
                (Some(card), Some(count)) => offers.push((card.id.to_owned(), count)),
                (card, _) => {
                    let expected = match card {
                        Some(_) => format!("CARD:COUNT, 1…{most}"),
                        None => ledger::catalogue::cards().iter().map(|card| card.id).collect::<Vec<_>>().join(" | "),
                    };
                    fields::problem(key, expected, part, &mut self.problems);
                    return default();
                }
            }
        }
        offers
    }

    /// All problems, with those of names that nothing asked for.
    pub fn finish(mut self) -> Vec<Problem> {
        let strangers = self.pairs.iter().filter(|(key, _)| !self.asked.contains(&key.as_str()));
        for (key, value) in strangers.collect::<Vec<_>>() {
            fields::problem(key, self.asked.join(", "), value, &mut self.problems);
        }
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &[(&str, &str)]) -> Vec<(String, String)> {
        text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn fields_keep_their_default_and_say_what_was_wrong() {
        let given = pairs(&[("tensor", "0"), ("zero", "4"), ("cards", "h100-80gb:2, no-such-card"), ("what", "1")]);
        let mut reader = Reader::new(&given);
        assert_eq!(reader.number("tensor", 8, (1, 64)), 8);
        assert_eq!(reader.pick("zero", 1, &[("0", 0), ("1", 1)]), 1);
        assert_eq!(reader.several("weights", &[1], &[("a", 1)]), [1]);
        reader.offers("cards", &[("h100-80gb", 1)], 64);
        let wrong: Vec<String> = reader.finish().into_iter().map(|problem| problem.key).collect();
        assert_eq!(wrong, ["tensor", "zero", "cards", "what"]);
    }

    #[test]
    fn lists_are_separated_by_commas() {
        let given = pairs(&[("weights", "b, a"), ("cards", "h100-80gb:8,h100-80gb")]);
        let mut reader = Reader::new(&given);
        assert_eq!(reader.several("weights", &[], &[("a", 1), ("b", 2)]), [2, 1]);
        assert_eq!(reader.offers("cards", &[], 64), [("h100-80gb".to_owned(), 8), ("h100-80gb".to_owned(), 1)]);
        assert!(reader.finish().is_empty());
    }
}
