//! Parameters of the lab, parsed and within limits.

use crate::run::{ParamError, Params, RunError, StopRule};

/// 2^25 elements are 128 MiB in fp32: the unfused variant then holds 384 MiB.
const MOST_ELEMENTS: u64 = 1 << 25;
/// `eps` inside the root, as in the models of the Llama family.
pub const EPS: f32 = 1e-6;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    pub rows: u32,
    pub hidden: u32,
    pub seed: u64,
    pub rule: StopRule,
}

impl Config {
    pub fn parse(params: &Params) -> Result<Self, RunError> {
        let mut reader = params.reader();
        let rows = reader.integer("rows", 2048, 1..=1 << 20)?;
        let hidden = reader.integer("hidden", 4096, 1..=1 << 16)?;
        reader.choice("dtype", "fp32", &["fp32"])?;
        let seed = reader.integer("seed", 42, 0..=u64::MAX)?;
        let rule = StopRule::parse(&mut reader)?;
        reader.finish()?;
        let product = rows.saturating_mul(hidden);
        if product > MOST_ELEMENTS {
            return Err(ParamError::Product { names: "rows × hidden", product, most: MOST_ELEMENTS }.into());
        }
        let narrow = |value| u32::try_from(value).map_err(|_| RunError::Overflow { what: "a size" });
        Ok(Self { rows: narrow(rows)?, hidden: narrow(hidden)?, seed, rule })
    }

    pub fn elements(&self) -> usize {
        self.rows as usize * self.hidden as usize
    }
}
