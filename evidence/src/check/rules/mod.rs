//! Every check by its id: how much it matters, what it is about, and the next step when it fails.

mod arithmetic;
mod conclusion;
mod form;
mod kernel;
mod limits;
mod matching;
mod parallel;
mod serving;
mod training;

use super::Severity;
use crate::Lang;

/// A kind of check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable, snake_case.
    pub id: &'static str,
    pub severity: Severity,
    /// What is looked at, in Chinese and English.
    pub about: [&'static str; 2],
    /// What to do when it fails, in Chinese and English.
    pub fix: [&'static str; 2],
}

impl Rule {
    pub fn about(&self, lang: Lang) -> &'static str {
        lang.pick(self.about[0], self.about[1])
    }

    pub fn fix(&self, lang: Lang) -> &'static str {
        lang.pick(self.fix[0], self.fix[1])
    }
}

/// All rules, by family.
pub static RULES: [&[Rule]; 9] = [
    form::RULES,
    matching::RULES,
    arithmetic::RULES,
    limits::RULES,
    conclusion::RULES,
    kernel::RULES,
    training::RULES,
    serving::RULES,
    parallel::RULES,
];

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().flat_map(|family| family.iter()).find(|rule| rule.id == id)
}

const fn note(id: &'static str, about: [&'static str; 2], fix: [&'static str; 2]) -> Rule {
    Rule { id, severity: Severity::Note, about, fix }
}

const fn warning(id: &'static str, about: [&'static str; 2], fix: [&'static str; 2]) -> Rule {
    Rule { id, severity: Severity::Warning, about, fix }
}

const fn error(id: &'static str, about: [&'static str; 2], fix: [&'static str; 2]) -> Rule {
    Rule { id, severity: Severity::Error, about, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_snake_case_and_every_rule_speaks_both_languages() {
        let mut seen = std::collections::BTreeSet::new();
        for rule in RULES.iter().flat_map(|family| family.iter()) {
            assert!(seen.insert(rule.id), "{} is there twice", rule.id);
            assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit()), "{}", rule.id);
            assert!(rule.about.iter().chain(&rule.fix).all(|text| !text.is_empty()), "{}", rule.id);
        }
    }
}
