//! How close an answer is.

use serde::{Deserialize, Serialize};

use super::Question;
use crate::Text;

/// The relative error up to which an answer passes.
pub const PASS: f64 = 0.2;

/// What was probably forgotten, judged by the factor between answer and truth alone.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillSlip))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slip {
    /// Half of it.
    Half,
    /// Twice as much.
    Double,
    /// Bits instead of bytes.
    Bits,
    /// A unit too large or too small.
    Thousand,
}

impl Slip {
    /// The guess in words.
    pub fn name(self) -> Text {
        let (zh, en) = match self {
            Slip::Half => (
                "约为正确值的一半：K 和 V 是不是只算了一份？每个数的字节数对吗？",
                "About half: were both K and V counted, and all bytes of a number?",
            ),
            Slip::Double => (
                "约为正确值的两倍：有没有重复计算？每个数的字节数对吗？",
                "About twice: was something counted twice, and how many bytes has a number?",
            ),
            Slip::Bits => ("约差 8 倍：位和字节是不是混了？", "Eight times off: bits instead of bytes?"),
            Slip::Thousand => ("约差一千倍：单位是不是错了一级？", "A thousand times off: one unit too far?"),
        };
        Text::new(zh, en)
    }

    fn of(factor: f64) -> Option<Self> {
        let near = |wanted: f64| (factor / wanted - 1.0).abs() <= 0.1;
        match () {
            () if near(0.5) => Some(Slip::Half),
            () if near(2.0) => Some(Slip::Double),
            () if near(8.0) || near(0.125) => Some(Slip::Bits),
            () if near(1_024.0) || near(1.0 / 1_024.0) => Some(Slip::Thousand),
            () => None,
        }
    }
}

/// An answer beside the truth, both in the unit of the question.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DrillScore))]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    pub answer: f64,
    pub exact: f64,
    /// `|answer − exact| ÷ exact`.
    pub relative_error: f64,
    /// The error is at most [`PASS`]; the boundary itself passes.
    pub passed: bool,
    /// What a failed answer suggests.
    pub slip: Option<Slip>,
}

/// Compares an answer, in the unit of the question, with the truth. What is no finite number counts as 0.
///
/// ```
/// use ledger::drill::{self, Topic};
/// let question = drill::question(3, &[Topic::KvPerToken])?;
/// assert!(drill::score(&question, question.answer() * 1.2).passed);
/// let half = drill::score(&question, question.answer() / 2.0);
/// assert_eq!((half.passed, half.relative_error, half.slip), (false, 0.5, Some(drill::Slip::Half)));
/// # Ok::<(), ledger::LedgerError>(())
/// ```
pub fn score(question: &Question, answer: f64) -> Score {
    let exact = question.answer();
    let answer = if answer.is_finite() { answer } else { 0.0 };
    // Every question has an answer above zero.
    let relative_error = (answer - exact).abs() / exact.max(f64::MIN_POSITIVE);
    // An answer of exactly 20 % more must not fail by a rounding of the division.
    let passed = relative_error <= PASS + 1e-9;
    let slip = if passed { None } else { Slip::of(answer / exact.max(f64::MIN_POSITIVE)) };
    Score { answer, exact, relative_error, passed, slip }
}
