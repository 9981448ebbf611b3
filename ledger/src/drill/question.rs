//! A question, its answer and how it is found.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Topic, Unit, topics};
use crate::{
    LedgerError, Text,
    calculators::{Quantity, Sheet},
    random::Random,
};

/// One number that the text of a question tells.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillNumber))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number {
    /// A slug: `layers`, `parameters`, `seq`, …
    pub id: Cow<'static, str>,
    /// Exact; of a format the bits per number.
    pub value: u64,
    /// As the text writes it, perhaps rounded: `8.03 billion`, `BF16`.
    pub shown: Text,
}

/// A rule that gives the answer in the head.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillThumb))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thumb {
    /// One sentence.
    pub rule: Text,
    /// What the rule gives, in the unit of the question; always close enough to pass.
    pub estimate: f64,
    /// The rule with its numbers filled in; language-neutral.
    pub formula: String,
}

/// A question about memory. Everything but the texts is computed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillQuestion))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// With the topic it gives the same question again.
    pub seed: u64,
    pub topic: Topic,
    /// A name of the catalogue.
    pub model: Cow<'static, str>,
    /// The id of a card of the catalogue, where the question needs one.
    pub card: Option<Cow<'static, str>>,
    pub text: Text,
    /// What the text tells, in its order.
    pub numbers: Vec<Number>,
    pub unit: Unit,
    /// The right answer: bytes, tokens or things.
    pub exact: u64,
    /// How the ledger finds it; the last line is the answer.
    pub worked: Sheet,
    pub thumb: Thumb,
}

impl Question {
    /// The right answer in the unit of the question.
    pub fn answer(&self) -> f64 {
        self.exact as f64 / self.unit.size() as f64
    }
}

/// The most questions of a set.
pub const MAX_SET: usize = 100;

/// How often numbers are drawn until they make a realistic question: one draw in five does in the strictest topic.
const TRIES: usize = 200;

/// A question on one of `topics`, all of them if the list is empty; its order does not matter. The same seed and topics
/// give the same question on every platform, as long as the catalogue's numbers stay.
///
/// ```
/// use ledger::drill::{self, Topic};
/// let question = drill::question(7, &[Topic::KvCache])?;
/// assert_eq!(question, drill::question(7, &[Topic::KvCache])?);
/// assert!(question.text.en.ends_with("How large is the cache?"));
/// assert!(drill::score(&question, question.thumb.estimate).passed);
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// None with this catalogue: what the ledger refuses is passed on.
pub fn question(seed: u64, topics: &[Topic]) -> Result<Question, LedgerError> {
    let mut random = Random::new(seed);
    // Drawn even if there is no choice: a question of a mixture can be asked again by its topic.
    let (choice, draws) = (random.next(), random.next());
    let wanted: Vec<Topic> = match topics {
        [] => Topic::ALL.to_vec(),
        _ => Topic::ALL.into_iter().filter(|topic| topics.contains(topic)).collect(),
    };
    let at = Random::new(choice).below(wanted.len());
    let topic = wanted.get(at).copied().unwrap_or(Topic::Weights);
    // Each topic draws for itself: the same seed does not mean the same model in all of them.
    let mut random = Random::new(draws.wrapping_add(topic as u64));
    for _ in 0..TRIES {
        if let Some(draft) = topics::draft(topic, &mut random)? {
            return draft.finish(seed, topic);
        }
    }
    Err(LedgerError::NotModelled { what: "a realistic question on this topic" })
}

/// `count` different questions, at most [`MAX_SET`], for everybody who has the seed: the topics in a random order, each
/// once before one comes again.
///
/// ```
/// let class = ledger::drill::set(2026, 10)?;
/// let topics: std::collections::HashSet<_> = class.iter().map(|question| question.topic).collect();
/// assert_eq!((class.len(), topics.len()), (10, 10));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
///
/// # Errors
/// As [`question`].
pub fn set(seed: u64, count: usize) -> Result<Vec<Question>, LedgerError> {
    let mut random = Random::new(seed);
    let mut order = Topic::ALL;
    random.shuffle(&mut order);
    let mut questions: Vec<Question> = Vec::with_capacity(count.min(MAX_SET));
    for topic in order.into_iter().cycle().take(count.min(MAX_SET)) {
        let fresh = (0..TRIES).find_map(|_| {
            let next = question(random.next(), &[topic]);
            let repeated = next.as_ref().is_ok_and(|next| questions.iter().any(|asked| asked.text == next.text));
            (!repeated).then_some(next)
        });
        questions.push(fresh.unwrap_or(Err(LedgerError::NotModelled { what: "so many different questions" }))?);
    }
    Ok(questions)
}

/// What a topic draws, before it is put in its unit.
pub(super) struct Draft {
    pub model: &'static str,
    pub card: Option<&'static str>,
    pub text: Text,
    pub numbers: Vec<Number>,
    pub worked: Sheet,
    pub rule: Text,
    /// Bytes or things.
    pub estimate: f64,
    pub formula: String,
}

impl Draft {
    fn finish(self, seed: u64, topic: Topic) -> Result<Question, LedgerError> {
        let (exact, unit) = match self.worked.lines.last().map(|line| line.quantity) {
            Some(Quantity::Bytes(bytes)) => (bytes, Unit::of_bytes(bytes)),
            Some(Quantity::Count(tokens)) if topic == Topic::LongestContext => (tokens, Unit::Tokens),
            Some(Quantity::Count(count)) => (count, Unit::Count),
            _ => return Err(LedgerError::NotModelled { what: "an answer that is neither bytes nor a count" }),
        };
        Ok(Question {
            seed,
            topic,
            model: Cow::Borrowed(self.model),
            card: self.card.map(Cow::Borrowed),
            text: self.text,
            numbers: self.numbers,
            unit,
            exact,
            worked: self.worked,
            thumb: Thumb { rule: self.rule, estimate: self.estimate / unit.size() as f64, formula: self.formula },
        })
    }
}
