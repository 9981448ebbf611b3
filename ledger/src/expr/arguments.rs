//! Typed access to the arguments of a call.

use std::str::FromStr;

use super::{
    ExprError, Value,
    parse::{Argument, Node},
};
use crate::{
    Dtype, Model,
    catalogue::{self, Card},
    inference::Inference,
    training::{Checkpointing, Optimizer, Precision, Training},
    units::GIB,
};

/// The arguments of one call, already checked to be among those that the function knows.
pub(super) struct Arguments<'a> {
    pub at: usize,
    pub function: &'static str,
    pub list: &'a [Argument],
    pub operands: &'a [Node],
}

impl<'a> Arguments<'a> {
    fn get(&self, name: &str) -> Option<&'a Argument> {
        self.list.iter().find(|argument| argument.name == name)
    }

    fn missing(&self, name: &'static str) -> ExprError {
        ExprError::MissingArgument { at: self.at, function: self.function, name }
    }

    fn text(&self, name: &str) -> Result<Option<(usize, &'a str)>, ExprError> {
        match self.get(name) {
            None => Ok(None),
            Some(Argument { at, value: Value::Text(text), .. }) => Ok(Some((*at, text))),
            Some(argument) => Err(ExprError::WrongValue {
                at: argument.at,
                name: name.to_owned(),
                expected: "a text in double quotes",
                found: argument.value.picture(),
            }),
        }
    }

    /// A whole number of at least 1.
    pub(super) fn whole(&self, name: &'static str) -> Result<Option<u64>, ExprError> {
        let Some(argument) = self.get(name) else { return Ok(None) };
        match argument.value {
            Value::Number(number, _) if number >= 1.0 && number.fract() == 0.0 && number <= (1u64 << 53) as f64 => {
                Ok(Some(number as u64))
            }
            _ => Err(ExprError::WrongValue {
                at: argument.at,
                name: name.to_owned(),
                expected: "a whole number from 1 to 2^53",
                found: argument.value.picture(),
            }),
        }
    }

    pub(super) fn need(&self, name: &'static str) -> Result<u64, ExprError> {
        self.whole(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn whole_or(&self, name: &'static str, default: u64) -> Result<u64, ExprError> {
        Ok(self.whole(name)?.unwrap_or(default))
    }

    /// A whole number of 0 and more, or the default.
    pub(super) fn count(&self, name: &'static str, default: u64) -> Result<u64, ExprError> {
        match self.get(name).map(|argument| &argument.value) {
            Some(Value::Number(0.0, _)) => Ok(0),
            _ => self.whole_or(name, default),
        }
    }

    /// A text, or the default.
    pub(super) fn word(&self, name: &'static str, default: &'a str) -> Result<&'a str, ExprError> {
        Ok(self.text(name)?.map_or(default, |(_, text)| text))
    }

    /// Words separated by commas.
    pub(super) fn words(&self, name: &'static str, default: &'a str) -> Result<Vec<&'a str>, ExprError> {
        Ok(self.word(name, default)?.split(',').map(str::trim).collect())
    }

    pub(super) fn model(&self) -> Result<&'static Model, ExprError> {
        let (at, name) = self.text("model")?.ok_or_else(|| self.missing("model"))?;
        catalogue::model(name).ok_or_else(|| ExprError::UnknownValue {
            at,
            name: "model".to_owned(),
            what: "model of the catalogue",
            found: name.to_owned(),
            known: list(catalogue::models().iter().map(|model| model.name.as_str())),
        })
    }

    pub(super) fn card(&self) -> Result<&'static Card, ExprError> {
        let (at, id) = self.text("card")?.ok_or_else(|| self.missing("card"))?;
        catalogue::card(id).ok_or_else(|| ExprError::UnknownValue {
            at,
            name: "card".to_owned(),
            what: "card of the catalogue",
            found: id.to_owned(),
            known: list(catalogue::cards().iter().map(|card| card.id)),
        })
    }

    fn choice<T: FromStr>(
        &self,
        names: &[&'static str],
        what: &'static str,
        known: impl Iterator<Item = &'static str>,
    ) -> Result<Option<T>, ExprError> {
        for name in names {
            if let Some((at, found)) = self.text(name)? {
                return found.parse().map(Some).map_err(|_| ExprError::UnknownValue {
                    at,
                    name: (*name).to_owned(),
                    what,
                    found: found.to_owned(),
                    known: list(known),
                });
            }
        }
        Ok(None)
    }

    /// The first of the names that is given; BF16 where none is.
    pub(super) fn dtype(&self, names: &[&'static str]) -> Result<Dtype, ExprError> {
        let known = Dtype::ALL.into_iter().map(Dtype::id);
        Ok(self.choice(names, "dtype", known)?.unwrap_or(Dtype::Bf16))
    }

    pub(super) fn precision(&self) -> Result<Precision, ExprError> {
        let known = Precision::ALL.iter().map(|choice| choice.id());
        Ok(self.choice(&["precision"], "precision", known)?.unwrap_or(Precision::Fp32))
    }

    pub(super) fn optimizer(&self) -> Result<Optimizer, ExprError> {
        let known = Optimizer::ALL.iter().map(|choice| choice.id());
        Ok(self.choice(&["optimizer"], "optimizer", known)?.unwrap_or(Optimizer::AdamWForeach))
    }

    pub(super) fn training(&self) -> Result<Training, ExprError> {
        let known = Checkpointing::ALL.iter().map(|choice| choice.id());
        let checkpointing = self.choice(&["checkpointing"], "checkpointing", known)?;
        Ok(Training {
            precision: self.precision()?,
            optimizer: self.optimizer()?,
            batch: self.whole_or("batch", 1)?,
            seq: self.need("seq")?,
            checkpointing: checkpointing.unwrap_or(Checkpointing::None),
        })
    }

    /// `seq` and `batch` are 1 where they are not given: the search replaces one of them.
    pub(super) fn inference(&self) -> Result<Inference, ExprError> {
        Ok(Inference {
            weights: self.dtype(&["weights", "dtype"])?,
            kv: self.dtype(&["kv", "dtype"])?,
            batch: self.whole_or("batch", 1)?,
            seq: self.whole_or("seq", 1)?,
            reserve: self.reserve()?,
        })
    }

    fn reserve(&self) -> Result<u64, ExprError> {
        let Some(argument) = self.get("reserve_gib") else { return Ok(0) };
        match argument.value {
            Value::Number(gib, _) if (0.0..=1e6).contains(&gib) => Ok((gib * GIB as f64).round() as u64),
            _ => Err(ExprError::WrongValue {
                at: argument.at,
                name: "reserve_gib".to_owned(),
                expected: "a number of GiB from 0 to 1,000,000",
                found: argument.value.picture(),
            }),
        }
    }

    pub(super) fn unit(&self) -> Result<Option<(usize, String)>, ExprError> {
        Ok(self.text("as")?.map(|(at, unit)| (at, unit.to_owned())))
    }

    pub(super) fn digits(&self) -> Result<Option<u32>, ExprError> {
        let Some(argument) = self.get("digits") else { return Ok(None) };
        match argument.value {
            Value::Number(digits, _) if (0.0..=9.0).contains(&digits) && digits.fract() == 0.0 => {
                Ok(Some(digits as u32))
            }
            _ => Err(ExprError::WrongValue {
                at: argument.at,
                name: "digits".to_owned(),
                expected: "a whole number from 0 to 9",
                found: argument.value.picture(),
            }),
        }
    }
}

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
