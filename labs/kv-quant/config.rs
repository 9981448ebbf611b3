//! Parameters of the lab, parsed and within limits.

use crate::run::{ParamError, Params, RunError, StopRule};

/// Numbers of the keys, and as many of the values: 2^24 are 64 MiB in fp32.
const MOST_NUMBERS: u64 = 1 << 24;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    pub tokens: u32,
    pub heads: u32,
    /// A multiple of 8, so that a row of 4-bit codes fills whole words.
    pub dim: u32,
    /// Channels of the keys that are larger than the others, spread over the heads.
    pub outliers: u32,
    pub factor: u32,
    pub seed: u64,
    pub rule: StopRule,
}

impl Config {
    pub fn parse(params: &Params) -> Result<Self, RunError> {
        let mut reader = params.reader();
        let tokens = reader.integer("tokens", 1024, 1..=1 << 20)?;
        let heads = reader.integer("heads", 8, 1..=256)?;
        let dim = reader.integer("head_dim", 128, 8..=512)?;
        let outliers = reader.integer("outliers", 4, 0..=4096)?;
        let factor = reader.integer("factor", 20, 1..=1000)?;
        let seed = reader.integer("seed", 42, 0..=u64::MAX)?;
        let rule = StopRule::parse(&mut reader)?;
        reader.finish()?;
        if !dim.is_multiple_of(8) {
            return Err(ParamError::Multiple { name: "head_dim", of: 8, found: dim }.into());
        }
        let product = tokens.saturating_mul(heads).saturating_mul(dim);
        if product > MOST_NUMBERS {
            let names = "tokens × heads × head_dim";
            return Err(ParamError::Product { names, product, most: MOST_NUMBERS }.into());
        }
        let narrow = |value| u32::try_from(value).map_err(|_| RunError::Overflow { what: "a size" });
        Ok(Self {
            tokens: narrow(tokens)?,
            heads: narrow(heads)?,
            dim: narrow(dim)?,
            outliers: narrow(outliers)?,
            factor: narrow(factor)?,
            seed,
            rule,
        })
    }

    pub fn row(&self) -> usize {
        self.heads as usize * self.dim as usize
    }

    /// Numbers of the keys.
    pub fn numbers(&self) -> usize {
        self.tokens as usize * self.row()
    }
}
