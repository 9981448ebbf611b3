//! Blocks and the pools of free ones.

use std::collections::BTreeSet;

/// A private pool (of a CUDA graph); `(0, 0)` is the common one.
pub type PoolId = (u64, u64);

/// An allocated block. Valid until it is freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle(pub(super) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Free,
    Allocated,
    /// Freed by the program, still in use on another stream.
    Awaiting,
    /// Address space of an expandable segment without memory behind it.
    Unmapped,
}

pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub address: u64,
    pub size: u64,
    pub requested: u64,
    pub stream: u64,
    /// The neighbours in the segment, or `NONE`.
    pub previous: u32,
    pub next: u32,
    pub pool: u32,
    pub state: State,
    pub expandable: bool,
    /// Searches of the pool when the block became free: its age is the difference to now.
    pub freed_at: u64,
}

impl Block {
    pub fn is_split(&self) -> bool {
        self.previous != NONE || self.next != NONE
    }

    /// Free bytes that cannot return to the driver. While a block is in a pool its neighbours do not come or go.
    pub fn counts_as_split(&self) -> bool {
        self.is_split() && !self.expandable
    }

    pub fn key(&self, id: u32) -> Key {
        (self.stream, self.size, self.address, id)
    }

    pub fn hole(&self, id: u32) -> (u64, u64, u32) {
        (self.stream, self.address, id)
    }
}

/// The order in which a best fit is looked for: stream, size, address.
pub(super) type Key = (u64, u64, u64, u32);

#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    pub small: bool,
    pub id: PoolId,
    pub free: BTreeSet<Key>,
    /// Holes by stream and address: the lowest is filled first.
    pub unmapped: BTreeSet<(u64, u64, u32)>,
    pub searches: u64,
}

/// Blocks by number; numbers of removed blocks are used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    blocks: Vec<Block>,
    spare: Vec<u32>,
}

impl Arena {
    pub fn add(&mut self, block: Block) -> u32 {
        match self.spare.pop() {
            Some(id) => {
                self[id] = block;
                id
            }
            None => {
                let id = u32::try_from(self.blocks.len()).unwrap_or(NONE);
                self.blocks.push(block);
                id
            }
        }
    }

    pub fn remove(&mut self, id: u32) {
        self.spare.push(id);
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    pub fn get(&self, id: u32) -> Option<&Block> {
        self.blocks.get(id as usize)
    }

    /// The first blocks of all segments and ranges, in the order of their addresses.
    pub fn heads(&self) -> Vec<u32> {
        let mut gone = vec![false; self.blocks.len()];
        self.spare.iter().for_each(|id| gone[*id as usize] = true);
        let ids = (0..self.blocks.len() as u32).filter(|id| !gone[*id as usize] && self[*id].previous == NONE);
        let mut heads: Vec<u32> = ids.collect();
        heads.sort_unstable_by_key(|id| self[*id].address);
        heads
    }
}

impl std::ops::Index<u32> for Arena {
    type Output = Block;

    fn index(&self, id: u32) -> &Block {
        &self.blocks[id as usize]
    }
}

impl std::ops::IndexMut<u32> for Arena {
    fn index_mut(&mut self, id: u32) -> &mut Block {
        &mut self.blocks[id as usize]
    }
}
