//! Expandable segments: one virtual range per pool and stream, backed page by page.

use super::{
    block::{Block, Key, NONE, State},
    rounding::{LARGE_SEGMENT, SMALL_SEGMENT},
    simulate::Allocator,
};

/// Address space of one range where the device has no stated capacity.
const RANGE: u64 = 1 << 46;

impl Allocator {
    fn page(&self, pool: u32) -> u64 {
        if self.pools[pool as usize].small { SMALL_SEGMENT } else { LARGE_SEGMENT }
    }

    /// Maps pages until a free block of `size` bytes exists, and returns it taken out of its pool.
    pub(super) fn expand(&mut self, pool: u32, stream: u64, size: u64) -> Option<u32> {
        let id = self.candidate(pool, stream, size);
        loop {
            let mapped = if self.arena[id].state == State::Free { self.arena[id].size } else { 0 };
            if mapped >= size {
                let block = &self.arena[id];
                self.pools[pool as usize].free.remove(&block.key(id));
                return Some(id);
            }
            let hole = if self.arena[id].state == State::Unmapped { id } else { self.arena[id].next };
            if !self.map(hole, size - mapped) {
                return None;
            }
        }
    }

    /// The block to start from: unmapped space behind, perhaps, a free block, large enough together; a new range
    /// where there is none.
    fn candidate(&mut self, pool: u32, stream: u64, size: u64) -> u32 {
        let holes = &self.pools[pool as usize].unmapped;
        let found = holes.range((stream, 0, 0, 0)..).take_while(|key| key.0 == stream).find_map(|key| {
            let previous = self.arena[key.3].previous;
            let before = if previous != NONE && self.arena[previous].state == State::Free {
                self.arena[previous].size
            } else {
                0
            };
            let start = if before > 0 { previous } else { key.3 };
            (before + key.1 >= size).then_some(start)
        });
        found.unwrap_or_else(|| self.new_range(pool, stream, size))
    }

    fn new_range(&mut self, pool: u32, stream: u64, size: u64) -> u32 {
        let page = self.page(pool);
        // Room for the whole device and an eighth more, as the pool may be fragmented.
        let wanted = self.settings.capacity.map_or(RANGE, |capacity| capacity + capacity / 8).max(size);
        let length = wanted.div_ceil(page).saturating_mul(page);
        let address = self.range_address(length).div_ceil(page).saturating_mul(page);
        self.stats.segments += 1;
        self.add_hole(pool, stream, address, length)
    }

    fn add_hole(&mut self, pool: u32, stream: u64, address: u64, length: u64) -> u32 {
        let id = self.arena.add(Block {
            address,
            size: length,
            requested: 0,
            stream,
            previous: NONE,
            next: NONE,
            pool,
            state: State::Unmapped,
            expandable: true,
            freed_at: 0,
        });
        let key = self.arena[id].key(id);
        self.pools[pool as usize].unmapped.insert(key);
        id
    }

    /// Backs the first `size` bytes of a hole, rounded up to pages, and joins them with a free block before.
    fn map(&mut self, hole: u32, size: u64) -> bool {
        let block = self.arena[hole];
        let page = self.page(block.pool);
        let length = size.div_ceil(page).saturating_mul(page).min(block.size);
        if length == 0 || !self.has_room(length) {
            return false;
        }
        self.expect_map(block.address, length);
        self.pools[block.pool as usize].unmapped.remove(&block.key(hole));
        if length < block.size {
            let rest = self.split(hole, length);
            let key = self.arena[rest].key(rest);
            self.pools[block.pool as usize].unmapped.insert(key);
        }
        self.stats.reserved += length;
        self.stats.peak_reserved = self.stats.peak_reserved.max(self.stats.reserved);
        self.arena[hole].state = State::Awaiting;
        let merged = self.merge(hole);
        self.insert_free(merged);
        true
    }

    /// Lets the range of a mapped block from before a replay go on behind it.
    pub(super) fn extend_range(&mut self, id: u32) {
        let block = self.arena[id];
        let hole = self.add_hole(block.pool, block.stream, block.address + block.size, RANGE);
        self.arena[id].expandable = true;
        self.arena[id].next = hole;
        self.arena[hole].previous = id;
    }

    /// A replay's `segment_unmap`: takes the memory of the free pages at an address.
    pub(crate) fn unmap_range(&mut self, address: u64, size: u64) -> bool {
        for pool in 0..self.pools.len() {
            let found = self.pools[pool]
                .free
                .iter()
                .copied()
                .find(|key| self.arena[key.3].expandable && key.2 <= address && address + size <= key.2 + key.1);
            if let Some(key) = found {
                self.unmap_between(pool, key, address, address + size);
                return true;
            }
        }
        false
    }

    /// Takes the memory from the whole pages inside a free block.
    pub(super) fn unmap(&mut self, pool: usize, key: Key) {
        let page = self.page(pool as u32);
        let block = self.arena[key.3];
        let start = block.address.div_ceil(page) * page;
        let end = (block.address + block.size) / page * page;
        if start < end {
            self.unmap_between(pool, key, start, end);
        }
    }

    fn unmap_between(&mut self, pool: usize, key: Key, start: u64, end: u64) {
        let id = key.3;
        let block = self.arena[id];
        self.pools[pool].free.remove(&key);
        let mut hole = id;
        if start > block.address {
            hole = self.split(id, start - block.address);
            self.insert_free(id);
        }
        if end < block.address + block.size {
            let tail = self.split(hole, end - start);
            self.insert_free(tail);
        }
        self.stats.reserved -= end - start;
        self.arena[hole].state = State::Unmapped;
        let key = self.arena[hole].key(hole);
        self.pools[pool].unmapped.insert(key);
    }
}
