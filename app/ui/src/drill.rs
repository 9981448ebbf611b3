//! The intuition drill as a reader sees it: a question, and what the ledger makes of an answer. The server fills both
//! in, in the reader's language; the browser only shows them.

use serde::{Deserialize, Serialize};

/// A question with its clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The id under which the server keeps it, for those who are signed in.
    pub id: Option<String>,
    pub seed: u64,
    /// The id of its topic.
    pub topic: String,
    /// The id of the topic that the reader chose; empty for any.
    pub chosen: String,
    /// The topic in words, or the place in a set.
    pub heading: String,
    pub text: String,
    /// What a bare number is counted in; empty for whole things.
    pub unit: String,
    /// When it was asked, milliseconds UTC. Trusted only where nothing is kept.
    pub asked_ms: i64,
    /// What was left of the time when the page was made.
    pub left_ms: u32,
}

/// An answer beside the ledger's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub outcome: Outcome,
    pub yours: String,
    pub exact: String,
    pub relative_error: String,
    pub seconds: u64,
    /// What was probably forgotten.
    pub slip: Option<String>,
    pub rule: String,
    /// The rule with its numbers, and what it gives.
    pub rule_formula: String,
    /// How the ledger finds it; the last line is the answer.
    pub worked: Vec<Line>,
    pub assumptions: Vec<String>,
    /// What becomes of the answer.
    pub kept: String,
    /// The page of the next question.
    pub next: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// Close enough, but the time was over.
    Late,
    Missed,
}

/// One line of the worked ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub name: String,
    pub value: String,
    pub formula: String,
}

/// An answer on its way to the server; forms send the same fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Empty or missing: nothing is kept.
    #[serde(default)]
    pub question: String,
    pub seed: u64,
    pub topic: String,
    #[serde(default)]
    pub chosen: String,
    pub asked_ms: i64,
    /// As typed.
    pub answer: String,
}
