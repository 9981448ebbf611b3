//! The pool of blocks and the tables of the sequences.

use std::collections::VecDeque;

/// What happened to a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A free block became a sequence's last one.
    Taken { sequence: usize, block: u32 },
    /// A sequence wrote into a block that others use: it wrote into a copy.
    Copied { sequence: usize, from: u32, to: u32 },
    /// No sequence names the block any more.
    Returned { block: u32 },
}

/// A request that cannot be served; nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PagingError {
    #[error("{field} is {found}: expected {min} to {max}")]
    Range { field: &'static str, found: u64, min: u64, max: u64 },
    /// A real engine would preempt a sequence here.
    #[error("{needed} blocks are needed, {free} are free")]
    NoBlocks { needed: u64, free: u64 },
    #[error("there is no sequence {sequence}")]
    NoSequence { sequence: usize },
}

/// The largest block; vLLM's are of 16 to 128 tokens.
pub(super) const MAX_BLOCK: u64 = 1024;
/// Blocks of a pool at most.
pub(super) const MAX_BLOCKS: u64 = 1 << 20;
const MAX_LIVE: usize = 1 << 12;

/// A sequence: its tokens, and the blocks in which they lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    pub tokens: u64,
    pub table: Vec<u32>,
}

/// Physical blocks and the sequences that use them.
#[derive(Debug, Clone)]
pub struct Pool {
    pub(super) block: u64,
    /// References and filled slots, by block.
    pub(super) blocks: Vec<(u32, u64)>,
    free: VecDeque<u32>,
    /// By number; `None` for one that has ended.
    pub(super) sequences: Vec<Option<Sequence>>,
}

impl Pool {
    /// A pool of `blocks` free blocks of `block` slots each.
    ///
    /// # Errors
    /// [`PagingError::Range`]: a block of 1 to 1,024 slots, a pool of 1 to 1,048,576 blocks.
    pub fn new(block: u64, blocks: u64) -> Result<Self, PagingError> {
        within("block", block, 1, MAX_BLOCK)?;
        let blocks = within("blocks", blocks, 1, MAX_BLOCKS)? as u32;
        Ok(Self { block, blocks: vec![(0, 0); blocks as usize], free: (0..blocks).collect(), sequences: Vec::new() })
    }

    /// A sequence without tokens; its number.
    ///
    /// # Errors
    /// [`PagingError::Range`]: more than 4,096 sequences.
    pub fn start(&mut self) -> Result<usize, PagingError> {
        within("sequences", self.sequences.len() as u64 + 1, 1, MAX_LIVE as u64)?;
        self.sequences.push(Some(Sequence::default()));
        Ok(self.sequences.len() - 1)
    }

    /// A sequence that begins with all tokens of another one, in the same blocks.
    ///
    /// # Errors
    /// [`PagingError`]: no such sequence, or too many.
    pub fn fork(&mut self, parent: usize) -> Result<usize, PagingError> {
        let copy = self.sequence(parent)?.clone();
        let child = self.start()?;
        copy.table.iter().for_each(|block| self.blocks[*block as usize].0 += 1);
        self.sequences[child] = Some(copy);
        Ok(child)
    }

    fn sequence(&self, number: usize) -> Result<&Sequence, PagingError> {
        self.sequences.get(number).and_then(Option::as_ref).ok_or(PagingError::NoSequence { sequence: number })
    }

    /// Physical blocks of a sequence, in the order of its tokens.
    pub fn table(&self, sequence: usize) -> Option<&[u32]> {
        self.sequence(sequence).ok().map(|sequence| sequence.table.as_slice())
    }

    /// Blocks that nobody uses.
    pub fn free_blocks(&self) -> u64 {
        self.free.len() as u64
    }

    /// Writes `tokens` more tokens of a sequence: into its last block while that has room, then into new ones.
    ///
    /// # Errors
    /// [`PagingError::NoBlocks`] where too few are free, [`PagingError::NoSequence`].
    pub fn append(&mut self, sequence: usize, tokens: u64) -> Result<Vec<Change>, PagingError> {
        let owner = self.sequence(sequence)?;
        let after = owner.tokens.saturating_add(tokens);
        let unfinished = !owner.tokens.is_multiple_of(self.block) && tokens > 0;
        let shared = owner.table.last().is_some_and(|last| unfinished && self.blocks[*last as usize].0 > 1);
        let needed = after.div_ceil(self.block) - owner.table.len() as u64 + u64::from(shared);
        if needed > self.free_blocks() {
            return Err(PagingError::NoBlocks { needed, free: self.free_blocks() });
        }
        let gone = PagingError::NoSequence { sequence };
        let mut owner = self.sequences.get_mut(sequence).and_then(Option::take).ok_or(gone)?;
        owner.tokens = after;
        let (mut left, mut changes) = (tokens, Vec::new());
        if let Some(last) = owner.table.last_mut().filter(|_| unfinished) {
            let (from, filled) = (*last, self.blocks[*last as usize].1);
            if shared && let Some(to) = self.take(filled) {
                self.blocks[from as usize].0 -= 1;
                *last = to;
                changes.push(Change::Copied { sequence, from, to });
            }
            let room = (self.block - filled).min(left);
            self.blocks[*last as usize].1 += room;
            left -= room;
        }
        while left > 0 {
            let filled = left.min(self.block);
            left -= filled;
            let Some(block) = self.take(filled) else { break };
            owner.table.push(block);
            changes.push(Change::Taken { sequence, block });
        }
        self.sequences[sequence] = Some(owner);
        Ok(changes)
    }

    /// The first of the free blocks, with one reference.
    fn take(&mut self, filled: u64) -> Option<u32> {
        let block = self.free.pop_front()?;
        self.blocks[block as usize] = (1, filled);
        Some(block)
    }

    /// Ends a sequence: its blocks lose a reference, and the last ones return first.
    ///
    /// # Errors
    /// [`PagingError::NoSequence`].
    pub fn end(&mut self, sequence: usize) -> Result<Vec<Change>, PagingError> {
        let gone = self.sequences.get_mut(sequence).and_then(Option::take);
        let gone = gone.ok_or(PagingError::NoSequence { sequence })?;
        let mut changes = Vec::new();
        for block in gone.table.into_iter().rev() {
            let (references, filled) = &mut self.blocks[block as usize];
            *references -= 1;
            if *references == 0 {
                *filled = 0;
                self.free.push_back(block);
                changes.push(Change::Returned { block });
            }
        }
        Ok(changes)
    }
}

pub(super) fn within(field: &'static str, found: u64, min: u64, max: u64) -> Result<u64, PagingError> {
    if (min..=max).contains(&found) { Ok(found) } else { Err(PagingError::Range { field, found, min, max }) }
}
