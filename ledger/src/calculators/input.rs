//! What a calculator asks, and what it was given.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use super::{CalculatorError, links};
use crate::{Dtype, LedgerError, Model, Text, catalogue, catalogue::Card};

/// One input of a calculator.
///
/// ```
/// use ledger::calculators::{Kind, find};
/// let roofline = find("roofline")?;
/// let card = roofline.inputs.iter().find(|input| input.id == "card").expect("declared");
/// assert!(matches!(&card.kind, Kind::Choice { options, .. } if options.iter().any(|card| card.id == "h100-80gb")));
/// # Ok::<(), ledger::calculators::CalculatorError>(())
/// ```
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub id: Cow<'static, str>,
    pub name: Text,
    #[serde(flatten)]
    pub kind: Kind,
}

/// What may be typed in.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// An integer; both ends included.
    Whole { unit: Cow<'static, str>, default: u64, min: u64, max: u64 },
    /// A decimal number; both ends included.
    Decimal { unit: Cow<'static, str>, default: f64, min: f64, max: f64 },
    /// One of the options, by id.
    Choice { default: Cow<'static, str>, options: Vec<Choice> },
}

/// An option of a choice.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub id: Cow<'static, str>,
    pub name: Text,
}

type Name = (&'static str, &'static str);

pub(super) fn whole(id: &'static str, name: Name, unit: &'static str, default: u64, min: u64, max: u64) -> Input {
    let kind = Kind::Whole { unit: Cow::Borrowed(unit), default, min, max };
    Input { id: Cow::Borrowed(id), name: Text::new(name.0, name.1), kind }
}

pub(super) fn decimal(id: &'static str, name: Name, unit: &'static str, default: f64, min: f64, max: f64) -> Input {
    let kind = Kind::Decimal { unit: Cow::Borrowed(unit), default, min, max };
    Input { id: Cow::Borrowed(id), name: Text::new(name.0, name.1), kind }
}

pub(super) fn choice(id: &'static str, name: Name, default: &'static str, options: Vec<(&'static str, Name)>) -> Input {
    let options =
        options.into_iter().map(|(id, (zh, en))| Choice { id: Cow::Borrowed(id), name: Text::new(zh, en) }).collect();
    let kind = Kind::Choice { default: Cow::Borrowed(default), options };
    Input { id: Cow::Borrowed(id), name: Text::new(name.0, name.1), kind }
}

/// A share of a peak that is reached: an assumption that a measurement replaces.
pub(super) fn share() -> Input {
    decimal("share", ("达到峰值算力的比例", "Share of the peak rate that is reached"), "", 0.5, 0.01, 1.0)
}

pub(super) fn dtype(id: &'static str, name: Name, default: &'static str) -> Input {
    choice(id, name, default, Dtype::ALL.into_iter().map(|dtype| (dtype.id(), (dtype.id(), dtype.id()))).collect())
}

/// The models of the catalogue that pass a test.
pub(super) fn model(default: &'static str, wanted: fn(&Model) -> bool) -> Input {
    let models = catalogue::models().iter().filter(|model| wanted(model));
    choice(
        "model",
        ("模型", "Model"),
        default,
        models.map(|model| (model.name.as_str(), (model.name.as_str(), model.name.as_str()))).collect(),
    )
}

/// The cards whose rates are typed in.
pub(super) fn card() -> Input {
    let cards = catalogue::cards().iter().filter(|card| card.speed.is_some());
    choice("card", ("显卡", "Card"), "h100-80gb", cards.map(|card| (card.id, (card.name, card.name))).collect())
}

pub(super) fn link(default: &'static str) -> Input {
    let options = links::LINKS.iter().map(|link| (link.id, (link.name, link.name))).collect();
    choice("link", ("链路（单方向）", "Link (per direction)"), default, options)
}

/// Checked values, one for every input.
pub(super) struct Given {
    values: BTreeMap<Cow<'static, str>, Value>,
}

enum Value {
    Whole(u64),
    Decimal(f64),
    Choice(String),
}

/// Longest part of a wrong value that is repeated in a message.
const SHOWN: usize = 40;

impl Given {
    /// Fills in defaults and checks every value against its input.
    pub fn check(
        calculator: &'static str,
        inputs: &[Input],
        typed: &BTreeMap<String, String>,
    ) -> Result<Self, CalculatorError> {
        if let Some(stranger) = typed.keys().find(|key| inputs.iter().all(|input| input.id != **key)) {
            let known: Vec<&str> = inputs.iter().map(|input| input.id.as_ref()).collect();
            return Err(CalculatorError::UnknownInput {
                calculator,
                found: stranger.chars().take(SHOWN).collect(),
                known: known.join(", "),
            });
        }
        let values = inputs
            .iter()
            .map(|input| {
                let text = typed.get(input.id.as_ref()).map(|text| text.trim());
                Ok((input.id.clone(), value(input, text)?))
            })
            .collect::<Result<_, CalculatorError>>()?;
        Ok(Self { values })
    }

    pub fn whole(&self, id: &'static str) -> Result<u64, LedgerError> {
        match self.values.get(id) {
            Some(Value::Whole(number)) => Ok(*number),
            _ => Err(undeclared(id)),
        }
    }

    pub fn decimal(&self, id: &'static str) -> Result<f64, LedgerError> {
        match self.values.get(id) {
            Some(Value::Decimal(number)) => Ok(*number),
            _ => Err(undeclared(id)),
        }
    }

    pub fn choice(&self, id: &'static str) -> Result<&str, LedgerError> {
        match self.values.get(id) {
            Some(Value::Choice(choice)) => Ok(choice),
            _ => Err(undeclared(id)),
        }
    }

    pub fn dtype(&self, id: &'static str) -> Result<Dtype, LedgerError> {
        self.choice(id)?.parse().map_err(|_| undeclared(id))
    }

    pub fn model(&self) -> Result<&'static Model, LedgerError> {
        catalogue::model(self.choice("model")?).ok_or_else(|| undeclared("model"))
    }

    pub fn card(&self) -> Result<(&'static Card, catalogue::Speed), LedgerError> {
        let card = catalogue::card(self.choice("card")?).ok_or_else(|| undeclared("card"))?;
        Ok((card, card.speed.ok_or_else(|| undeclared("card"))?))
    }

    /// The card's dense rate in a format, or an error that names the formats it has.
    pub fn dense_rate(&self, format: &str) -> Result<u64, LedgerError> {
        let (_, speed) = self.card()?;
        speed.dense_rate(format).ok_or_else(|| LedgerError::Unknown {
            field: "dtype of this card",
            found: format.to_owned(),
            known: speed.dense.iter().map(|(format, _)| *format).collect::<Vec<_>>().join(", "),
        })
    }

    pub fn link(&self) -> Result<links::Link, LedgerError> {
        let id = self.choice("link")?;
        links::LINKS.iter().find(|link| link.id == id).copied().ok_or_else(|| undeclared("link"))
    }
}

/// A calculator asks for what it did not declare; every calculator runs in a test, so no user meets this.
fn undeclared(id: &'static str) -> LedgerError {
    LedgerError::Unknown { field: "input", found: id.to_owned(), known: "the declared inputs".to_owned() }
}

fn value(input: &Input, typed: Option<&str>) -> Result<Value, CalculatorError> {
    let wrong = |expected: String| CalculatorError::Value {
        input: input.id.clone(),
        found: typed.unwrap_or_default().chars().take(SHOWN).collect(),
        expected,
    };
    match &input.kind {
        Kind::Whole { default, min, max, .. } => {
            let number = typed.map_or(Some(*default), |text| text.parse().ok());
            number
                .filter(|number| min <= number && number <= max)
                .map(Value::Whole)
                .ok_or_else(|| wrong(format!("an integer from {min} to {max}")))
        }
        Kind::Decimal { default, min, max, .. } => {
            let number = typed.map_or(Some(*default), |text| text.parse().ok());
            // NaN is in no range.
            number
                .filter(|number| min <= number && number <= max)
                .map(Value::Decimal)
                .ok_or_else(|| wrong(format!("a number from {min} to {max}")))
        }
        Kind::Choice { default, options } => {
            let found = typed.unwrap_or(default);
            let option = options.iter().find(|option| option.id.eq_ignore_ascii_case(found));
            option.map(|option| Value::Choice(option.id.clone().into_owned())).ok_or_else(|| {
                let known: Vec<&str> = options.iter().map(|option| option.id.as_ref()).collect();
                wrong(format!("one of {}", known.join(", ")))
            })
        }
    }
}
