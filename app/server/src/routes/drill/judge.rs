//! An answer beside the ledger's, as a page shows it.

use evidence::Lang;
use ledger::drill::{self as engine, Question, Score, Slip, Unit};
use ledger::{LedgerError, units};
use ui::drill::{Judged, Line, Outcome};
use ui::state::pick;

use crate::store::UtcMs;
use crate::store::drill::{self, Answer, Asked};

/// The question again, as it was asked.
pub fn draw(asked: &Asked) -> Result<Question, LedgerError> {
    engine::question(asked.seed(), &[asked.topic.0])
}

/// How an answer is marked.
pub struct Marked {
    answer: f64,
    exact: f64,
    unit: Unit,
    relative_error: f64,
    outcome: Outcome,
    slip: Option<Slip>,
    seconds: u64,
}

impl Marked {
    /// Of an answer that is not kept: the time is what the browser says.
    pub fn now(score: &Score, question: &Question, asked: UtcMs, now: UtcMs) -> Self {
        let in_time = drill::in_time(asked, now);
        Self {
            answer: score.answer,
            exact: score.exact,
            unit: question.unit,
            relative_error: score.relative_error,
            outcome: outcome(score.passed && in_time, score.passed),
            slip: score.slip,
            seconds: seconds(asked, now),
        }
    }

    /// Of an answer that is kept: its numbers are those that counted then.
    pub fn kept(answer: &Answer, question: &Question) -> Self {
        Self {
            answer: answer.answer,
            exact: answer.exact,
            unit: answer.unit.0,
            relative_error: answer.relative_error,
            outcome: outcome_of(answer),
            slip: engine::score(question, answer.answer).slip,
            seconds: seconds(answer.asked.asked_ms, answer.answered_ms),
        }
    }
}

fn outcome(passed: bool, close: bool) -> Outcome {
    match (passed, close) {
        (true, _) => Outcome::Passed,
        (false, true) => Outcome::Late,
        (false, false) => Outcome::Missed,
    }
}

/// How a kept answer went: what is close and did not pass came late.
pub fn outcome_of(answer: &Answer) -> Outcome {
    outcome(answer.passed, answer.relative_error <= engine::PASS + 1e-9)
}

fn seconds(from: UtcMs, to: UtcMs) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or_default() / 1_000
}

/// `3.4 %`, `1,230 %`.
pub fn percent(relative_error: f64) -> String {
    let percent = relative_error * 100.0;
    if percent < 99.95 { format!("{percent:.1} %") } else { format!("{} %", units::group(percent.round() as u64)) }
}

pub fn not_kept(lang: Lang) -> String {
    lang.pick("没有登录，不保留", "not signed in: not kept").to_owned()
}

pub fn first_counts(lang: Lang) -> String {
    lang.pick("这题已答过：第一次回答算数", "answered before: the first answer counts").to_owned()
}

/// `kept` says what becomes of the answer, `next` is the page of the next question.
pub fn judged(question: &Question, marked: &Marked, kept: String, next: String, lang: Lang) -> Judged {
    let line = |line: &ledger::calculators::Line| Line {
        name: pick(&line.name, lang),
        value: line.quantity.to_string(),
        formula: line.formula.clone(),
    };
    Judged {
        outcome: marked.outcome,
        yours: pick(&marked.unit.write(marked.answer), lang),
        exact: pick(&marked.unit.write(marked.exact), lang),
        relative_error: percent(marked.relative_error),
        seconds: marked.seconds,
        slip: marked.slip.map(|slip| pick(&slip.name(), lang)),
        rule: pick(&question.thumb.rule, lang),
        rule_formula: question.thumb.formula.clone(),
        worked: question.worked.lines.iter().map(line).collect(),
        assumptions: question.worked.assumptions.iter().map(|text| pick(text, lang)).collect(),
        kept,
        next,
    }
}
