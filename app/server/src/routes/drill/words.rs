//! Rows of the store as pages show them.

use evidence::Lang;
use ledger::drill::{Attempt, Question, schedule};
use ui::drill::Asked as Card;
use ui::pages::drill::{AnswerLine, SetLine, StandingLine};
use ui::state::pick;

use super::judge::{outcome_of, percent};
use crate::routes::account::answer::iso;
use crate::store::drill::{self, Answer, Asked, OwnSet};
use crate::store::{DrillSetId, UtcMs};

/// A question with its clock at `now`. `asked` is what the store knows of it.
pub fn card(question: &Question, chosen: &str, asked: Option<&Asked>, asked_ms: UtcMs, now: UtcMs, lang: Lang) -> Card {
    Card {
        id: asked.map(|asked| asked.id.to_string()),
        seed: question.seed,
        topic: question.topic.id().to_owned(),
        chosen: chosen.to_owned(),
        heading: match asked {
            Some(asked) => heading(asked, lang),
            None => pick(&question.topic.name(), lang),
        },
        text: pick(&question.text, lang),
        unit: pick(&question.unit.name(), lang),
        asked_ms: asked_ms.0,
        left_ms: u32::try_from(drill::left_ms(asked_ms, now)).unwrap_or_default(),
    }
}

/// The topic, behind the number where the question is one of a set.
pub fn heading(asked: &Asked, lang: Lang) -> String {
    let topic = pick(&asked.topic.name(), lang);
    match (asked.position, lang) {
        (None, _) => topic,
        (Some(number), Lang::Zh) => format!("第 {number} 题 · {topic}"),
        (Some(number), Lang::En) => format!("Question {number} · {topic}"),
    }
}

/// The page of the next question: of the set, or on the topic that was chosen.
pub fn next(chosen: &str, set: Option<DrillSetId>, lang: Lang) -> String {
    let base = format!("/{}/tools/drill", lang.code());
    match (set, ledger::drill::Topic::from_id(chosen)) {
        (Some(set), _) => format!("{base}/sets/{set}"),
        (None, Some(topic)) => format!("{base}?topic={}", topic.id()),
        (None, None) => base,
    }
}

pub fn reason(reason: schedule::Reason, lang: Lang) -> &'static str {
    match reason {
        schedule::Reason::Due => lang.pick("这个主题到期了，再练一次。", "This topic is due again."),
        schedule::Reason::New => lang.pick("一个新主题。", "A topic that is new to you."),
        schedule::Reason::Early => lang.pick(
            "没有到期的主题：提前练最先到期的一个，答对不升级。",
            "Nothing is due: this is the topic that will be first. A pass does not move it up yet.",
        ),
    }
}

pub fn standings(attempts: &[Attempt], now: UtcMs, lang: Lang) -> Vec<StandingLine> {
    let now = now.0.unsigned_abs();
    let line = |standing: schedule::Standing| StandingLine {
        topic: standing.topic.id().to_owned(),
        name: pick(&standing.topic.name(), lang),
        level: standing.level,
        due: (standing.due_at > now).then(|| iso(UtcMs(i64::try_from(standing.due_at).unwrap_or(i64::MAX)))),
        attempts: standing.attempts,
        passed: standing.passed,
    };
    schedule::standings(attempts).into_iter().map(line).collect()
}

/// What is kept, and where the topic of the answer stands now.
pub fn kept(answer: &Answer, attempts: &[Attempt], now: UtcMs, lang: Lang) -> String {
    let topic = answer.asked.topic.0;
    let standing = schedule::standings(attempts).into_iter().find(|standing| standing.topic == topic);
    let (level, due) = standing.map_or((0, 0), |standing| (standing.level, standing.due_at));
    let wait = wait(due.saturating_sub(now.0.unsigned_abs()), lang);
    match lang {
        Lang::Zh => format!("已保存 · 此主题在第 {level} 级，{wait}后到期"),
        Lang::En => format!("saved · this topic is at level {level}, due in {wait}"),
    }
}

/// A time to wait, rounded up to a whole unit.
fn wait(ms: u64, lang: Lang) -> String {
    let minutes = ms.div_ceil(60_000);
    let (number, zh, en) = match minutes {
        0..60 => (minutes, "分钟", "minute"),
        60..1_440 => (minutes.div_ceil(60), "小时", "hour"),
        _ => (minutes.div_ceil(1_440), "天", "day"),
    };
    match lang {
        Lang::Zh => format!("{number} {zh}"),
        Lang::En => format!("{number} {en}{}", if number == 1 { "" } else { "s" }),
    }
}

pub fn line(answer: &Answer, lang: Lang) -> AnswerLine {
    AnswerLine {
        id: answer.asked.id.to_string(),
        given: iso(answer.answered_ms),
        heading: heading(&answer.asked, lang),
        yours: pick(&answer.unit.write(answer.answer), lang),
        exact: pick(&answer.unit.write(answer.exact), lang),
        relative_error: percent(answer.relative_error),
        outcome: outcome_of(answer),
    }
}

pub fn set(set: OwnSet) -> SetLine {
    SetLine {
        id: set.id.to_string(),
        class: set.class,
        opened: iso(set.created_ms),
        questions: set.plan.count(),
        answered: set.answered,
        passed: set.passed,
    }
}
