//! A batch of requests from the first prompt to the last block that returns.

use super::pool::{Change, PagingError, Pool, within};

pub const MAX_SEQUENCES: usize = 8;
/// Tokens that each sequence generates.
pub const MAX_DECODE: u64 = 512;
/// Blocks of a story: they are drawn one by one.
const MAX_DRAWN: u64 = 2048;
/// Slots of a sequence at most.
pub const MAX_SLOTS: u64 = 1 << 20;

/// Requests that share a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Slots of a block.
    pub block: u64,
    /// Tokens that all prompts begin with; 0 for none.
    pub prefix: u64,
    /// Tokens of each prompt, the prefix included.
    pub prompts: Vec<u64>,
    /// Tokens that each sequence generates, one for every sequence in a step.
    pub decode: u64,
}

/// One step of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// A sequence comes, and with it this much of its prompt.
    Start { sequence: usize, tokens: u64 },
    /// A sequence comes and shares the blocks of the first one.
    Fork { sequence: usize },
    /// What a prompt has behind the prefix.
    Prompt { sequence: usize, tokens: u64 },
    /// Every sequence generates a token.
    Decode,
    /// A sequence ends.
    End { sequence: usize },
}

impl Story {
    fn check(&self) -> Result<(), PagingError> {
        within("sequences", self.prompts.len() as u64, 1, MAX_SEQUENCES as u64)?;
        within("decode", self.decode, 0, MAX_DECODE)?;
        within("block", self.block, 1, super::pool::MAX_BLOCK)?;
        for prompt in &self.prompts {
            within("prompt", *prompt, self.prefix.max(1), MAX_SLOTS)?;
        }
        within("blocks", self.pool(), 1, MAX_DRAWN).map(|_| ())
    }

    /// Blocks of the pool: as many as all sequences need at their ends without sharing, so that none is ever missing.
    pub fn pool(&self) -> u64 {
        let needed = |prompt: &u64| prompt.saturating_add(self.decode).div_ceil(self.block.max(1));
        self.prompts.iter().map(needed).fold(0, u64::saturating_add)
    }

    /// All steps in order: the first sequence brings the prefix, the others share it, each goes on with its own prompt;
    /// then all generate together, and end one after the other.
    ///
    /// # Errors
    /// [`PagingError::Range`]: 1 to 8 sequences, blocks of 1 to 1,024 slots, prompts not shorter than the prefix and of
    /// at most 1,048,576 tokens, at most 512 generated tokens, at most 2,048 blocks in all.
    pub fn acts(&self) -> Result<Vec<Act>, PagingError> {
        self.check()?;
        let others = 1..self.prompts.len();
        let own = |sequence: usize| Act::Prompt { sequence, tokens: self.prompts[sequence] - self.prefix };
        let mut acts = Vec::new();
        if self.prefix == 0 {
            acts.extend(
                self.prompts.iter().enumerate().map(|(sequence, tokens)| Act::Start { sequence, tokens: *tokens }),
            );
        } else {
            acts.push(Act::Start { sequence: 0, tokens: self.prefix });
            acts.extend(others.map(|sequence| Act::Fork { sequence }));
            let longer = |sequence: &usize| self.prompts[*sequence] > self.prefix;
            acts.extend((0..self.prompts.len()).filter(longer).map(own));
        }
        acts.extend((0..self.decode).map(|_| Act::Decode));
        acts.extend((0..self.prompts.len()).map(|sequence| Act::End { sequence }));
        Ok(acts)
    }

    /// Runs every step, and shows each with what it changed.
    ///
    /// # Errors
    /// As [`Story::acts`].
    pub fn tell(&self, mut each: impl FnMut(&Act, &Pool, &[Change])) -> Result<(), PagingError> {
        let acts = self.acts()?;
        let mut pool = Pool::new(self.block, self.pool())?;
        for act in &acts {
            let changes = self.perform(act, &mut pool)?;
            each(act, &pool, &changes);
        }
        Ok(())
    }

    fn perform(&self, act: &Act, pool: &mut Pool) -> Result<Vec<Change>, PagingError> {
        match *act {
            Act::Start { sequence, tokens } => {
                pool.start()?;
                pool.append(sequence, tokens)
            }
            Act::Fork { .. } => pool.fork(0).map(|_| Vec::new()),
            Act::Prompt { sequence, tokens } => pool.append(sequence, tokens),
            Act::Decode => {
                let mut changes = Vec::new();
                for sequence in 0..self.prompts.len() {
                    changes.extend(pool.append(sequence, 1)?);
                }
                Ok(changes)
            }
            Act::End { sequence } => pool.end(sequence),
        }
    }
}
