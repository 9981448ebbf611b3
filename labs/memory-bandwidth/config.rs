//! Parameters of the lab, parsed and within limits.

use crate::run::{Params, RunError, StopRule};

/// 2^25 numbers are 128 MiB in fp32, as large as a binding may be on every adapter.
const MOST_ELEMENTS: u64 = 1 << 25;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    pub elements: u32,
    pub seed: u64,
    pub rule: StopRule,
}

impl Config {
    pub fn parse(params: &Params) -> Result<Self, RunError> {
        let mut reader = params.reader();
        let elements = reader.integer("elements", 1 << 22, 1..=MOST_ELEMENTS)?;
        let seed = reader.integer("seed", 42, 0..=u64::MAX)?;
        let rule = StopRule::parse(&mut reader)?;
        reader.finish()?;
        let elements = u32::try_from(elements).map_err(|_| RunError::Overflow { what: "elements" })?;
        Ok(Self { elements, seed, rule })
    }
}
