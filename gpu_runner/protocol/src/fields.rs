//! Parsers of single fields, each with its limit.

use serde::{Deserialize, Deserializer, Serializer};

use crate::encoding::{decode_at_most, encode};
use crate::ids::LabName;
use crate::limits::{LABELS, LABS, NOTES, REPORT_BYTES, STAGE_TIMES, TEXT_BYTES};
use crate::messages::{Note, StageTime};
use crate::stage::Stage;

pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() > TEXT_BYTES {
        return Err(serde::de::Error::custom(format!("{} bytes of text; expected at most {TEXT_BYTES}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(serde::de::Error::custom("control characters; expected one line of text"));
    }
    Ok(text)
}

pub(crate) fn labs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LabName>, D::Error> {
    at_most(Vec::deserialize(deserializer)?, LABS)
}

pub(crate) fn labels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LabName>, D::Error> {
    at_most(Vec::deserialize(deserializer)?, LABELS)
}

pub(crate) fn notes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Note>, D::Error> {
    at_most(Vec::deserialize(deserializer)?, NOTES)
}

pub(crate) fn stage_times<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<StageTime>, D::Error> {
    at_most(Vec::deserialize(deserializer)?, STAGE_TIMES)
}

fn at_most<T, E: serde::de::Error>(list: Vec<T>, most: usize) -> Result<Vec<T>, E> {
    if list.len() > most {
        return Err(E::custom(format!("{} entries; expected at most {most}", list.len())));
    }
    Ok(list)
}

pub(crate) fn runners_stage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stage, D::Error> {
    let stage = Stage::deserialize(deserializer)?;
    if stage.is_runners() {
        Ok(stage)
    } else {
        Err(serde::de::Error::custom(format!("stage {stage} is not a runner's to report")))
    }
}

pub(crate) fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(bytes))
}

pub(crate) fn report_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    decode_at_most(&text, REPORT_BYTES)
        .ok_or_else(|| serde::de::Error::custom(format!("expected base64 of at most {REPORT_BYTES} bytes")))
}
