//! The pool as it lies, for a picture, and what it says about memory.

use super::pool::Pool;

/// A physical block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockState {
    /// Tables that name it; 0 for a free block.
    pub references: u32,
    /// Slots with a token, at most the size of a block.
    pub filled: u64,
    /// The first sequence that names it.
    pub owner: Option<usize>,
}

/// A living sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceView {
    pub tokens: u64,
    /// Physical blocks, in the order of its tokens.
    pub table: Vec<u32>,
}

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolView {
    /// Slots of a block.
    pub block: u64,
    pub blocks: Vec<BlockState>,
    /// By number; `None` for a sequence that has ended.
    pub sequences: Vec<Option<SequenceView>>,
}

impl Pool {
    pub fn view(&self) -> PoolView {
        let state =
            |(references, filled): &(u32, u64)| BlockState { references: *references, filled: *filled, owner: None };
        let mut blocks: Vec<BlockState> = self.blocks.iter().map(state).collect();
        for (number, sequence) in self.sequences.iter().enumerate() {
            for block in sequence.iter().flat_map(|sequence| &sequence.table) {
                blocks[*block as usize].owner.get_or_insert(number);
            }
        }
        let shown =
            |sequence: &super::pool::Sequence| SequenceView { tokens: sequence.tokens, table: sequence.table.clone() };
        let sequences = self.sequences.iter().map(|sequence| sequence.as_ref().map(shown)).collect();
        PoolView { block: self.block, blocks, sequences }
    }
}

impl PoolView {
    /// The living sequences with their numbers.
    pub fn living(&self) -> impl Iterator<Item = (usize, &SequenceView)> {
        self.sequences.iter().enumerate().filter_map(|(number, sequence)| Some((number, sequence.as_ref()?)))
    }

    /// Blocks that somebody uses.
    pub fn used(&self) -> u64 {
        self.blocks.iter().filter(|block| block.references > 0).count() as u64
    }

    /// Blocks that the tables name: what would be used if nothing were shared.
    pub fn named(&self) -> u64 {
        self.living().map(|(_, sequence)| sequence.table.len() as u64).sum()
    }

    /// Slots of used blocks.
    pub fn held(&self) -> u64 {
        self.used() * self.block
    }

    /// Slots of used blocks without a token: the internal waste, less than a block for each sequence.
    pub fn empty(&self) -> u64 {
        self.held() - self.blocks.iter().map(|block| block.filled).sum::<u64>()
    }

    /// Tokens of all sequences, those in shared blocks counted once for each.
    pub fn tokens(&self) -> u64 {
        self.living().map(|(_, sequence)| sequence.tokens).sum()
    }

    /// Slots that sharing saves.
    pub fn shared(&self) -> u64 {
        (self.named() - self.used()) * self.block
    }

    /// Slots of a cache that reserves `longest` tokens for each living sequence at once: what engines did before pages
    /// (SOSP 2023, §3.1, “Orca (Max)”).
    pub fn reserved(&self, longest: u64) -> u64 {
        longest.saturating_mul(self.living().count() as u64)
    }
}
