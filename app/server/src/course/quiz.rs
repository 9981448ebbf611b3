//! Quizzes: the questions go to the page, the key stays here.

use serde::Deserialize;
use ui::lesson::{Question, Quiz, Verdict};

use super::Reporter;
use super::blocks::parse;
use super::links::Link;
use super::markdown::{Place, inline};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuizToml {
    id: String,
    question: Vec<QuestionToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionToml {
    id: String,
    text: String,
    choices: Vec<ChoiceToml>,
    explain: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceToml {
    text: String,
    #[serde(default)]
    correct: bool,
    why: String,
}

/// Right answers and explanations of one quiz in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuizKey {
    pub id: String,
    pub questions: Vec<QuestionKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionKey {
    pub id: String,
    pub correct: Vec<usize>,
    pub choices: usize,
    pub why: Vec<String>,
    pub explain: String,
}

impl QuizKey {
    /// What is said about one answer; `None` when there is no such question or choice.
    pub fn judge(&self, question: &str, chosen: &[usize]) -> Option<Verdict> {
        let key = self.questions.iter().find(|key| key.id == question)?;
        let mut chosen = chosen.to_vec();
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.is_empty() || chosen.iter().any(|choice| *choice >= key.choices) {
            return None;
        }
        Some(Verdict {
            question: key.id.clone(),
            right: chosen == key.correct,
            chosen,
            correct: key.correct.clone(),
            why: key.why.clone(),
            explain: key.explain.clone(),
            kept: false,
        })
    }

    /// What must be equal in both languages.
    pub fn skeleton(&self) -> Vec<(&str, usize, &[usize])> {
        self.questions.iter().map(|key| (key.id.as_str(), key.choices, key.correct.as_slice())).collect()
    }
}

/// Reads a quiz block into what the reader sees and its key.
pub fn read(text: &str, place: Place<'_>, report: &mut Reporter<'_>) -> Option<(Quiz, QuizKey, Vec<Link>)> {
    let toml: QuizToml = parse(text, place, report)?;
    let mut links = Vec::new();
    let mut html = |text: &str, report: &mut Reporter<'_>| {
        let (html, found) = inline(text, place, report);
        links.extend(found);
        html
    };
    let mut questions = Vec::new();
    let mut keys = Vec::new();
    for question in toml.question {
        let correct: Vec<usize> =
            question.choices.iter().enumerate().filter(|(_, c)| c.correct).map(|(at, _)| at).collect();
        if correct.is_empty() || question.choices.len() < 2 {
            report.error(
                place.line,
                format!("question {}: at least two choices, at least one of them correct", question.id),
            );
        }
        if keys.iter().any(|key: &QuestionKey| key.id == question.id) {
            report.error(place.line, format!("question {} stands twice", question.id));
        }
        questions.push(Question {
            id: question.id.clone(),
            text: html(&question.text, report),
            choices: question.choices.iter().map(|choice| html(&choice.text, report)).collect(),
            several: correct.len() > 1,
        });
        keys.push(QuestionKey {
            id: question.id,
            choices: question.choices.len(),
            correct,
            why: question.choices.iter().map(|choice| html(&choice.why, report)).collect(),
            explain: html(&question.explain, report),
        });
    }
    if questions.is_empty() {
        report.error(place.line, "a quiz needs a question");
    }
    let quiz = Quiz { id: toml.id.clone(), lesson: place.page.to_owned(), questions };
    Some((quiz, QuizKey { id: toml.id, questions: keys }, links))
}
